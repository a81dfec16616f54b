package datasets

import (
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets/facts"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// TestImport checks what is kept and dropped, and that the folder has the same graph.
func TestImport(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"one.csv": "subject,predicate,object,weight\n# by hand\na,knows,b,2\na,age,34,1\nb,age,31,1\n" +
			"b,knows,,1\nb,knows,c,1\nb,knows,c,5\n",
		"two.nt": "<x:a> <http://www.w3.org/1999/02/22-rdf-syntax-ns#type> <x:K> .\n" +
			"<x:a> <x:name> \"Anna\" .\n",
	})
	settings := DefaultImport()
	settings.Valid, settings.Test = 0, 0
	g, report, err := Import([]string{dir + "/one.csv", dir + "/two.nt"}, settings)
	if err != nil {
		t.Fatal(err)
	}
	want := &Graph{
		Name: "one", Entities: []string{"a", "b", "c", "x:a", "x:K"},
		Relations: []string{"knows", "http://www.w3.org/1999/02/22-rdf-syntax-ns#type"},
		Train:     []Triple{{0, 0, 1}, {1, 0, 2}, {3, 1, 4}}, Weights: []float32{2, 1, 8. / 3},
		Types: NewTypes(5, []string{"x:K"}, []EntityType{{3, 0}}),
	}
	if diff := cmp.Diff(want, g, ignoreIndex); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	wantDropped := facts.Drops{
		{Reason: facts.Comments, Count: 1, Example: dir + "/one.csv:2"},
		{Reason: facts.EmptyLabels, Count: 1, Example: dir + "/one.csv:6: b, knows, "},
		{Reason: droppedLiterals, Count: 3, Example: dir + "/two.nt:2: x:a, x:name, Anna"},
		{Reason: droppedDuplicates, Count: 1, Example: "(b, knows, c)"},
	}
	if diff := cmp.Diff(wantDropped, report.Dropped); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	out := filepath.Join(t.TempDir(), "one")
	if err := WriteFolder(g, out); err != nil {
		t.Fatal(err)
	}
	again, err := ReadFolder(out)
	if err != nil || again.Fingerprint() != g.Fingerprint() {
		t.Errorf("read again: %v, %+v", err, again)
	}
	types, err := os.ReadFile(out + "/entity2type.txt")
	if string(types) != "x:a\tx:K\n" || err != nil {
		t.Errorf("types %q, %v", types, err)
	}
	settings.Literals = true
	if g, _, err = Import([]string{dir + "/one.csv", dir + "/two.nt"}, settings); err != nil ||
		!slices.Contains(g.Entities, "34") || !slices.Contains(g.Entities, "Anna") {
		t.Errorf("with literals: %v, %v", err, g.Entities)
	}
}

// TestNumbersAsEntities checks that ids in digits are entities.
func TestNumbersAsEntities(t *testing.T) {
	for content, want := range map[string]int{
		"1\tr\t2\n3\tr\t4\n":                          2, // heads are numbers too
		"a\tr\t2\n2\tr\tb\n":                          2, // 2 is a head
		"a\tr\t1\nb\tr\tc\nc\tr\td\n":                 3, // most tails are no numbers
		"a\tr\t1\nb\tr\t-2.5e3\nc\tr\tInf\na\ts\tb\n": 2,
		"a\tr\t1\nb\tr\t\u00a02\nc\tr\t3 \na\ts\tb\n": 1, // with spaces
	} {
		g, _, err := Import([]string{writeFiles(t, map[string]string{"x.tsv": content}) + "/x.tsv"},
			ImportSettings{})
		if err != nil || len(g.Train) != want {
			t.Errorf("%q: %v, %+v; want %d facts", content, err, g, want)
		}
	}
}

// TestFileIsADataSet checks that a file opens like the folder of its import, with warnings.
func TestFileIsADataSet(t *testing.T) {
	train, err := os.ReadFile("world/train.txt")
	if err != nil {
		t.Fatal(err)
	}
	dir := writeFiles(t, map[string]string{
		"facts.csv": strings.ReplaceAll(string(train), "\t", ";") + "Norway;area;385207\n"})
	imported, _, err := Import([]string{dir + "/facts.csv"}, DefaultImport())
	if err != nil {
		t.Fatal(err)
	}
	opened, err := Open(dir + "/facts.csv")
	if err != nil || opened.Fingerprint() != imported.Fingerprint() || len(opened.Test) != 187 {
		t.Fatalf("%v, %+v", err, opened)
	}
	if w := opened.Warnings(); len(w) != 1 || !strings.Contains(w[0], "Norway, area, 385207") {
		t.Errorf("warnings %q", w)
	}
	if again, err := Open(opened.Source()); err != nil || again.Fingerprint() != opened.Fingerprint() {
		t.Errorf("from its source %q: %v", opened.Source(), err)
	}
}

