package results

import (
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// searchInMinutes is what the table of searches by minutes shows of the JSON of search.
type searchInMinutes struct {
	Dataset string `json:"dataset"`
	Trained int    `json:"trained"`
	Final   struct {
		From    string               `json:"from"`
		Members []struct{ Seed int } `json:"members"`
		Test    float64              `json:"test_mrr"`
	} `json:"final"`
	Named struct {
		Name string  `json:"name"`
		Test float64 `json:"test_mrr"`
	} `json:"baseline_final"`
	Difference *struct {
		Mean float64 `json:"mean"`
	} `json:"difference"`
}

// seedOf is the seed in the name of a result file.
var seedOf = regexp.MustCompile(`-\d+\.json$`)

// minutes is the table of searches by minutes.
func minutes(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("minutes-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	byGraph := map[string][]string{}
	var graphs []string
	for _, path := range paths {
		graph := seedOf.ReplaceAllString(path, "")
		if byGraph[graph] == nil {
			graphs = append(graphs, graph)
		}
		byGraph[graph] = append(byGraph[graph], path)
	}
	var text strings.Builder
	text.WriteString("| command, and with the other seeds | searches | structures trained | kept | test MRR | best named model | its test MRR | found − named, test |\n|" + strings.Repeat(" --- |", 8) + "\n")
	var where []string
	for _, graph := range graphs {
		var final, named, differences []float64
		var kept, names, trained []string
		var command string
		for _, path := range byGraph[graph] {
			var r searchInMinutes
			m := read(t, path, &r)
			if command == "" {
				command, _, _ = strings.Cut(m.Command, " --out")
			}
			final, named = append(final, r.Final.Test), append(named, r.Named.Test)
			what := "the " + r.Final.From + " one"
			if r.Final.From == "ensemble" {
				what = fmt.Sprintf("%d", len(r.Final.Members))
			}
			kept, trained = append(kept, what), append(trained, fmt.Sprint(r.Trained))
			if !slices.Contains(names, r.Named.Name) {
				names = append(names, r.Named.Name)
			}
			if r.Difference != nil {
				differences = append(differences, r.Difference.Mean)
			}
			where = withPlace(where, m)
		}
		difference := "–"
		if len(differences) > 0 {
			difference = several(differences)
		}
		fmt.Fprintf(&text, "| `%s` | %d | %s | %s | %s | %s | %s | %s |\n", command, len(final), strings.Join(trained, ", "), strings.Join(kept, ", "), several(final), strings.Join(names, ", "), several(named), difference)
	}
	fmt.Fprintf(&text, "\nKept: how many members the ensemble has. Mean and standard deviation over the searches; the differences are each a mean over seeds, seed by seed. On %s.\n", strings.Join(where, "; "))
	return text.String()
}

// several is the spread of numbers, where there are some.
func several(x []float64) string {
	switch len(x) {
	case 0:
		return "–"
	case 1:
		return fmt.Sprintf("%.4f", x[0])
	}
	return spread(x)
}
