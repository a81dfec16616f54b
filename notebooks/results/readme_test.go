package results

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search/ablation"
)

var update = flag.Bool("update", false, "write the tables of the documents anew")

// document is a result file.
type document struct {
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
	} `json:"baselines"`
}

// TestDocumentsHaveTheResults compares what stands between the marks in the project's README,
// in docs/results.md and in the README here with the result files.
func TestDocumentsHaveTheResults(t *testing.T) {
	hold(t, "../../README.md", map[string]string{
		"glance": glance(t, "."), "queries at a glance": queriesGlance(t), "classes at a glance": classesGlance(t), "speed at a glance": speedGlance(t, os.DirFS(".")),
	})
	hold(t, "../../docs/results.md", map[string]string{
		"benchmarks": benchmarks(t, "."), "searched": searched(t, "."), "pairs": pairs(t, "."), "strongest": strongest(t, "."), "cost": cost(t),
		"results": searches(t), "speed": speed(t, os.DirFS(".")), "engines": engines(t, os.DirFS(".")), "reproduced": reproduced(t), "precisions": precisions(t), "ensembles": ensembles(t), "minutes": minutes(t), "parts": parts(t), "defaults": defaults(t),
		"queries": queries(t), "query-defaults": queryDefaults(t), "classes": classes(t), "class-defaults": classDefaults(t), "peers": peers(t, os.DirFS(".")),
		"algorithms": ablations(t, "algorithm"), "predictors": ablations(t, "predictor"),
	})
	hold(t, "README.md", map[string]string{"device": device(t, os.DirFS("."))})
}

// hold compares a document with the tables that it has to have, by their marks.
func hold(t *testing.T, path string, tables map[string]string) {
	t.Helper()
	readme, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	want := readme
	for name, table := range tables {
		begin, end := fmt.Sprintf("<!-- %s -->\n", name), fmt.Sprintf("<!-- end of %s -->", name)
		before, rest, ok := bytes.Cut(want, []byte(begin))
		_, after, ok2 := bytes.Cut(rest, []byte(end))
		if !ok || !ok2 {
			t.Fatalf("%s lacks the marks %q and %q", path, begin, end)
		}
		want = slices.Concat(before, []byte(begin), []byte(table), []byte(end), after)
	}
	if bytes.Equal(readme, want) {
		return
	}
	if !*update {
		t.Fatalf("%s does not have the results of the files here: go test ./notebooks/results -update writes them", path)
	}
	if err := os.WriteFile(path, want, 0o644); err != nil {
		t.Fatal(err)
	}
}

// withPlace adds where and when something was measured, once.
func withPlace(where []string, m document) []string {
	if place := m.Machine + ", " + m.Date; !slices.Contains(where, place) {
		return append(where, place)
	}
	return where
}

// read reads a result file.
func read(t *testing.T, path string, result any) document {
	t.Helper()
	return readFrom(t, os.DirFS("."), path, result)
}

func readFrom(t *testing.T, files fs.FS, path string, result any) document {
	t.Helper()
	content, err := fs.ReadFile(files, path)
	if err != nil {
		t.Fatal(err)
	}
	var m document
	if err := json.Unmarshal(content, &m); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if err := json.Unmarshal(m.Result, result); err != nil {
		t.Fatalf("%s: %v", path, err)
	}
	if m.Command == "" || m.Date == "" || m.Machine == "" {
		t.Fatalf("%s lacks a command, a date or a machine", path)
	}
	return m
}

// searches is the table of the searches, which were made when the plain recipe was the usual one.
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
		var f found
		m := read(t, path, &f)
		if len(f.Best) == 0 || len(f.Human) == 0 {
			t.Fatalf("%s lacks a result", path)
		}
		named := f.Human[0]
		for _, h := range f.Human {
			if h.ValidMRR > named.ValidMRR {
				named = h
			}
		}
		fmt.Fprintf(&text, "| `%s` | %.0f s | %.3f, %.3f | %s %.3f, %.3f |\n", strings.Replace(m.Command, "search", "search --recipe basic", 1), f.Seconds, f.Best[0].ValidMRR, f.Best[0].TestMRR, named.Name, named.ValidMRR, named.TestMRR)
		where = withPlace(where, m)
	}
	fmt.Fprintf(&text, "\nMeasured on %s. The files are in [`notebooks/results`](../notebooks/results).\n", strings.Join(where, "; "))
	return text.String()
}

// ablations is the table of a comparison of searches on several graphs.
func ablations(t *testing.T, name string) string {
	t.Helper()
	paths, err := filepath.Glob("ablation-" + name + "-*.json")
	if err != nil || len(paths) == 0 {
		t.Fatalf("no results: %v", err)
	}
	var graphs, variants []string
	cells := map[string]string{} // by variant and graph
	var m document
	for _, path := range paths {
		var r struct {
			Dataset  string             `json:"dataset"`
			Outcomes []ablation.Outcome `json:"outcomes"`
		}
		m = read(t, path, &r)
		graphs = append(graphs, r.Dataset)
		for _, o := range r.Outcomes {
			mean, deviation := o.Mean(func(run ablation.Run) float64 { return run.TopMRR })
			cells[o.Variant+r.Dataset] = fmt.Sprintf("%.3f ± %.3f", mean, deviation)
			if !slices.Contains(variants, o.Variant) {
				variants = append(variants, o.Variant)
			}
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "| %s | %s |\n|%s\n", name, strings.Join(graphs, " | "), strings.Repeat(" --- |", 1+len(graphs)))
	for _, v := range variants {
		row := []string{v}
		for _, g := range graphs {
			row = append(row, cells[v+g])
		}
		fmt.Fprintf(&text, "| %s |\n", strings.Join(row, " | "))
	}
	fmt.Fprintf(&text, "\n`%s`, and so for the others; %s, %s.\n", m.Command, m.Machine, m.Date)
	return text.String()
}
