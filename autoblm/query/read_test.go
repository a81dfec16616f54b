package query

import (
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// small returns the files of a folder of queries about three entities.
func small() map[string]string {
	return map[string]string{
		"entities.txt":  "0\ta\n1\tb\n2\tc\n",
		"relations.txt": "0\tr\n1\tr_reverse\n",
		"train-1p.txt":  "0\t0\t1\n1\t1\t0\n",
		"train-2p.txt":  "0\t0,1\n1\t1,0\t1\n",
		"valid-1p.txt":  "1\t0\t2\t\n2\t1\t1\t\n",
		"valid-2p.txt":  "0\t0,0\t2\t\n",
		"test-2p.txt":   "\uFEFF0\t0,1\t2,2\t1,0\r\n2\t1,1\t1\n\n",
	}
}

func folder(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "small")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestReadFolder(t *testing.T) {
	d, err := Open(folder(t, small()))
	if err != nil {
		t.Fatal(err)
	}
	if d.Name != "small" || !reflect.DeepEqual(d.Relations, []string{"r"}) ||
		!reflect.DeepEqual(d.Hops(InTrain), []int{1, 2}) || d.Hops(InTest)[0] != 2 {
		t.Errorf("read %s with relations %v and paths of %v and %v hops", d.Name, d.Relations,
			d.Hops(InTrain), d.Hops(InTest))
	}
	for _, c := range []struct {
		split Split
		want  []Query
	}{
		{InTrain, []Query{{0, []int32{0, 1}, []int32{0}, nil}, {1, []int32{1, 0}, []int32{1}, nil}}},
		{InValid, []Query{{0, []int32{0, 0}, []int32{2}, nil}}},
		{InTest, []Query{{0, []int32{0, 1}, []int32{2}, []int32{0, 1}},
			{2, []int32{1, 1}, []int32{1}, nil}}},
	} {
		if got := d.Queries(c.split, 2); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%v: %v, want %v", c.split, got, c.want)
		}
	}
	one, err := ReadFolder(d.Folder, 1)
	if err != nil || one.Queries(InTrain, 2) != nil || one.Queries(InTrain, 1) == nil {
		t.Errorf("asked for one hop: paths of %v hops, %v", one.Hops(InTrain), err)
	}
}

// TestMistakes checks that each error is one line with the file, the line and the fix.
func TestMistakes(t *testing.T) {
	for _, c := range []struct{ file, content, want string }{
		{"train-2p.txt", "0\t0,1\n3\t0,1\n",
			`train-2p\.txt:2: unknown entity 3: the ids run from 0 to 2`},
		{"test-2p.txt", "0\t0,2\t1\t\n", `test-2p\.txt:1: unknown relation 2: the ids run from 0 to 1`},
		{"valid-2p.txt", "0\t0,0\t9\t\n", `valid-2p\.txt:1: unknown entity 9`},
		{"valid-2p.txt", "0\t0,0\t1\t-1\n", `valid-2p\.txt:1: unknown entity -1`},
		{"valid-2p.txt", "0\t0,0\t\t1\n",
			`valid-2p\.txt:1: a query without answers: expected anchor<TAB>r1,r2<TAB>hard answers<TAB>other answers`},
		{"train-2p.txt", "2\t0,1\n",
			`train-2p\.txt:1: the path has no end point in the training graph`},
		{"train-1p.txt", "2\t0\n", `train-1p\.txt:1: a query without answers`},
		{"train-2p.txt", "0\t0\n",
			`train-2p\.txt:1: a path of 1 relations in a file of paths of 2: move it to train-1p\.txt`},
		{"train-2p.txt", "0\tr,1\n", `train-2p\.txt:1: "r" is not the id of a relation`},
		{"train-2p.txt", "a\t0,1\n", `train-2p\.txt:1: "a" is not the id of a entity`},
		{"train-2p.txt", "0 0,1\n",
			`train-2p\.txt:1: found 1 tab-separated fields: expected anchor<TAB>r1,r2`},
		{"train-2p.txt", "0\t0,1\t0\t1\n", `train-2p\.txt:1: found 4 tab-separated fields`},
		{"train-2p.txt", "0,1\t0,1\n", `train-2p\.txt:1: found 2 anchors`},
		{"test-2p.txt", "0\t0,1\t1,2\t2\n",
			`test-2p\.txt:1: entity 2 is a hard answer and another answer`},
		{"train-2p.txt", "0\t0,1\n\n0\t0,1\n", `train-2p\.txt:2: empty line`},
		{"train-1p.txt", "", `train-1p\.txt: the file is empty`},
		{"entities.txt", "0\ta\n2\tb\n", `entities\.txt:2: "2\\tb": expected 1<TAB>name`},
		{"entities.txt", "0\ta\n0\tb\n", `entities\.txt:2: "0\\tb": expected 1<TAB>name`},
		{"entities.txt", "0\ta\n1\ta\n", `entities\.txt:2: the label "a" is also on line 1`},
		{"entities.txt", "0\ta\n1\t\n", `entities\.txt:2: the label is empty`},
		{"entities.txt", "a\t0\n", `entities\.txt:1: "a\\t0": expected 0<TAB>name`},
		{"relations.txt", "0\tr\n", `relations\.txt: 1 relations: an even number is needed`},
		{"relations.txt", "0\tr\n1\ts\n",
			`relations\.txt: relation 1 is "s": as the reverse of relation 0 it must be called "r_reverse"`},
	} {
		files := small()
		files[c.file] = c.content
		_, err := Open(folder(t, files))
		if err == nil || !regexp.MustCompile(c.want).MatchString(err.Error()) ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s %q: %v, want %s", c.file, c.content, err, c.want)
		}
	}
	for _, missing := range []string{"entities.txt", "relations.txt", "train-1p.txt"} {
		files := small()
		delete(files, missing)
		if _, err := Open(folder(t, files)); err == nil ||
			!strings.Contains(err.Error(), missing+" is missing") {
			t.Errorf("without %s: %v", missing, err)
		}
	}
	if _, err := Open("no-such-data"); err == nil || !strings.Contains(err.Error(), "no data set") {
		t.Errorf("no such data: %v", err)
	}
}

