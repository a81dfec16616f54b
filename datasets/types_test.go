package datasets

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// typesOf returns the labels of the types of an entity, in alphabetical order.
func typesOf(g *Graph, entity string) (labels []string) {
	for _, of := range g.Types.Of(int32(slices.Index(g.Entities, entity))) {
		labels = append(labels, g.Types.Labels[of])
	}
	slices.Sort(labels)
	return labels
}

// TestTypes checks the types that a file and facts of rdf:type declare, and that they survive a
// written folder, a random split and another order of the entities.
func TestTypes(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"train.txt": "a\tr\tb\n\"say \"\"b\"\"\"\tr\ta\nb\trdf:type\tK\nb\tr\tc\n",
		"test.txt":  "c\trdf:type\tL\n",
		"entity2type.txt": "a\tK\na\tM\nb\tM\nb\tM\nelsewhere\tM\n" +
			"\"say \"\"b\"\"\"\t\"the \"\"M\"\"\"\n",
	})
	want := map[string][]string{"a": {"K", "M"}, "b": {"K", "M"}, "c": {"L"}, "K": nil,
		`say "b"`: {`the "M"`}}
	check := func(what string, g *Graph) {
		t.Helper()
		for entity, types := range want {
			if got := typesOf(g, entity); !slices.Equal(got, types) {
				t.Errorf("%s: types of %s %q, want %q", what, entity, got, types)
			}
		}
	}
	g, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	check("read", g)
	if len(g.Warnings()) > 1 { // labels that look alike
		t.Errorf("%q", g.Warnings())
	}
	out := filepath.Join(t.TempDir(), "out")
	if err := WriteFolder(g, out); err != nil {
		t.Fatal(err)
	}
	again, err := ReadFolder(out)
	if err != nil {
		t.Fatal(err)
	}
	check("read again", again)
	divided, _, err := SplitTriples(&Graph{Entities: g.Entities, Relations: g.Relations,
		Train: slices.Concat(g.Test, g.Train), Types: g.Types}, DefaultSplit())
	if err != nil {
		t.Fatal(err)
	}
	check("divided", divided)
	if other := g.Resplit(1); other.Types != g.Types {
		t.Error("a graph divided in another way has no types")
	}
}

// TestAlike compares the entities of the types of others with a list.
func TestAlike(t *testing.T) {
	types := NewTypes(6, []string{"K", "L"}, []EntityType{{0, 0}, {1, 0}, {1, 1}, {4, 1}, {5, 1}})
	for _, x := range []struct {
		given, want []int32
		hasTypes    bool
	}{
		{[]int32{0, 2}, []int32{0, 1, 2}, true},
		{[]int32{1}, []int32{0, 1, 4, 5}, true},
		{[]int32{2, 3}, []int32{2, 3}, false},
		{nil, nil, false},
	} {
		if got, has := types.Alike(x.given); !slices.Equal(got, x.want) || has != x.hasTypes {
			t.Errorf("%v: %v, %t, want %v, %t", x.given, got, has, x.want, x.hasTypes)
		}
	}
	if got, has := (*Types)(nil).Alike([]int32{1}); !slices.Equal(got, []int32{1}) || has {
		t.Errorf("without types: %v, %t", got, has)
	}
}

// TestWrongTypes checks the error of a malformed line and the warning about types of other labels.
func TestWrongTypes(t *testing.T) {
	dir := writeFiles(t, map[string]string{"train.txt": "a\tr\tb\n", "entity2type.txt": "a\tK\na K\n"})
	if _, err := ReadFolder(dir); err == nil ||
		!strings.Contains(err.Error(), "entity2type.txt:2: expected entity<TAB>type") {
		t.Errorf("a line without a tab: %v", err)
	}
	path := filepath.Join(dir, "entity2type.txt")
	if err := os.WriteFile(path, []byte("x:a\tK\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	g, err := ReadFolder(dir)
	if err != nil || g.Types != nil || !strings.Contains(strings.Join(g.Warnings(), " "),
		"entity2type.txt is about none of the entities") {
		t.Errorf("types of other labels: %v, %q", err, g.Warnings())
	}
}

func FuzzReadTypes(f *testing.F) {
	for _, seed := range []string{
		"", "a\tK\n", "a\tK\nb\tK\na\tL\n", "\"a\"\t\"K\"\n", "\"a\"\t\"\"\n", "a\n",
		"a\tK\tL\n", "\t\n", "\xff\t\x00\n", "a\tK\r\n",
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, content string) {
		dir := writeFiles(t, map[string]string{"train.txt": "a\tr\tb\n", "entity2type.txt": content})
		g, err := ReadFolder(dir)
		if err != nil {
			if !strings.Contains(err.Error(), "entity2type.txt") {
				t.Fatalf("the error does not name the file: %v", err)
			}
			return
		}
		if err := WriteFolder(g, filepath.Join(dir, "out")); err != nil {
			t.Fatal(err)
		}
		again, err := ReadFolder(filepath.Join(dir, "out"))
		if err != nil {
			t.Fatal(err)
		}
		for _, entity := range g.Entities {
			if want, got := typesOf(g, entity), typesOf(again, entity); !slices.Equal(want, got) {
				t.Fatalf("types of %q: %q, read back as %q", entity, want, got)
			}
		}
	})
}

// TestTypesOfBothRelations: the short and the whole name of rdf:type both declare types.
func TestTypesOfBothRelations(t *testing.T) {
	dir := writeFiles(t, map[string]string{
		"train.txt": "a\trdf:type\tK\nb\t" + typeLabels[0] + "\tL\nb\tr\ta\n",
	})
	g, err := ReadFolder(dir)
	if err != nil {
		t.Fatal(err)
	}
	if a, b := typesOf(g, "a"), typesOf(g, "b"); !slices.Equal(a, []string{"K"}) ||
		!slices.Equal(b, []string{"L"}) {
		t.Errorf("types %q and %q", a, b)
	}
}

// TestTypesOfAGrownGraph: entities that are newer than the types stay among those alike.
func TestTypesOfAGrownGraph(t *testing.T) {
	types := NewTypes(3, []string{"k"}, []EntityType{{0, 0}, {2, 0}})
	if alike, has := types.Alike([]int32{0, 1, 7}); !has || !slices.Equal(alike, []int32{0, 1, 2, 7}) {
		t.Errorf("%v, %v", alike, has)
	}
}
