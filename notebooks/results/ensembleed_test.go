package results

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/internal/table"
)

// pair is what the table of ensembles on the paper's benchmarks shows of the JSON of ensemble, of two.
type pair struct {
	Dataset string `json:"dataset"`
	Members []struct {
		Structure string  `json:"structure"`
		Dim       int     `json:"dim"`
		Test      float64 `json:"test_mrr"`
	} `json:"members"`
	scored
}

// pairs is the table of ensembles of two on the paper's benchmarks, of ComplEx and of the structure that
// was found there or of two seeds of ComplEx, and of one model of as many numbers.
func pairs(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	table := table.New("graph", "d", "ComplEx", "the found one", "together", "another seed of ComplEx", "both seeds", "one ComplEx of twice the d")
	var commands, where []string
	for _, graph := range reproduce.Benchmarks {
		ensembleOf := func(kind string) (p pair, ok bool) {
			file := "ensembleed-" + graph + "-" + kind + ".json"
			if _, err := os.Stat(filepath.Join(folder, file)); err != nil {
				return p, false
			}
			m := readFrom(t, os.DirFS(folder), file, &p)
			if len(p.Members) != 2 || p.Dataset != graph || p.Members[0].Dim != p.Members[1].Dim {
				t.Fatalf("%s is not of two alike on %s", file, graph)
			}
			commands = append(commands, "`"+m.Command+"`")
			where = withPlace(where, m)
			return p, true
		}
		structures, ok := ensembleOf("structures")
		if !ok {
			continue
		}
		complex, found := structures.Members[0], structures.Members[1]
		row := []any{graph, complex.Dim, complex.Test, found.Test, structures.Test.Both.MRR, nil, nil, nil}
		if seeds, ok := ensembleOf("seeds"); ok {
			if seeds.Members[0] != complex || seeds.Members[1].Structure != complex.Structure || found.Structure == complex.Structure {
				t.Fatalf("the ensembles on %s are not those of one table", graph)
			}
			row[5], row[6] = seeds.Members[1].Test, seeds.Test.Both.MRR
		}
		large := filepath.Join(folder, fmt.Sprintf("benchmark-%s-complex-%d-1.json", graph, 2*complex.Dim))
		if _, err := os.Stat(large); err == nil {
			all, err := reproduce.ReadRepeats(large)
			if err != nil {
				t.Fatal(err)
			}
			row[7] = all[0].Documents[0].Result.Final.Test.Both.MRR
		}
		table.Add(row...)
	}
	if len(table.Rows) == 0 {
		return "Not run yet.\n"
	}
	markdown(&text, table.Header, table.Rows)
	fmt.Fprintf(&text, "\nTest MRR; the members' trainings stand above. %s, on %s.\n", strings.Join(commands, ", "), strings.Join(where, "; "))
	return text.String()
}

// strongest is the table of ensembles of the strongest trainings on the paper's benchmarks.
func strongest(t *testing.T, folder string) string {
	t.Helper()
	var text strings.Builder
	table := table.New("graph", "ensemble of", "test MRR of each", "of the ensemble", "H@1", "H@10")
	var files, commands, where []string
	for _, graph := range reproduce.Benchmarks {
		some, err := filepath.Glob(filepath.Join(folder, "ensembleed-"+graph+"-best*.json"))
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, some...)
	}
	for _, file := range files {
		file = filepath.Base(file)
		var p struct {
			Dataset string `json:"dataset"`
			Members []struct {
				Folder string  `json:"folder"`
				Test   float64 `json:"test_mrr"`
			} `json:"members"`
			Test completion.Evaluation `json:"test"`
		}
		m := readFrom(t, os.DirFS(folder), file, &p)
		var names, each []string
		for _, x := range p.Members {
			training := filepath.Dir(x.Folder)
			all, err := reproduce.ReadRepeats(filepath.Join(folder, training+".json"))
			if err != nil {
				t.Fatal(err)
			}
			if alone := all[0].Documents[0].Result.Final.Test.Both.MRR; !strings.HasPrefix(file, "ensembleed-"+p.Dataset+"-best") || math.Abs(alone-x.Test) > 1e-6 {
				t.Fatalf("%s: %s has %v on %s there, %v in its own file", file, training, x.Test, p.Dataset, alone)
			}
			names, each = append(names, "`"+training+"`"), append(each, fmt.Sprintf("%.3f", x.Test))
		}
		table.Add(p.Dataset, strings.Join(names, ", "), strings.Join(each, ", "), p.Test.Both.MRR, p.Test.Both.Hits1, p.Test.Both.Hits10)
		commands = append(commands, "`"+m.Command+"`")
		where = withPlace(where, m)
	}
	if len(table.Rows) == 0 {
		return "Not run yet.\n"
	}
	markdown(&text, table.Header, table.Rows)
	fmt.Fprintf(&text, "\nThe members' trainings stand above. %s, on %s.\n", strings.Join(commands, ", "), strings.Join(where, "; "))
	return text.String()
}

// TestPairs: what is not there yet has an empty cell, and a graph without anything no row.
func TestPairs(t *testing.T) {
	folder := t.TempDir()
	write := func(kind, second, together string) {
		content := `{"command": "autoblm ensemble ` + kind + `", "date": "2026-11-23", "machine": "here", "result": {"dataset": "wn18rr",
			"members": [{"structure": "1,2;-2,1", "dim": 8, "test_mrr": 0.25}, ` + second + `], "test": {"both": {"mrr": ` + together + `}}}}`
		if err := os.WriteFile(filepath.Join(folder, "ensembleed-wn18rr-"+kind+".json"), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, add := range []struct {
		do   func()
		says string
	}{
		{func() {}, "Not run yet.\n"},
		{func() { write("structures", `{"structure": "1,0;0,2", "dim": 8, "test_mrr": 0.125}`, "0.5") }, "| wn18rr | 8 | 0.250 | 0.125 | 0.500 | – | – | – |\n"},
		{func() { write("seeds", `{"structure": "1,2;-2,1", "dim": 8, "test_mrr": 0.375}`, "0.75") }, "| wn18rr | 8 | 0.250 | 0.125 | 0.500 | 0.375 | 0.750 | – |\n"},
	} {
		add.do()
		if text := pairs(t, folder); !strings.Contains(text, add.says) || strings.Contains(text, "fb15k") {
			t.Errorf("it lacks %q:\n%s", add.says, text)
		}
	}
}