// TestWrittenOnce checks that existing queries are found in any folder and not overwritten.
func TestWrittenOnce(t *testing.T) {
	d := FromGraph(datasets.World())
	t.Chdir(t.TempDir())
	t.Setenv("AUTOBLM_DATA", t.TempDir())
	for _, dir := range []string{filepath.Join(os.Getenv("AUTOBLM_DATA"), "q"), "q", "my[queries]"} {
		if err := d.WriteFolder(dir); err != nil {
			t.Fatal(err)
		}
		if err := d.WriteFolder(dir); err == nil ||
			!strings.Contains(err.Error(), "already holds queries") {
			t.Errorf("%s, written twice: %v", dir, err)
		}
	}
}

// TestRoundTrip checks that queries of all splits and the graphs read back as written.
func TestRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		d := FromGraph(graphOf(rt))
		for split := range Split(splits) {
			for hops := range rapid.IntRange(0, 3).Draw(rt, "hops") {
				if _, err := d.Sample(rt.Context(), Sample{Split: split, Hops: hops + 1,
					Count: 5}); err != nil && split == InTrain && hops == 0 {
					rt.Fatal(err)
				}
			}
		}
		dir := filepath.Join(t.TempDir(), "written")
		if err := d.WriteFolder(dir); err != nil {
			rt.Fatal(err)
		}
		if err := d.WriteFolder(dir); err == nil ||
			!strings.Contains(err.Error(), "already holds queries") {
			rt.Fatalf("written twice: %v", err)
		}
		back, err := Open(dir)
		if err != nil {
			rt.Fatal(err)
		}
		if !reflect.DeepEqual(back.Entities, d.Entities) ||
			!reflect.DeepEqual(back.Relations, d.Relations) {
			rt.Fatalf("labels %v and %v are read back as %v and %v", d.Entities, d.Relations, back.Entities,
				back.Relations)
		}
		for split := range Split(splits) {
			for _, hops := range d.Hops(split) {
				if !reflect.DeepEqual(normal(back.Queries(split, hops)), normal(d.Queries(split, hops))) {
					rt.Fatalf("%v queries of %d hops: %v, read back %v", split, hops, d.Queries(split, hops),
						back.Queries(split, hops))
				}
			}
			if !reflect.DeepEqual(back.graphs[split], d.graphs[split]) {
				rt.Fatalf("the graph of %v is another when read back", split)
			}
		}
	})
}

// normal replaces empty lists by nil.
func normal(queries []Query) (all []Query) {
	for _, q := range queries {
		if len(q.Easy) == 0 {
			q.Easy = nil
		}
		all = append(all, q)
	}
	return all
}

// FuzzQueries: whatever the text, there is an error of one line that says where,
// or queries that hold what is promised of them.
func FuzzQueries(f *testing.F) {
	for name, content := range small() {
		if strings.Contains(name, "p.txt") {
			f.Add(content, uint8(0), uint8(2))
			f.Add(content, uint8(2), uint8(1))
		}
	}
	f.Add("0\t0,1,0\t1,\t\n", uint8(1), uint8(3))
	f.Add("0\t99999999999\t1\t2\n\xff", uint8(1), uint8(1))
	f.Add(",\t,\t,\t,\n", uint8(2), uint8(2))
	f.Fuzz(func(t *testing.T, content string, split, hops uint8) {
		d := FromGraph(&datasets.Graph{Entities: []string{"a", "b", "c"}, Relations: []string{"r"},
			Train: []datasets.Triple{{Head: 0, Tail: 1}}})
		r := d.reader(Split(split%splits), 1+int(hops%4))
		err := datasets.VisitLines("some.txt", strings.NewReader(content), r.line)
		if err != nil {
			if !strings.HasPrefix(err.Error(), "some.txt:") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q: want one line that begins with the file's name", err)
			}
			return
		}
		for _, q := range r.queries {
			if len(q.Relations) != r.hops || len(q.Hard) == 0 || q.Anchor < 0 || q.Anchor > 2 {
				t.Fatalf("read %v", q)
			}
			if e := Rank(make([]float32, 3), q); len(e) != len(q.Hard) {
				t.Fatalf("%v has %d ranks", q, len(e))
			}
		}
	})
}

