package results

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/reproduce"
)

// reproduced is the table of the benchmarks that were done again: the test MRR, over
// the seeds, beside what is published.
func reproduced(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("reproduce-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	type line struct{ dataset, stage string }
	var lines []line
	mrrs, first := map[line][]float64{}, map[line]reproduce.Result{}
	var commands, where []string
	for _, path := range paths {
		var r reproduce.Result
		m := read(t, path, &r)
		if !r.Complete || r.Final == nil || r.Final.Test == nil {
			t.Fatalf("%s has no complete final training", path)
		}
		l := line{r.Dataset, string(r.Stage)}
		if mrrs[l] == nil {
			lines, first[l], commands = append(lines, l), r, append(commands, m.Command)
		}
		mrrs[l] = append(mrrs[l], r.Final.Test.Both.MRR)
		where = withPlace(where, m)
	}
	var text strings.Builder
	text.WriteString("| command, and with seeds 2 and 3 | structure | d | test MRR | published |\n| --- | --- | --- | --- | --- |\n")
	for i, l := range lines {
		r, structure := first[l], "found by each search"
		if r.Search == nil {
			structure = r.Final.Training.Member.Structure.Name()
		}
		published := "–"
		if p := r.Final.Published; p != nil {
			published = fmt.Sprintf("%s %.3f", p.Model, p.MRR)
		}
		fmt.Fprintf(&text, "| `%s` | %s | %d | %s | %s |\n", commands[i], structure, r.Final.Training.Settings.Dim, spread(mrrs[l]), published)
	}
	fmt.Fprintf(&text, "\nMean and standard deviation over %d seeds, on %s.\n", len(mrrs[lines[0]]), strings.Join(where, "; "))
	return text.String()
}
