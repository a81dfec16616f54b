package datasets

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWarnings checks that likely mistakes are reported with a fix, and valid data are not.
func TestWarnings(t *testing.T) {
	const train = "a\tr\tb\nb\tr\tc\nc\tp\ta\n"
	for name, c := range map[string]struct {
		files map[string]string
		want  []string
	}{
		"nothing": {map[string]string{"train.txt": train, "valid.txt": "a\tr\tc\n",
			"test.txt": "b\tp\ta\n"}, nil},
		"no valid, no test": {map[string]string{"train.txt": train, "valid.txt": ""},
			[]string{"data has no valid triples, so the best epoch, settings or structure cannot be " +
				"selected: add facts, or hold out some of train", "data has no test triples, so the selected model cannot " +
				"be evaluated"}},
		"titles": {map[string]string{"train.txt.gz": "\ufeffhead\trelation\ttail\n" + train,
			"valid.txt": "Head\tRelation\tTail\na\tr\tc\n", "test.txt": "b\tp\ta\n"},
			[]string{"the first line of DIR/train.txt.gz looks like column titles but is read as a fact: " +
				"remove it", "the first line of DIR/valid.txt looks",
				"1 of 2 valid triples have labels that train lacks"}},
		"other titles": {map[string]string{"train.tsv": "\"subject\"\t\"predicate\"\t\"object\"\n" +
			train, "valid.txt": "a\tr\tc\n", "test.txt": "b\tp\ta\n"}, []string{"the first line of " +
			"DIR/train.tsv looks"}},
		"letters": {map[string]string{"train.tsv": "s\tp\to\ns\tp\ta\no\tr\ta\n",
			"valid.txt": "a\tr\to\n", "test.txt": "s\tr\ta\n"}, nil},
		"letters as titles": {map[string]string{"train.tsv": "h\tr\tt\nx\tknows\ty\n",
			"valid.txt": "x\tknows\tx\n", "test.txt": "y\tknows\tx\n"}, []string{"the first line of " +
			"DIR/train.tsv looks"}},
		"unseen": {map[string]string{"train.txt": train, "valid.txt": "a\tr\td\na\tr\ta\n",
			"test.txt": "a\tq\tb\nd\tr\ta\nb\tr\tb\n"}, []string{"1 of 2 valid triples have",
			"2 of 3 test triples have labels that train lacks, so a model cannot learn these entities or " +
				"relations: remove the triples"}},
	} {
		dir := writeFiles(t, c.files)
		g, err := ReadFolder(dir)
		if err != nil {
			t.Fatal(name, err)
		}
		got := g.Warnings("valid", "test")
		if !slices.EqualFunc(got, c.want, func(got, want string) bool {
			return strings.Contains(got, strings.ReplaceAll(want, "DIR", dir))
		}) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
		if noticed := g.Warnings(); len(noticed) != strings.Count(strings.Join(c.want, "\n"),
			"the first line") {
			t.Errorf("%s: without a split %q", name, noticed)
		}
	}
	if got := World().Warnings("train", "valid", "test"); got != nil {
		t.Errorf("the embedded graph: %q", got)
	}
}

// TestLeakageIsAWarning checks the warnings about triples that another split has or implies, with
// their counts, and about missing known answers.
func TestLeakageIsAWarning(t *testing.T) {
	split, _, err := SplitTriples(familyGraph(200, 1), DefaultSplit())
	if err != nil {
		t.Fatal(err)
	}
	if got := split.Warnings("valid", "test"); got != nil {
		t.Errorf("a split without leakage: %q", got)
	}
	n := len(split.Test)
	for name, c := range map[string]struct {
		train, valid, test []Triple
		splits             []string
		want               []string
	}{
		"test in train": {slices.Concat(split.Train, split.Test[:3]), split.Valid, split.Test, nil,
			[]string{fmt.Sprintf("3 of %d test triples (%.1f %%) are in train too, such as "+
				"(%s, ", n, 300/float64(n), split.Entities[split.Test[0].Head])}},
		"valid is test": {split.Train, split.Test, split.Test, nil,
			[]string{fmt.Sprintf("%[1]d of %[1]d test triples (100.0 %%) are in valid too", n)}},
		"mirrored": {
			slices.Concat(split.Train, []Triple{{1, 0, 2}}), split.Valid, []Triple{{2, 1, 1}, {3, 4, 1}},
			nil, []string{"leakage: 50 % of test follow from train; 1 of 2 test triples (50.0 %) " +
				"follow by symmetric, inverse or duplicate relations, such as (" + split.Entities[2] +
				", child, " + split.Entities[1] + ") from (" + split.Entities[1] + ", parent, "}},
		"no valid": {split.Train, nil, split.Test, []string{"test"},
			[]string{"family has no valid triples: if the model knows some, they count as wrong"}},
		"with valid": {split.Train, split.Valid, split.Test, []string{"test"}, nil},
	} {
		g := &Graph{
			Name: "family", Entities: split.Entities, Relations: split.Relations,
			Train: c.train, Valid: c.valid, Test: c.test,
		}
		if c.splits == nil {
			c.splits = []string{"valid", "test"}
		}
		if got := g.Warnings(c.splits...); !slices.EqualFunc(got, c.want, strings.Contains) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(c.want, "\n"))
		}
	}
}