// TestSplitByTime checks that no training fact is as late as one of valid, nor these as one of test,
// and that mirrored facts stay together.
func TestSplitByTime(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		g.Valid, g.Test = nil, nil
		g.Train = pick(g.Train, distinct(g.Train, len(g.Entities)))
		times := map[[3]string]float64{}
		for _, triple := range g.Train {
			at := float64(rapid.IntRange(1, 9).Draw(t, "time"))
			g.times = append(g.times, at)
			times[labelsOf(g, triple)] = at
		}
		s := SplitSettings{Valid: .2, Test: .2, By: ByTime, AllowLeakage: true}
		divided, _, err := SplitTriples(g, s)
		if err != nil {
			t.Fatal(err)
		}
		last := math.Inf(-1)
		for _, triples := range [][]Triple{divided.Train, divided.Valid, divided.Test} {
			latest := last
			for _, triple := range triples {
				at := times[labelsOf(divided, triple)]
				if at <= last {
					t.Fatalf("a fact of time %v follows a split with one of %v", at, last)
				}
				latest = max(latest, at)
			}
			last = latest
		}
		s.AllowLeakage = false
		if divided, _, err = SplitTriples(g, s); err != nil {
			t.Fatal(err)
		}
		checkTogether(t, divided, divided.Train, divided.Valid, divided.Test)
	})
}

// TestTimeCutLeavesSome checks that the earliest facts stay in train.
func TestTimeCutLeavesSome(t *testing.T) {
	for _, c := range []struct {
		times        []float64
		wanted, want int
	}{
		{[]float64{3, 2, 1}, 2, 2}, {[]float64{1}, 1, 0}, {[]float64{2, 2, 1}, 3, 2},
		{[]float64{1, 1, 1}, 2, 0}, {nil, 1, 0},
	} {
		if got := timeCut(c.times, c.wanted); got != c.want {
			t.Errorf("%v, %d wanted: %d, want %d", c.times, c.wanted, got, c.want)
		}
	}
}

func labelsOf(g *Graph, t Triple) [3]string {
	return [3]string{g.Entities[t.Head], g.Relations[t.Relation], g.Entities[t.Tail]}
}

// TestSplitByEntity checks that each test fact has an entity that no other split has, and another
// one that train has.
func TestSplitByEntity(t *testing.T) {
	all := World()
	all.Train, all.Valid, all.Test = slices.Concat(all.Train, all.Valid, all.Test), nil, nil
	g, report, err := SplitTriples(all, SplitSettings{Valid: .1, Test: .1, By: ByEntity, Seed: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(g.Test) < report.WantedTest*9/10 || len(g.Test) > report.WantedTest ||
		len(g.Valid) < report.WantedValid*9/10 {
		t.Errorf("%d valid and %d test facts of %+v", len(g.Valid), len(g.Test), report)
	}
	isIn := func(triples []Triple) map[int32]bool {
		entities := map[int32]bool{}
		for _, triple := range triples {
			entities[triple.Head], entities[triple.Tail] = true, true
		}
		return entities
	}
	inTrain, elsewhere := isIn(g.Train), isIn(slices.Concat(g.Train, g.Valid))
	for _, triple := range g.Test {
		if elsewhere[triple.Head] && elsewhere[triple.Tail] {
			t.Errorf("the entities of %s are known", g.Text(triple))
		}
	}
	lost := 0
	for _, triple := range g.Test {
		if !inTrain[triple.Head] && !inTrain[triple.Tail] {
			lost++
		}
	}
	if lost*10 > len(g.Test) {
		t.Errorf("%d of %d test facts have two unknown entities", lost, len(g.Test))
	}
	if leaks := g.Leakage("test"); leaks != nil {
		t.Errorf("leakage: %q", leaks)
	}
}

// TestBlankNodesOfFiles checks that a blank node belongs to its file, and a label of CSV does not.
func TestBlankNodesOfFiles(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"one.nt": "_:x <x:r> <x:a> .\n<x:a> <x:r> _:x .\n", "two.nt": "_:x <x:r> <x:b> .\n",
		"three.csv": "head,relation,tail\n_:x,x:r,x:c\n",
	})
	settings := DefaultImport()
	settings.Valid, settings.Test = 0, 0
	g, _, err := Import([]string{dir + "/one.nt", dir + "/two.nt", dir + "/three.csv"}, settings)
	if want := []string{"_:x", "x:a", "_:file2-x", "x:b", "x:c"}; err != nil ||
		!slices.Equal(g.Entities, want) {
		t.Errorf("%v, %v, want %v", err, g.Entities, want)
	}
}

