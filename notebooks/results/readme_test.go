package results

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the tables of the README anew")

// measured is a result file.
type measured struct {
	Command string          `json:"command"`
	Date    string          `json:"date"`
	Machine string          `json:"machine"`
	Result  json.RawMessage `json:"result"`
}

// found is what the table of searches shows of a search's JSON.
type found struct {
	Dataset string  `json:"dataset"`
	Trained int     `json:"trained"`
	Seconds float64 `json:"seconds"`
	Best    []struct {
		ValidMRR float64 `json:"valid_mrr"`
		TestMRR  float64 `json:"test_mrr"`
	} `json:"best"`
	Human []struct {
		Name     string  `json:"name"`
		ValidMRR float64 `json:"valid_mrr"`
		TestMRR  float64 `json:"test_mrr"`
	} `json:"human"`
}

// TestReadmeHasTheResults compares what stands between the marks in the README
// with the result files.
func TestReadmeHasTheResults(t *testing.T) {
	const path = "../../README.md"
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	const begin, end = "<!-- results -->\n", "<!-- end of results -->"
	before, rest, ok := bytes.Cut(readme, []byte(begin))
	old, after, ok2 := bytes.Cut(rest, []byte(end))
	if !ok || !ok2 {
		t.Fatalf("%s lacks the marks %q and %q", path, begin, end)
	}
	table := searches(t)
	if string(old) == table {
		return
	}
	if !*update {
		t.Fatalf("the README does not have the results of the files here; go test ./notebooks/results -update writes them. Want\n%s", table)
	}
	if err := os.WriteFile(path, slices.Concat(before, []byte(begin), []byte(table), []byte(end), after), 0o644); err != nil {
		t.Fatal(err)
	}
}

// searches is the table of the searches.
func searches(t *testing.T) string {
	t.Helper()
	paths, err := filepath.Glob("search-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	var text strings.Builder
	text.WriteString("| command | trained in | best found: valid, test MRR | best named: valid, test MRR |\n| --- | --- | --- | --- |\n")
	var where []string
	for _, path := range paths {
		var m measured
		var f found
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(content, &m); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if err := json.Unmarshal(m.Result, &f); err != nil {
			t.Fatalf("%s: %v", path, err)
		}
		if m.Command == "" || m.Date == "" || m.Machine == "" || len(f.Best) == 0 || len(f.Human) == 0 {
			t.Fatalf("%s lacks a command, a date, a machine or a result", path)
		}
		named := f.Human[0]
		for _, h := range f.Human {
			if h.ValidMRR > named.ValidMRR {
				named = h
			}
		}
		fmt.Fprintf(&text, "| `%s` | %.0f s | %.3f, %.3f | %s %.3f, %.3f |\n", m.Command, f.Seconds, f.Best[0].ValidMRR, f.Best[0].TestMRR, named.Name, named.ValidMRR, named.TestMRR)
		if place := m.Machine + ", " + m.Date; !slices.Contains(where, place) {
			where = append(where, place)
		}
	}
	fmt.Fprintf(&text, "\nMeasured on %s. The files are in [`notebooks/results`](notebooks/results).\n", strings.Join(where, "; "))
	return text.String()
}
