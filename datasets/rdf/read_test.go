package rdf

import (
	"bytes"
	"compress/gzip"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

const (
	triples = `<x:anna> <x:knows> <x:ben> .
<x:ben> <x:knows> _:someone .
<x:anna> <x:age> "42"^^<http://www.w3.org/2001/XMLSchema#int> .
<x:ben> <x:name> "Ben"@en .
`
	trainTable = "id\tperson\tlabel_group\n1\tx:anna\tred\n2\t_:someone\tblue\n"
	testTable  = "person\tid\tlabel_group\nx:ben\t3.0\tred\n"
)

// folder writes files into a new folder and compresses those that end in .gz.
func folder(t testing.TB, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "group")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if strings.HasSuffix(name, ".gz") {
			var packed bytes.Buffer
			writer := gzip.NewWriter(&packed)
			_, err := writer.Write([]byte(content))
			if err := errors.Join(err, writer.Close()); err != nil {
				t.Fatal(err)
			}
			content = packed.String()
		}
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// files returns the files of a valid folder, with changes.
func files(changes map[string]string) map[string]string {
	all := map[string]string{"graph.nt": triples, "trainingSet.tsv": trainTable,
		"testSet.tsv": testTable}
	for name, content := range changes {
		all[name] = content
		if content == "" {
			delete(all, name)
		}
	}
	return all
}

func TestReadFolderForms(t *testing.T) {
	want := &Graph{
		Name: "group",
		Nodes: []string{"<x:anna>", "<x:ben>", "_:someone",
			`"42"^^<http://www.w3.org/2001/XMLSchema#int>`, `"Ben"@en`},
		Relations: []string{"<x:knows>", "<x:age>", "<x:name>"},
		Triples: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2},
			{Head: 0, Relation: 1, Tail: 3}, {Head: 1, Relation: 2, Tail: 4}},
		Classes: []string{"blue", "red"},
		Train:   []Label{{Node: 0, Class: 1}, {Node: 2, Class: 0}},
		Test:    []Label{{Node: 1, Class: 1}},
	}
	crlf := func(s string) string { return "\uFEFF" + strings.ReplaceAll(s, "\n", "\r\n") }
	for name, changes := range map[string]map[string]string{
		"plain":  nil,
		"packed": {"graph.nt": "", "graph_stripped.nt.gz": triples},
		"CRLF and byte-order mark": {"graph.nt": crlf(triples), "trainingSet.tsv": crlf(trainTable),
			"testSet.tsv": crlf(testTable)},
		"comments and empty lines": {"graph.nt": "# a graph\n\n" +
			strings.ReplaceAll(triples, "ben> .", "ben>. # who else\n\n")},
		"longer names": {"trainingSet.tsv": "", "trainingSet(group).tsv": trainTable},
		"no end of the last line": {"graph.nt": strings.TrimSuffix(triples, "\n"),
			"testSet.tsv": strings.TrimSuffix(testTable, "\n")},
		"nodes as terms": {"testSet.tsv": strings.ReplaceAll(testTable, "x:ben", "<x:ben>")},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := ReadFolder(folder(t, files(changes)), Options{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got, cmp.AllowUnexported(Graph{}), cmpopts.IgnoreFields(Graph{}, "Folder")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReadFolderRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		file, content string
		want          string // a part of the error
	}{
		"no full stop": {"graph.nt", triples + "<x:a> <x:b> <x:c>\n",
			"graph.nt:5: malformed N-Triples: the line ends too early"},
		"two terms": {"graph.nt", "<x:a> <x:b> .\n", "graph.nt:1: malformed"},
		"four terms": {"graph.nt", "<x:a> <x:b> <x:c> <x:d> .\n",
			"graph.nt:1: malformed N-Triples: a fourth term, <x:d>"},
		"literal as subject": {"graph.nt", `"a" <x:b> <x:c> .`, "graph.nt:1: malformed"},
		"blank predicate":    {"graph.nt", "<x:a> _:b <x:c> .", "graph.nt:1: malformed"},
		"relative IRI":       {"graph.nt", "<a> <x:b> <x:c> .", "graph.nt:1: malformed"},
		"open literal":       {"graph.nt", `<x:a> <x:b> "c .`, "graph.nt:1: malformed"},
		"no UTF-8": {"graph.nt", "<x:a> <x:b> \"\xff\" .\n",
			"graph.nt:1: malformed N-Triples: the line is not valid UTF-8"},
		"no triples": {"graph.nt", "# nothing\n", "the file has no triples"},
		"no graph":   {"graph.nt", "", "a file is missing: a file of N-Triples, .nt or .nt.gz, or classes.tsv"},
		"two graphs": {"more.nt", triples,
			"more than one file of N-Triples, .nt or .nt.gz: graph.nt, more.nt"},
		"no test table": {"testSet.tsv", "", "a file is missing: a table testSet.tsv"},
		"unknown node": {"testSet.tsv", "person\tlabel\nx:carl\tred\n",
			"testSet.tsv:2: the graph has no node x:carl"},
		"labelled twice": {"testSet.tsv", "person\tlabel\nx:anna\tred\n",
			"testSet.tsv:2: node x:anna already has a label in"},
		"no class": {"testSet.tsv", "person\tlabel\nx:ben\t\n",
			"testSet.tsv:2: node x:ben has no class"},
		"wrong header": {"testSet.tsv", "person\tgroup\nx:ben\tred\n",
			"testSet.tsv:1: the header needs a column"},
		"too few fields": {"testSet.tsv", "person\tlabel\nx:ben\n",
			"testSet.tsv:2: found 1 tab-separated fields; the header has 2"},
		"header only": {"testSet.tsv", "person\tlabel\n",
			"testSet.tsv:1: the file has no labelled nodes"},
		"nothing in the file": {"testSet.tsv", "\n", "the file has no labelled nodes"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := ReadFolder(folder(t, files(map[string]string{c.file: c.content})), Options{})
			wantError(t, err, c.want)
		})
	}
	dir := folder(t, files(map[string]string{"graph.nt": ""}))
	if err := os.WriteFile(filepath.Join(dir, "graph.nt.gz"), []byte(triples), 0o644); err != nil {
		t.Fatal(err)
	}
	_, err := ReadFolder(dir, Options{})
	wantError(t, err, "graph.nt.gz: not a gzip file")
	_, err = ReadFolder(filepath.Join(dir, "none"), Options{})
	wantError(t, err, "no such folder")
}

