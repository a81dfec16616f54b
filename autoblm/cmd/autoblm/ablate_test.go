package main

import (
	"encoding/csv"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
)

func TestAblate(t *testing.T) {
	graph := smallGraph(t)
	for name, c := range map[string]struct {
		arguments []string
		pictures  []string
	}{
		"predictor": {nil, []string{"structures"}},
		"sharing":   {[]string{"--shared-epochs", "2"}, []string{"scatter"}},
		"dimension": {[]string{"--other-dim", "12"}, []string{"scatter"}},
		"transfer":  {[]string{"--to", graph}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			arguments := append([]string{"ablate", name, "--dataset", graph, "--seeds", "2", "--budget", "6",
				"--dim", "8", "--epochs", "2", "--batch", "32", "--out", dir}, c.arguments...)
			o := object(t, arguments...)
			if o["ablation"] != name || o["seeds"] != 2.0 || o["budget"] != 6.0 {
				t.Errorf("%v", o)
			}
			again := object(t, arguments...) // is answered from the studies
			for _, o := range []map[string]any{o, again} {
				delete(o, "out")
			}
			if asText(t, o) != asText(t, again) {
				t.Errorf("the same command gives\n%v\nand then\n%v", o, again)
			}
			content, err := os.ReadFile(filepath.Join(dir, name+".json"))
			if err != nil || !json.Valid(content) {
				t.Errorf("%s.json: %v", name, err)
			}
			table, err := os.Open(filepath.Join(dir, name+".csv"))
			if err != nil {
				t.Fatal(err)
			}
			defer table.Close()
			if rows, err := csv.NewReader(table).ReadAll(); err != nil || len(rows) < 2 {
				t.Errorf("%s.csv has the rows %v, %v", name, rows, err)
			}
			for _, picture := range c.pictures {
				for _, extension := range []string{".png", ".svg"} {
					if info, err := os.Stat(filepath.Join(dir, name+"-"+picture+extension)); err != nil ||
						info.Size() == 0 {
						t.Errorf("%s%s: %v", picture, extension, err)
					}
				}
			}
		})
	}
}

func TestAblateRefuses(t *testing.T) {
	graph := smallGraph(t)
	for says, arguments := range map[string][]string{
		"use algorithm":               {"ablate", "colour"},
		"--to":                        {"ablate", "transfer", "--dataset", graph},
		"other comparisons have none": {"ablate", "filter", "--dataset", graph, "--to", graph},
		"seeds is 0":                  {"ablate", "filter", "--dataset", graph, "--seeds", "0"},
		"dim is 9":                    {"ablate", "filter", "--dataset", graph, "--dim", "9"},
	} {
		status, _, stderr := invoke(t.Context(), arguments...)
		if status != cli.Misuse || !strings.Contains(stderr, says) || strings.Count(stderr, "\n") != 1 {
			t.Errorf("%v: status %d, %q, which should say %q in one line", arguments, status, stderr, says)
		}
	}
}