// TestPathBeforeName checks that queries or a graph in a folder have precedence over queries of
// that name, that a name has precedence over another folder, and that a note says what was opened.
func TestPathBeforeName(t *testing.T) {
	data, here := t.TempDir(), t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(here)
	put := func(dir string, files map[string]string) {
		t.Helper()
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
				t.Fatal(err)
			}
		}
	}
	open := func(folder, says string) {
		t.Helper()
		d, err := Open("q")
		if err != nil || d.Folder != filepath.Join(folder, "q") {
			t.Fatalf("%+v, %v; want what is in %s", d, err, folder)
		}
		if said := strings.Join(d.Warnings(t.Context(), nil), "; "); !strings.Contains(said, says) || says == "" &&
			said != "" {
			t.Errorf("warnings %q, want %q", said, says)
		}
	}
	put(filepath.Join(data, "q"), small())
	open(data, "")
	put("q", map[string]string{"notes.txt": "x"})
	open(data, "no such data")
	put("q", map[string]string{"train.txt": "a\tr\tb\n"})
	open(here, "is the folder ")
	put("q", small())
	open(here, "is the folder ")
	if _, err := Open("./q"); err != nil {
		t.Error(err)
	}
	d, err := Open("q")
	if err != nil {
		t.Fatal(err)
	}
	if err := d.WriteFolder("q"); err == nil ||
		!strings.Contains(err.Error(), "already holds queries") {
		t.Errorf("queries are written over: %v", err)
	}
	put("m", map[string]string{"entities.txt": "a\nb\n", "model.json": "{}"})
	if err := d.WriteFolder("m"); err == nil || !strings.Contains(err.Error(), "not of queries") {
		t.Errorf("labels of a model are written over: %v", err)
	}
	if err := CanWrite(filepath.Join("m", "model.json", "q")); err == nil ||
		!strings.Contains(err.Error(), "is a file") {
		t.Errorf("below a file: %v", err)
	}
	if err := CanWrite(filepath.Join("m", "new", "q")); err != nil {
		t.Error(err)
	}
	if entries, err := os.ReadDir("m"); len(entries) != 2 || err != nil {
		t.Errorf("what was only asked left %v, %v", entries, err)
	}
}

// TestReverseNamesAreUnique checks that a graph with a relation named like a reverse is refused,
// when it is opened for paths and when its queries are written.
func TestReverseNamesAreUnique(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "people")
	g := &datasets.Graph{
		Name: "people", Entities: []string{"a", "b"}, Relations: []string{"likes_reverse", "likes"},
		Train: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 1, Tail: 0}},
	}
	if err := datasets.WriteFolder(g, dir); err != nil {
		t.Fatal(err)
	}
	_, opening := Open(dir)
	writing := FromGraph(g).WriteFolder(filepath.Join(t.TempDir(), "queries"))
	for _, err := range []error{opening, writing} {
		if err == nil || !strings.Contains(err.Error(), `has the name of the reverse of "likes": rename it`) {
			t.Error(err)
		}
	}
}

// TestTypesRoundTrip checks that the declared types of entities are written and read, and that an old
// file of types is not overwritten.
func TestTypesRoundTrip(t *testing.T) {
	g := &datasets.Graph{
		Name: "g", Entities: []string{"a", "\"b\"", "c"}, Relations: []string{"r"},
		Train: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 0, Tail: 2}},
		Types: datasets.NewTypes(3, []string{"x", "y"},
			[]datasets.EntityType{{Entity: 1, Type: 1}, {Entity: 2, Type: 0}, {Entity: 2, Type: 1}}),
	}
	dir := filepath.Join(t.TempDir(), "queries")
	if err := FromGraph(g).WriteFolder(dir); err != nil {
		t.Fatal(err)
	}
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	for e := range int32(3) {
		var got, want []string
		for _, of := range d.types.Of(e) {
			got = append(got, d.types.Labels[of])
		}
		for _, of := range g.Types.Of(e) {
			want = append(want, g.Types.Labels[of])
		}
		slices.Sort(got)
		slices.Sort(want)
		if !slices.Equal(got, want) {
			t.Errorf("%s has types %q, want %q", g.Entities[e], got, want)
		}
	}
	other := folder(t, map[string]string{"entity2type.txt": "a\tx\n"})
	if err := CanWrite(other); err == nil || !strings.Contains(err.Error(), "entity2type.txt that is not of queries") {
		t.Error(err)
	}
}

// TestMistypedName checks that an error suggests queries with a similar name.
func TestMistypedName(t *testing.T) {
	data := t.TempDir()
	t.Setenv("AUTOBLM_DATA", data)
	if err := FromGraph(datasets.World()).WriteFolder(filepath.Join(data, "query2box-fb15k-237")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open("query2box-fb15k-23"); err == nil ||
		!strings.Contains(err.Error(), "there are queries in query2box-fb15k-237") {
		t.Error(err)
	}
}