// TestKnownLeakage checks that the leakage of a benchmark is called known and cannot be fixed, and
// its brief form.
func TestKnownLeakage(t *testing.T) {
	for _, name := range []string{"wn18", "fb15k-237", "my graph"} {
		g := &Graph{
			Name: name, Entities: []string{"a;b"}, Relations: []string{"likes"},
			Train: []Triple{{100, 0, 0}}, Test: []Triple{{0, 0, 100}},
		}
		for i := range int32(100) { // a symmetric relation
			g.Entities = append(g.Entities, fmt.Sprint(i))
			g.Train = append(g.Train, Triple{i, 0, i + 1}, Triple{i + 1, 0, i})
		}
		warnings := g.Leakage("test")
		if len(warnings) != 1 || !strings.Contains(warnings[0], "1 of 1 test triples") {
			t.Fatalf("%s: %q", name, warnings)
		}
		want, fix := "leakage: 100 % of test follow from train", "split all triples anew"
		if _, known := benchmark(name); known {
			want, fix = "known "+want, "compare only with results on these splits"
		}
		if got := Brief(warnings[0]); got != want || !strings.Contains(warnings[0], fix) {
			t.Errorf("%s: brief %q, want %q; %q", name, got, want, warnings[0])
		}
	}
}

// TestBriefHasTheFix checks that a brief warning keeps a short fix.
func TestBriefHasTheFix(t *testing.T) {
	g, err := ReadFolder(writeFiles(t, map[string]string{
		"train.txt": "head\trelation\ttail\na\tr\tb\nb\tr\tc\n",
	}))
	if err != nil {
		t.Fatal(err)
	}
	warnings := g.Warnings("test")
	want := []string{"looks like column titles: remove it if it is a header",
		" has no test triples: add facts, or hold out some of train"}
	for i, warning := range warnings[:2] {
		if got := Brief(warning); !strings.HasSuffix(got, want[i]) {
			t.Errorf("%q", got)
		}
	}
}

// TestUncommonTitles checks that a first line is reported as titles if its labels occur nowhere
// else, and that a fact is not.
func TestUncommonTitles(t *testing.T) {
	const facts = "ada\twrote\tnotes\nada\tknew\tcharles\ncharles\tknew\tada\n" +
		"charles\twrote\tnotes\n"
	for first, want := range map[string]int{
		"person_name\tverb\tthing_name\n": 1,
		"0\t1\t2\n":                       1,
		"gene\tinteraction\tdisease\n":    1,
		"ada\tbuilt\tengines\n":           0, // ada is known
		"mary\twrote\tfrankenstein\n":     0, // wrote is known
		"":                                0,
	} {
		dir := writeFiles(t, map[string]string{
			"train.txt": first + facts, "valid.txt": first + "ada\twrote\tcharles\n",
		})
		g, err := ReadFolder(dir)
		if err != nil {
			t.Fatal(err)
		}
		if got := g.Warnings(); len(got) != 2*want {
			t.Errorf("%q: %q", first, got)
		}
	}
	// Facts that have nothing in common with others are no titles where there are several.
	dir := writeFiles(t, map[string]string{"train.txt": "a\tp\tb\nc\tq\td\n" + facts})
	if g, err := ReadFolder(dir); err != nil || g.Warnings() != nil {
		t.Errorf("%v, %q", err, g.Warnings())
	}
	for _, name := range []string{"umls", "nations", "kinship", "wn18rr", "fb15k-237"} {
		t.Run(name, func(t *testing.T) {
			if got := openReal(t, name).Warnings(); got != nil {
				t.Errorf("%q", got)
			}
		})
	}
}

// TestSeparatedOtherwise checks that the error for a file without tabs suggests a fix.
func TestSeparatedOtherwise(t *testing.T) {
	for content, want := range map[string]string{
		"head,relation,tail\na,r,b\n": "train.txt:1: found 1 tab-separated fields; expected " +
			"head<TAB>relation<TAB>tail (the fields seem to be separated by commas: replace these by tabs)",
		"a;r;b\n": "separated by semicolons: replace these by tabs",
		"a r b\n": "separated by spaces: replace these by tabs",
		"\thead\trelation\ttail\n0\ta\tr\tb\n": "train.txt:1: found 4 tab-separated fields; expected " +
			"head<TAB>relation<TAB>tail (the first column seems to number the rows: remove it)",
		"0\ta\tr\tb\n": "number the rows",
		"a,b\n":        "found 1 tab-separated fields; expected head<TAB>relation<TAB>tail",
		"a\tr\tb\nc,r,d\n": "train.txt:2: found 1 tab-separated fields; expected " +
			"head<TAB>relation<TAB>tail (the fields seem to be separated by commas",
	} {
		dir := writeFiles(t, map[string]string{"train.txt": content})
		_, err := ReadFolder(dir)
		checkError(t, err, want)
	}
	dir := writeFiles(t, map[string]string{"train.csv": "a,r,b\n"})
	_, err := ReadFolder(dir)
	checkError(t, err, "train.csv exists: replace its commas by tabs and rename it to train.tsv")
}
