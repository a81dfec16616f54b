package results

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// parts is the table of searches with one part left out each time.
func parts(t *testing.T) string {
	t.Helper()
	rows := []struct{ name, what string }{
		{"all", "all"},
		{"no-tuning", "without tuning, `--tune 0`"},
		{"no-rungs", "without rungs, `--rungs 0`"},
		{"no-known", "from scratch, `--no-known`"},
		{"no-other-seeds", "without other seeds and ensemble, `--again 0`"},
		{"plain", "the first procedure, `--recipe basic`"},
	}
	var graphs []string
	var text, lines strings.Builder
	var where []string
	command := ""
	for _, row := range rows {
		paths, err := filepath.Glob("parts-" + row.name + "-*.json")
		if err != nil || len(paths) == 0 {
			t.Fatalf("no results of %s: %v", row.name, err)
		}
		byGraph := map[string][]float64{}
		for _, path := range paths {
			var r struct {
				Dataset string `json:"dataset"`
				Kept    struct {
					Test float64 `json:"test_mrr"`
				} `json:"kept"`
			}
			m := read(t, path, &r)
			byGraph[r.Dataset] = append(byGraph[r.Dataset], r.Kept.Test)
			if !slices.Contains(graphs, r.Dataset) {
				graphs = append(graphs, r.Dataset)
			}
			if command == "" {
				command, _, _ = strings.Cut(m.Command, " --out")
			}
			where = withPlace(where, m)
		}
		fmt.Fprintf(&lines, "| %s |", row.what)
		for _, graph := range graphs {
			fmt.Fprintf(&lines, " %s (%d) |", several(byGraph[graph]), len(byGraph[graph]))
		}
		lines.WriteString("\n")
	}
	fmt.Fprintf(&text, "| part | %s |\n|%s\n%s\nTest MRR of what is kept, mean and standard deviation over the seeds (how many); `%s` and so on, on %s.\n",
		strings.Join(graphs, " | "), strings.Repeat(" --- |", 1+len(graphs)), lines.String(), command, strings.Join(where, "; "))
	return text.String()
}