// wantError checks that an error is one line that contains part.
func wantError(t *testing.T, err error, part string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
		t.Errorf("the error is %q; it should be one line with %q in it", err, part)
	}
}

func TestLenientKeepsTheRest(t *testing.T) {
	broken := "nonsense\n" + strings.Replace(triples, "\n", "\n<x:anna> <x:knows> .\n", 1)
	dir := folder(t, files(map[string]string{"graph.nt": broken}))
	_, err := ReadFolder(dir, Options{})
	wantError(t, err, "graph.nt:1: malformed")
	got, err := ReadFolder(dir, Options{Lenient: true})
	if err != nil {
		t.Fatal(err)
	}
	want, err := ReadFolder(folder(t, files(nil)), Options{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(Graph{}), cmpopts.IgnoreFields(Graph{}, "Folder", "Skipped",
		"FirstSkipped")); diff != "" {
		t.Error(diff)
	}
	if got.Skipped != 2 {
		t.Errorf("%d lines were skipped; 2 are malformed", got.Skipped)
	}
	wantError(t, got.FirstSkipped, "graph.nt:1: ")
}

// TestBenchmarks compares with the counts of Table I of the R-GCN paper.
func TestBenchmarks(t *testing.T) {
	for _, b := range Registry() {
		t.Run(b.Name, func(t *testing.T) {
			dir := realdata.Folder(t, b.Name)
			if found, _ := filepath.Glob(filepath.Join(dir, "*.nt*")); found == nil {
				_, err := Open(b.Name, Options{})
				wantError(t, err, b.Name+" is incomplete")
				return
			}
			g, err := Open(b.Name, Options{})
			if err != nil {
				t.Fatal(err)
			}
			got := Benchmark{Name: g.Name, Nodes: len(g.Nodes), Relations: len(g.Relations),
				Edges: len(g.Triples), Classes: len(g.Classes), Train: len(g.Train), Test: len(g.Test),
				Address: b.Address}
			if got != b {
				t.Errorf("read %+v, published %+v", got, b)
			}
			if given := g.GivenAway(); len(given) > 0 { // the authors removed such relations
				t.Error(given)
			}
		})
	}
}

// TestTables compares the numbers of classes and labelled nodes with the published ones, for
// benchmarks whose graphs are not available.
func TestTables(t *testing.T) {
	for _, b := range Registry() {
		t.Run(b.Name, func(t *testing.T) {
			r := &labelReader{nodes: map[string]int32{}, classes: map[string]int32{},
				origin: map[int32]string{}}
			var counts []int
			for _, pattern := range []string{"trainingSet*.tsv", "testSet*.tsv"} {
				path, err := filepath.Glob(filepath.Join(realdata.Folder(t, b.Name), pattern))
				if err != nil || len(path) != 1 {
					t.Fatal(path, err)
				}
				content, err := os.ReadFile(path[0])
				if err != nil {
					t.Fatal(err)
				}
				for _, word := range strings.Fields(string(content)) { // as if the graph had all of them
					r.nodes["<"+word+">"] = int32(len(r.nodes))
				}
				labels, err := r.read(path[0])
				if err != nil {
					t.Fatal(err)
				}
				counts = append(counts, len(labels))
			}
			if want := []int{b.Train, b.Test}; !slices.Equal(counts, want) || len(r.names) != b.Classes {
				t.Errorf("%v labelled nodes of %d classes, published %v of %d", counts, len(r.names), want,
					b.Classes)
			}
		})
	}
}

func TestOpenRefuses(t *testing.T) {
	t.Setenv("AUTOBLM_DATA", "")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	_, err := Open("aifb", Options{})
	wantError(t, err, "aifb is not on this machine: unpack https://")
	_, err = Open("nowhere", Options{})
	wantError(t, err, "the names are aifb, mutag, bgs, am")
}

// TestPathBeforeName checks that a folder with a graph takes precedence over a benchmark, with a
// warning.
func TestPathBeforeName(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	t.Chdir(t.TempDir())
	files := files(nil)
	open := func(want int, says string) {
		t.Helper()
		g, err := Open("aifb", Options{})
		if err != nil || len(g.Triples) != want {
			t.Fatalf("%+v, %v; want %d triples", g, err, want)
		}
		said := strings.Join(g.Warnings(), "; ")
		if !strings.Contains(said, says) || says == "" && said != "" {
			t.Errorf("warnings %q, want %q", said, says)
		}
	}
	if err := os.Rename(folder(t, files), filepath.Join(data, "aifb")); err != nil {
		t.Fatal(err)
	}
	open(4, "")
	if err := os.Mkdir("aifb", 0o755); err != nil {
		t.Fatal(err)
	}
	open(4, "no such data")
	files["graph.nt"] += "<x:ben> <x:knows> <x:anna> .\n"
	if err := errors.Join(os.Remove("aifb"), os.Rename(folder(t, files), "aifb")); err != nil {
		t.Fatal(err)
	}
	open(5, "is the folder ")
	t.Chdir(data)
	open(4, "")
}
