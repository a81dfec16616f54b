package results

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/table"
)

// benchmarkSearch is what the table of searches on the benchmarks shows of the JSON of search.
type benchmarkSearch struct {
	Dataset string  `json:"dataset"`
	Dim     int     `json:"dim"`
	Trained int     `json:"trained"`
	Seconds float64 `json:"seconds"`
	Best    []struct {
		Structure string  `json:"structure"`
		ValidMRR  float64 `json:"valid_mrr"`
	} `json:"best"`
	Human []namedModel `json:"baselines"`
}

type namedModel struct {
	Name     string  `json:"name"`
	ValidMRR float64 `json:"valid_mrr"`
}

// searched is the table of the searches on the paper's benchmarks, and of what the structures that
// they found and ComplEx came to when both were trained alike.
func searched(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	table := table.New("graph", "structures, in", "valid MRR at d", "of ComplEx", "of the best found", "then at d, epochs", "test MRR of ComplEx", "of the found one")
	var found, commands []string
	for _, graph := range reproduce.Benchmarks {
		paths, err := filepath.Glob(filepath.Join(folder, "searched-"+graph+"-*.json"))
		if err != nil {
			t.Fatal(err)
		}
		paths = slices.DeleteFunc(paths, func(path string) bool { // of a graph whose name begins alike
			return strings.Count(filepath.Base(path), "-") != strings.Count("searched-"+graph+"-1", "-")
		})
		if len(paths) == 0 {
			table.Add(graph, "not run yet", nil, nil, nil, nil, nil, nil)
		}
		for _, path := range paths {
			var s benchmarkSearch
			m := readFrom(t, os.DirFS(folder), filepath.Base(path), &s)
			complex := slices.IndexFunc(s.Human, func(named namedModel) bool { return named.Name == "complex" })
			if len(s.Best) == 0 || complex < 0 {
				t.Fatalf("%s has nothing found, or no ComplEx", path)
			}
			row := []any{graph, fmt.Sprintf("%d, %.0f min", s.Trained, s.Seconds/60), s.Dim, s.Human[complex].ValidMRR, s.Best[0].ValidMRR}
			row = append(row, alike(t, folder, graph, seedOf.FindString(path))...)
			table.Add(row...)
			found = append(found, fmt.Sprintf("%s `%s`", graph, s.Best[0].Structure))
			commands = append(commands, fmt.Sprintf("- `%s`: %s, %s\n", m.Command, m.Machine, m.Date))
		}
	}
	markdown(&text, table.Header, table.Rows)
	if len(found) > 0 {
		fmt.Fprintf(&text, "\nFound: %s. The searches, and those of the trainings stand above:\n\n%s", strings.Join(found, "; "), strings.Join(commands, ""))
	}
	return text.String()
}

// alike are the cells of the trainings of ComplEx and of the structure that was found, which
// differ in nothing else.
func alike(t *testing.T, folder, graph, seed string) []any {
	t.Helper()
	var trained []reproduce.Trained
	for _, name := range []string{"complex", "found"} {
		file := filepath.Join(folder, "benchmark-"+graph+"-"+name+seed)
		if _, err := os.Stat(file); err != nil {
			return []any{nil, nil, nil}
		}
		all, err := reproduce.ReadRepeats(file)
		if err != nil {
			t.Fatal(err)
		}
		trained = append(trained, *all[0].Documents[0].Result.Final)
	}
	complex, found := trained[0], trained[1]
	s, member := complex.Training.Settings, found.Training.Member
	member.Structure = complex.Training.Member.Structure
	if s != found.Training.Settings || member != complex.Training.Member {
		t.Fatalf("the trainings on %s differ in more than the structure: %+v, %+v", graph, complex.Training, found.Training)
	}
	return []any{fmt.Sprintf("%d, %d", s.Dim, s.Epochs), complex.Test.Both.MRR, found.Test.Both.MRR}
}

// TestSearched: a graph without files has its row, and what was found but not trained, too.
func TestSearched(t *testing.T) {
	folder := t.TempDir()
	if none := searched(t, folder); strings.Count(none, "not run yet") != len(reproduce.Benchmarks) || strings.Contains(none, "Found") {
		t.Errorf("without files:\n%s", none)
	}
	const file = `{"command": "autoblm search --dataset wn18rr", "date": "2026-11-23", "machine": "here", "result": {"dataset": "wn18rr", "dim": 32, "trained": 64, "seconds": 600,
		"best": [{"structure": "1,2;-2,1", "valid_mrr": 0.5}], "baselines": [{"name": "complex", "valid_mrr": 0.25}]}}`
	if err := os.WriteFile(filepath.Join(folder, "searched-wn18rr-1.json"), []byte(file), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "searched-fb15k-237-1.json"), []byte(strings.ReplaceAll(file, "wn18rr", "fb15k-237")), 0o644); err != nil {
		t.Fatal(err)
	}
	text := searched(t, folder)
	for _, says := range []string{"| wn18rr | 64, 10 min | 32 | 0.250 | 0.500 | – | – | – |\n", "| fb15k | not run yet |", "Found: wn18rr `1,2;-2,1`; fb15k-237 `1,2;-2,1`.", "- `autoblm search --dataset wn18rr`: here, 2026-11-23\n"} {
		if !strings.Contains(text, says) {
			t.Errorf("it lacks %q:\n%s", says, text)
		}
	}
}
