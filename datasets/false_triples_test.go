package datasets

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestFalseTriples: false triples come from a fourth field as in WN11, with dev as valid, and from
// files of their own. A folder that is written has them, also with normal labels.
func TestFalseTriples(t *testing.T) {
	const train = "a\tr\tb\nb\tr\tc\nc\tr\ta\n"
	for name, files := range map[string]map[string]string{
		"field": {"train.txt": train, "dev.txt": "a\tr\tc\t1\nb\tr\tb\t-1\nnew\tr\ta\t-1\n",
			"test.txt": "b\tr\ta\t1\nc\tr\tc\t-1\na\tr\ta\t-1\n"},
		"train too": {"train.txt": strings.ReplaceAll(train, "\n", "\t1\n"),
			"dev.txt":  "b\tr\tb\t-1\na\tr\tc\t1\nnew\tr\ta\t-1\n",
			"test.txt": "c\tr\tc\t-1\na\tr\ta\t-1\nb\tr\ta\t1\n"},
		"files": {"train.txt": train, "valid.txt": "a\tr\tc\n", "test.txt": "b\tr\ta\n",
			"valid_neg.txt":      "b\tr\tb\nnew\tr\ta\n",
			"test_negatives.txt": "c\tr\tc\n\"a\"\t\"r\"\t\"a\"\n"},
	} {
		check := func(what string, g *Graph) {
			t.Helper()
			if !slices.Equal(g.Entities, []string{"a", "b", "c"}) || len(g.Train) != 3 ||
				!slices.Equal(g.Valid, []Triple{{0, 0, 2}}) || !slices.Equal(g.Test, []Triple{{1, 0, 0}}) ||
				!slices.Equal(g.FalseTriples("valid"), []Triple{{1, 0, 1}}) ||
				!slices.Equal(g.FalseTriples("test"), []Triple{{2, 0, 2}, {0, 0, 0}}) {
				t.Errorf("%s, %s: %+v", name, what, g)
			}
		}
		dir := writeFiles(t, files)
		g, err := ReadFolder(dir)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		check("read", g)
		if w := strings.Join(g.Warnings(), "\n"); !strings.Contains(w, "1 false triple of "+dir) ||
			!strings.Contains(w, "(new, r, a)") {
			t.Errorf("%s: %q", name, w)
		}
		if s := Describe(g); s.Valid.False != 1 || s.Test.False != 2 {
			t.Errorf("%s: %+v", name, s)
		}
		out := filepath.Join(t.TempDir(), "out")
		if err := WriteFolder(g, out); err != nil {
			t.Fatal(err)
		}
		settings := DefaultImport()
		settings.Normalize = true
		again, _, err := Import([]string{out}, settings)
		if err != nil {
			t.Fatal(err)
		}
		check("written and imported", again)
	}
}

// TestWrongFalseTriples checks the errors of malformed files, and of false triples where only true
// ones are expected.
func TestWrongFalseTriples(t *testing.T) {
	for want, files := range map[string]map[string]string{
		"train.txt: 1 false triple with -1 in the fourth field": {
			"train.txt": "a\tr\tb\t1\nb\tr\ta\t-1\n"},
		"valid_neg.txt:2: found 2 tab-separated fields": {
			"train.txt": "a\tr\tb\n", "valid_neg.txt": "a\tr\ta\na\tr\n"},
		"train.txt:1: found 4 tab-separated fields": {"train.txt": "a\tr\tb\t0.5\n"},
	} {
		_, err := ReadFolder(writeFiles(t, files))
		checkError(t, err, want)
	}
	dir := writeFiles(t, map[string]string{"facts.tsv": "a\tr\tb\t1\nb\tr\ta\t-1\n"})
	_, _, err := Import([]string{dir + "/facts.tsv"}, DefaultImport())
	checkError(t, err, "facts.tsv:1", "which triples are true, 1, and false, -1", "valid.txt")
}

// TestFalseTriplesAreNotCached: a graph whose splits have false triples is read from its files.
func TestFalseTriplesAreNotCached(t *testing.T) {
	useCache(t)
	dir := writeFiles(t, map[string]string{"train.txt": "a\tr\tb\n", "valid.txt": "b\tr\ta\t-1\n"})
	for range 2 {
		g, err := ReadFolder(dir)
		if err != nil || len(g.FalseTriples("valid")) != 1 {
			t.Fatalf("%+v, %v", g, err)
		}
		g.Warnings()
	}
}

// TestNormalizedFolder: an imported folder keeps its splits and types, and its labels are merged.
func TestNormalizedFolder(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"train.txt": "a\tr\tb\nb \tr\tc\n", "valid.txt": "a \tr\tc\n", "test.txt": "c\tr\tb \n",
		"entity2type.txt": "a\tK\na \tL\nb\tK\n",
	})
	settings := DefaultImport()
	settings.Normalize = true
	g, report, err := Import([]string{dir}, settings)
	if err != nil || report.Normalized != 2 || g.Warnings() != nil ||
		!slices.Equal(g.Entities, []string{"a", "b", "c"}) ||
		!slices.Equal(g.Train, []Triple{{0, 0, 1}, {1, 0, 2}}) || len(g.Valid) != 1 ||
		!slices.Equal(g.Test, []Triple{{2, 0, 1}}) || !slices.Equal(typesOf(g, "a"), []string{"K", "L"}) {
		t.Errorf("%+v, %+v, %v", g, report, err)
	}
	dir = writeFiles(t, map[string]string{
		"train.txt": "a\tr\tb\na \tr\tb\nb\tr\tc\n", "weights.txt": "3\n1\n2\n", "valid.txt": "a\tr\tc\n",
	})
	g, report, err = Import([]string{dir}, settings)
	if err != nil || len(g.Train) != 2 || !slices.Equal(g.Weights, []float32{3, 2}) ||
		len(report.Dropped) != 1 || report.Dropped[0].Count != 1 {
		t.Errorf("facts that become equal: %+v, %+v, %v", g, report, err)
	}
	settings.Valid = 0.2
	if _, _, err := Import([]string{dir}, settings); err == nil {
		t.Error("another share of valid has no effect")
	}
}
