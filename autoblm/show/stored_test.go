package show

import (
	"encoding/json"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
	"github.com/autoblm/autoblm-go/internal/require"
)

func TestReadStored(t *testing.T) {
	type result struct{ Dataset string }
	all := ReadStored[result]("ablation-k-*.json")
	if len(all) != 1 || all[0].Name != "ablation-k-umls" || all[0].Result.Dataset != "umls" {
		t.Errorf("%+v", all)
	}
	text := terminal(t)
	Sources(append(all, all...))
	if got := text.String(); strings.Count(got, all[0].Command) != 2 ||
		strings.Count(got, all[0].Machine) != 1 || !strings.Contains(got, all[0].Date) {
		t.Errorf("the sources are\n%s", got)
	}
}

// TestStoredOutcomes compares the table with means computed from the file.
func TestStoredOutcomes(t *testing.T) {
	var file struct {
		Result struct {
			Outcomes []struct {
				Variant string
				Runs    []struct {
					Top float64 `json:"top_mrr"`
				}
			}
		}
	}
	content, err := os.ReadFile(Library("notebooks", "results", "ablation-k-umls.json"))
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(content, &file))
	text := terminal(t)
	StoredOutcomes("k")
	for _, o := range file.Result.Outcomes {
		sum := 0.0
		for _, r := range o.Runs {
			sum += r.Top
		}
		want := fmt.Sprintf("%s  %.3f ± ", o.Variant, sum/float64(len(o.Runs)))
		if !strings.Contains(text.String(), want) {
			t.Errorf("%q is missing in\n%s", want, text)
		}
	}
}

func TestOutcomes(t *testing.T) {
	text := terminal(t)
	Outcomes("filter", []ablation.Outcome{
		{Variant: "none", Runs: []ablation.Run{{TopMRR: 0.1, BestMRR: 0.2, TestMRR: 0.3}}},
		{Variant: "exact", Runs: []ablation.Run{{TopMRR: 0.4}, {TopMRR: 0.6}}},
	})
	want := "filter  mean of 8 best  best           its test MRR\n" +
		"none    0.100           0.200          0.300\n" +
		"exact   0.500 ± 0.141   0.000 ± 0.000  0.000 ± 0.000\n"
	if text.String() != want {
		t.Errorf("got\n%swant\n%s", text, want)
	}
}