// TestTimes checks the texts of times and their errors.
func TestTimes(t *testing.T) {
	order := [][]string{
		{"-1", "0", "1e3", "2024"},
		{"1066-10-14", "1969-12-31", "2024-02-29", "2024-02-29T00:00:01Z",
			"2024-02-29 12:00:00", "2024-03", "2024/03/02", "2300-01-01"},
	}
	for _, texts := range order {
		var c clock
		last := math.Inf(-1)
		for _, text := range texts {
			at, err := c.parse(text)
			if err != nil || at <= last {
				t.Errorf("%q is %v after %v, %v", text, at, last, err)
			}
			last = at
		}
	}
	for _, text := range []string{"", "soon", "NaN", "2024-02-30", "2024-02-29"} {
		c := clock{numbers: true}
		at, err := c.parse(text)
		isSkipped := errors.Is(err, facts.ErrMalformed) // by Lenient
		if err == nil || isSkipped != (text != "2024-02-29") {
			t.Errorf("%q is %v, %v", text, at, err)
		}
	}
}

// TestQuotedLabels checks that quotes of a CSV writer in a folder are no part of labels, and that
// every label is read as it was written.
func TestQuotedLabels(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"train.txt": "\"New \"\"York\"\"\"\tin\t\"US\"\n\"a\"\t\"r\"\t\"b\"\nNew \"York\"\tin\tUS\n"})
	g, err := ReadFolder(dir)
	want := []string{`New "York"`, `"US"`, "a", "b", "US"}
	if err != nil || !slices.Equal(g.Entities, want) {
		t.Errorf("%v, %q; want %q", err, g.Entities, want)
	}
	label := rapid.StringOf(rapid.SampledFrom([]rune(`"ab `)))
	rapid.Check(t, func(t *rapid.T) {
		cells := []string{label.Draw(t, "head"), label.Draw(t, "relation"), label.Draw(t, "tail")}
		quoted := []string{facts.Quote(cells[0]), facts.Quote(cells[1]), facts.Quote(cells[2])}
		if facts.Unquote(quoted); !slices.Equal(quoted, cells) {
			t.Errorf("%q became %q", cells, quoted)
		}
	})
}

// TestCommentedFactsAreAWarning: a fact that looks like a comment is not left out without a word.
func TestCommentedFactsAreAWarning(t *testing.T) {
	path := filepath.Join(t.TempDir(), "facts.tsv")
	if err := os.WriteFile(path, []byte("#1 Dads\tgenre\tcomedy\na\tr\tb\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	g, err := ReadFile(path)
	if err != nil || !slices.ContainsFunc(g.Warnings(), func(w string) bool {
		return strings.Contains(w, "#1 Dads")
	}) {
		t.Errorf("%v, %v", g.Warnings(), err)
	}
}

// TestImportSaysTheFix checks what an import says about a line of titles that no column names, and
// about a file with nothing but literals.
func TestImportSaysTheFix(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"titles.csv": "who,does,what\na,likes,b\nb,likes,c\nc,knows,a\na,knows,c\n",
		"commas.csv": "\"who, first\",does,what\na,likes,b\nb,likes,c\nc,knows,a\na,knows,c\n",
		"ages.tsv":   "a\tage\t3\nb\tage\t4\n",
	})
	for file, want := range map[string]string{
		"titles.csv": "remove it if it is a header, or name the columns, head=who,relation=does,tail=what",
		"commas.csv": "remove it if it is a header",
	} {
		g, _, err := Import([]string{filepath.Join(dir, file)}, DefaultImport())
		if err != nil || len(g.warnings) != 1 || !strings.HasSuffix(g.warnings[0], want) {
			t.Errorf("%s: %v, %v: want %q", file, g, err, want)
		}
	}
	_, _, err := Import([]string{filepath.Join(dir, "ages.tsv")}, DefaultImport())
	if err == nil || !strings.HasSuffix(err.Error(), "; the setting literals keeps them") {
		t.Errorf("%v", err)
	}
}
