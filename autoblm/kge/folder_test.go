package kge_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/npy"
	"github.com/autoblm/autoblm-go/internal/npy/npytest"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// comparables are types without exported fields, which cmp compares as Go does, and JSON,
// whatever its spaces.
var comparables = cmp.Options{
	cmpopts.EquateComparable(structure.Structure{}, form.Form{}),
	cmp.Transformer("compact", func(text json.RawMessage) string {
		var compact bytes.Buffer
		if err := json.Compact(&compact, text); err != nil {
			return string(text)
		}
		return compact.String()
	}),
}

func mustMarshal(t *testing.T, x any) json.RawMessage {
	t.Helper()
	text, err := json.Marshal(x)
	require.NoError(t, err)
	return text
}

func mustSave(t *testing.T, m *kge.Model, dir string) {
	t.Helper()
	require.NoError(t, m.Save(dir))
}

func checkLoads(t *testing.T, dir string, want *kge.Model) {
	t.Helper()
	got, err := kge.Load(dir)
	require.NoError(t, err)
	if diff := cmp.Diff(want, got, comparables); diff != "" {
		t.Errorf("read otherwise than written (-want +got):\n%s", diff)
	}
}

func fileNames(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	require.NoError(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func writeFile(t testing.TB, dir, name, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(content), 0o600))
}

func TestSaveAndLoad(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "models", "best") // neither exists
	m := enginetest.SmallModel()
	m.Training.Settings.Optimizer = kge.Adam
	m.Training.Member.L2 = 0.25
	ranks := []eval.Ranked{{Tail: eval.Rank{Better: 1}}}
	m.Valid = mustMarshal(t, completion.Summarize(ranks, eval.Realistic))
	mustSave(t, m, dir)
	checkLoads(t, dir, m)

	// Another model in the same folder has fewer entities and no training.
	other := enginetest.SmallModel()
	other.EntityLabels, other.Entities = []string{"größte Stadt", " a b "}, other.Entities[:16]
	other.Training, other.Dataset = nil, ""
	mustSave(t, other, dir)
	checkLoads(t, dir, other)
	want := []string{
		"entities.npy", "entities.txt", "model.json", "relations.npy", "relations.txt",
	}
	if got := fileNames(t, dir); !slices.Equal(got, want) {
		t.Errorf("the folder has %v, want %v", got, want)
	}
}

func TestFilesForOtherPrograms(t *testing.T) {
	dir := t.TempDir()
	m := enginetest.SmallModel()
	mustSave(t, m, dir)
	read := func(name string) string {
		content, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(t, err)
		return string(content)
	}
	if got := read("entities.txt"); got != "e0\ne1\ne2\ne3\ne4\ne5\ne6\n" {
		t.Errorf("entities.txt is %q", got)
	}
	if got := read("relations.txt"); got != "knows\nlikes\n" {
		t.Errorf("relations.txt is %q", got)
	}
	for name, header := range map[string]string{
		"entities.npy":  "{'descr': '<f4', 'fortran_order': False, 'shape': (7, 8), }",
		"relations.npy": "{'descr': '<f4', 'fortran_order': False, 'shape': (2, 8), }",
	} {
		if got := read(name); !strings.HasPrefix(got[10:], header) {
			t.Errorf("%s begins with %q, want %q", name, got[10:80], header)
		}
	}
	var description struct {
		Structure, Dataset string
		K, Dim             int
		Training           struct {
			Settings struct {
				Optimizer string
				Epochs    int
			}
			Member map[string]any
		}
	}
	require.NoError(t, json.Unmarshal([]byte(read("model.json")), &description))
	d, training := description, description.Training
	if d.Structure != "1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2" || d.K != 4 || d.Dim != 8 ||
		d.Dataset != "small" || training.Settings.Optimizer != "adagrad" ||
		training.Settings.Epochs != 60 || training.Member["learning_rate"] != 0.3 {
		t.Errorf("model.json has %+v", d)
	}
}

// foreignFolder is a model of 3 entities and 1 relation with K=4 and dim 4, as
// another program writes it; changes replace files, and "" removes one.
func foreignFolder(t testing.TB, changes map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	entities := []float64{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	relations := []float32{0.5, 0.25, 2, -1}
	files := map[string]string{
		"model.json":    `{"structure": "complex", "k": 4, "dim": 4}`,
		"entities.txt":  "Ada\nBob\nCy\n",
		"relations.txt": "knows\n",
		"entities.npy":  string(npytest.File(1, npytest.Header("<f8", "False", "(3, 4)"), entities)),
		"relations.npy": string(npytest.File(1, npytest.Header("<f4", "False", "(1, 4)"), relations)),
	}
	for name, content := range changes {
		files[name] = content
	}
	for name, content := range files {
		if content != "" {
			writeFile(t, dir, name, content)
		}
	}
	return dir
}

func TestLoadWhatOtherProgramsWrite(t *testing.T) {
	entities := []float32{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}
	want := &kge.Model{
		Parameters: kge.Parameters{
			Structure: structure.MustParse("complex"), Dim: 4,
			Tables: kge.Tables{Entities: entities, Relations: []float32{0.5, 0.25, 2, -1}},
		},
		EntityLabels: []string{"Ada", "Bob", "Cy"}, RelationLabels: []string{"knows"},
	}
	const matrix = "1,0,3,0;0,2,0,4;-3,0,1,0;0,-4,0,2"
	const array = "[[1,0,3,0],[0,2,0,4],[-3,0,1,0],[0,-4,0,2]]"
	described := func(structure string) map[string]string {
		const text = `{"structure": %s, "k": 4, "dim": 4, "author": {"name": "someone"}}`
		return map[string]string{"model.json": fmt.Sprintf(text, structure)}
	}
	for name, changes := range map[string]map[string]string{
		"only what is needed":     nil,
		"rows":                    described(`"` + matrix + `"`),
		"an array in a string":    described(`"` + array + `"`),
		"an array":                described(array),
		"a name in capitals":      described(`"ComplEx"`),
		"another name":            described(`"hole"`),
		"CRLF":                    {"entities.txt": "Ada\r\nBob\r\nCy\r\n", "relations.txt": "knows\r\n"},
		"no last line end":        {"entities.txt": "Ada\nBob\nCy", "relations.txt": "knows"},
		"a byte-order mark":       {"entities.txt": "\uFEFFAda\nBob\nCy\n"},
		"entities in float32 too": {"entities.npy": string(npy.Encode(entities, 3, 4))},
	} {
		t.Run(name, func(t *testing.T) { checkLoads(t, foreignFolder(t, changes), want) })
	}
	t.Run("a record of training without the member", func(t *testing.T) {
		dir := foreignFolder(t, map[string]string{"model.json": `{"structure": "complex",
			"k": 4, "dim": 4, "training": {"settings": {"epochs": 7}}}`})
		m, err := kge.Load(dir)
		require.NoError(t, err)
		if m.Training.Settings.Epochs != 7 || m.Training.Member.Structure != m.Structure {
			t.Errorf("training %+v", m.Training)
		}
		mustSave(t, m, dir)
		checkLoads(t, dir, m)
	})
}

func TestLoadRefuses(t *testing.T) {
	type files = map[string]string
	description := func(text string) files { return files{"model.json": text} }
	entities := func(content []byte) files { return files{"entities.npy": string(content)} }
	entityLabels := func(text string) files { return files{"entities.txt": text} }
	for _, test := range []struct {
		want    string // parts of the error, separated by |
		changes files
	}{
		{"not a model folder|no model.json", description("")},
		{"model.json: |invalid character", description("structure: complex\n")},
		{"model.json: |unexpected end", description(`{"structure": "complex", "k": 4,`)},
		{"model.json: ", description(`[1, 2]`)},
		{"model.json: |structure is missing", description(`{"k": 4, "dim": 4}`)},
		{"model.json: |structure is missing", description(`{"structure": null, "k": 4, "dim": 4}`)},
		{"model.json: |row 1|9", description(`{"structure": "1,9;2,1", "k": 2, "dim": 4}`)},
		{
			`model.json: |"rotate"|distmult`,
			description(`{"structure": "rotate", "k": 4, "dim": 4}`),
		},
		{
			`model.json: |structure "4"|array of arrays`,
			description(`{"structure": 4, "k": 4, "dim": 4}`),
		},
		{
			"model.json: |@/etc/hostname",
			description(`{"structure": "@/etc/hostname", "k": 4, "dim": 4}`),
		},
		{"model.json: |k is 2|4 rows", description(`{"structure": "complex", "k": 2, "dim": 4}`)},
		{"model.json: |k is 0|4 rows", description(`{"structure": "complex", "dim": 4}`)},
		{
			"model.json: |dim is 0|multiple of k, which is 4",
			description(`{"structure": "complex", "k": 4}`),
		},
		{
			"model.json: |dim is 6|multiple of k, which is 4",
			description(`{"structure": "complex", "k": 4, "dim": 6}`),
		},
		{
			"entities.npy: |shape [3 4]|[3 8]",
			description(`{"structure": "complex", "k": 4, "dim": 8}`),
		},
		{
			"model.json: |dim is 9223372036854775804|at most 1048576",
			description(`{"structure": "complex", "k": 4, "dim": 9223372036854775804}`),
		},
		{"model.json: |dim", description(`{"structure": "complex", "k": 4, "dim": "4"}`)},
		{
			"model.json: |translated model needs reverses",
			description(`{"form": "translated", "structure": "complex", "k": 4, "dim": 4}`),
		},
		{"entities.npy|cannot read the model", entities(nil)},
		{"relations.npy|cannot read the model", files{"relations.npy": ""}},
		{"entities.txt|cannot read the model", entityLabels("")},
		{"relations.txt|cannot read the model", files{"relations.txt": ""}},
		{
			"entities.npy: |[4 3]|[3 4]",
			entities(npytest.File(1, npytest.Header("<f4", "False", "(4, 3)"), make([]float32, 12))),
		},
		{
			`entities.npy: |"Bob"|NaN`,
			entities(npy.Encode([]float32{1, 1, 1, 1, 1, 1, float32(math.NaN()), 1, 1, 1, 1, 1}, 3, 4)),
		},
		{
			`relations.npy: |"knows"|-Inf`,
			files{"relations.npy": string(npy.Encode([]float32{1, 1, 1, float32(math.Inf(-1))}, 1, 4))},
		},
		{
			`entities.npy: |"Cy"|+Inf`,
			entities(npytest.File(1, npytest.Header("<f8", "False", "(3, 4)"), []float64{11: 1e300})),
		},
		{`entities.txt:3: |"Ada"|line 1`, entityLabels("Ada\nBob\nAda\n")},
		{"entities.txt:2: |empty", entityLabels("Ada\n\nCy\n")},
		{"entities.txt:4: |empty", entityLabels("Ada\nBob\nCy\n\n")},
		{"relations.txt:1: |empty", files{"relations.txt": "\n"}},
		{"entities.txt:1: |line end", entityLabels("Ada\rBob\rCy\r")},
		{"entities.npy: |[3 4]|[4 4]", entityLabels("Ada\nBob\nCy\nDi\n")},
	} {
		t.Run(test.want, func(t *testing.T) {
			dir := foreignFolder(t, test.changes)
			m, err := kge.Load(dir)
			require.Error(t, err, append(strings.Split(test.want, "|"), dir)...)
			if m != nil {
				t.Error("Load returned a model with the error")
			}
		})
	}
	_, err := kge.Load(filepath.Join(t.TempDir(), "nowhere"))
	require.Error(t, err, "nowhere", "not a model folder")
}

func TestSaveRefusesWhatLoadWould(t *testing.T) {
	type model = kge.Model
	nan := float32(math.NaN())
	for _, test := range []struct {
		want   string // parts of the error, separated by |
		change func(*model)
	}{
		{
			`entity label 3|"New\nYork"|line end`,
			func(m *model) { m.EntityLabels[2] = "New\nYork" },
		},
		{
			`relation label 2|"likes\r"|line end`,
			func(m *model) { m.RelationLabels[1] = "likes\r" },
		},
		{"entity label 1|byte-order mark", func(m *model) { m.EntityLabels[0] = "\uFEFFe0" }},
		{"entity label 7|empty", func(m *model) { m.EntityLabels[6] = "" }},
		{`relation label 2|"knows"|line 1`, func(m *model) { m.RelationLabels[1] = "knows" }},
		{
			"relation label|at least one",
			func(m *model) { m.RelationLabels, m.Relations = nil, nil },
		},
		{
			"entity table has 56 numbers|6 labels|48",
			func(m *model) { m.EntityLabels = m.EntityLabels[:6] },
		},
		{`"e1"|NaN|smaller learning rate`, func(m *model) { m.Entities[8] = nan }},
		{`"knows"|NaN`, func(m *model) { m.Relations[0] = nan }},
		{`"follows"|NaN`, func(m *model) { // a hyperplane and a translation of each relation
			*m = *transH("knows", "likes", "follows")
			m.Relations[4*m.Dim] = nan
		}},
		{"structure is missing", func(m *model) { m.Structure = structure.Structure{} }},
		{"dim is 0", func(m *model) { m.Dim = 0 }},
		{"translated model needs reverses", func(m *model) { m.Form = form.Translated }},
		{
			"cannot save the model|invalid character 'N'",
			func(m *model) { m.Test = json.RawMessage(`{"mrr":NaN}`) },
		},
	} {
		parts := strings.Split(test.want, "|")
		t.Run(test.want, func(t *testing.T) {
			dir := t.TempDir()
			older := enginetest.SmallModel()
			mustSave(t, older, dir)
			m := enginetest.SmallModel()
			test.change(m)
			require.Error(t, m.Save(dir), append(parts, "cannot save the model")...)
			checkLoads(t, dir, older)
			require.Error(t, m.Save(filepath.Join(dir, "new")), parts...)
			if _, err := os.Stat(filepath.Join(dir, "new")); err == nil {
				t.Error("Save created a folder")
			}
		})
	}
}

func TestSaveBelowAFile(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, dir, "file", "")
	for _, path := range []string{filepath.Join(dir, "file", "model"), filepath.Join(dir, "file")} {
		err := enginetest.SmallModel().Save(path)
		require.Error(t, err, "cannot write the model folder", "file")
	}
}

func FuzzLoad(f *testing.F) {
	table := npy.Encode([]float32{1, 2, 3, 4}, 2, 2)
	f.Add([]byte(`{"structure":"1,0;0,2","k":2,"dim":2}`), table, []byte("a\nb\n"))
	f.Add([]byte(`{"structure":[[1,-2],[2,1]],"k":2,"dim":4,"training":{"settings":{"optimizer":"adam"}}}`),
		npy.Encode([]float32{1, 2, 3, 4}, 1, 4), []byte("\uFEFFa\r\n"))
	f.Add([]byte(`{"structure":"1","k":1,"dim":1,"dataset":"d",`+
		`"valid":{"triples":1,"ties":"realistic","both":{"mrr":0.5}}}`),
		npytest.File(1, npytest.Header("<f8", "False", "(1, 1)"), []float64{1e300}), []byte("a"))
	f.Add([]byte(`{"structure":"1,0;0,2","k":2,"dim":9223372036854775806}`),
		npytest.File(2, npytest.Header("<f4", "False", "(2, 9223372036854775806)"), []float32{}),
		[]byte("a\nb"))
	f.Add([]byte(`{"structure":"@model.json","k":2,"dim":2}`), table, []byte("a\nb\n"))
	f.Add([]byte(`{"structure":null,"k":0,"dim":0}`), []byte(npytest.Magic), []byte("\n\n"))
	f.Fuzz(func(t *testing.T, description, table, labels []byte) {
		dir := t.TempDir()
		for name, content := range map[string][]byte{
			"model.json": description, "entities.npy": table, "relations.npy": table,
			"entities.txt": labels, "relations.txt": labels,
		} {
			writeFile(t, dir, name, string(content))
		}
		m, err := kge.Load(dir)
		if err != nil {
			if !strings.Contains(err.Error(), dir) || strings.Contains(err.Error(), "\n") {
				t.Fatalf("error %q: want one line that names a file", err)
			}
			return
		}
		again := filepath.Join(dir, "again")
		if err := m.Save(again); err != nil {
			t.Fatalf("a model that was read cannot be written: %v", err)
		}
		checkLoads(t, again, m)
	})
}

// TestReciprocalModel: a model with reverses has a row more for each relation,
// comes back whole, and ranks heads by the reverses.
func TestReciprocalModel(t *testing.T) {
	g := enginetest.SmallGraph()
	model := enginetest.SmallModel()
	model.Training.Settings.Reciprocal = true
	training := model.Training
	model.Parameters = kge.Initialize(completion.Data(g), training.Settings, training.Member)
	dir := t.TempDir()
	mustSave(t, model, dir)
	checkLoads(t, dir, model)
	relation := g.Relations[0]
	q := completion.Query{Relation: relation, Tail: g.Entities[2]}
	answers, err := completion.Single{Model: model}.Predict(nil, q, completion.PredictOptions{})
	require.NoError(t, err)
	row := func(table []float32, i int) (wide []float64) {
		for _, x := range table[i*8:][:8] {
			wide = append(wide, float64(x))
		}
		return wide
	}
	for _, a := range answers {
		head := slices.Index(g.Entities, a.Entity)
		tail, reverse := row(model.Entities, 2), row(model.Relations, len(g.Relations))
		want := model.Structure.Score(tail, reverse, row(model.Entities, head))
		if a.Score != want {
			t.Errorf("head %s scores %v, by the reverse %v", a.Entity, a.Score, want)
		}
	}
	model.Relations = model.Relations[:len(g.Relations)*8]
	require.Error(t, model.Save(t.TempDir()), "2 rows each")
}

// TestReciprocalIsRequired checks that reverses need "reciprocal" in model.json.
func TestReciprocalIsRequired(t *testing.T) {
	g := enginetest.SmallGraph()
	model := enginetest.SmallModel()
	model.Training.Settings.Reciprocal = true
	training := model.Training
	model.Parameters = kge.Initialize(completion.Data(g), training.Settings, training.Member)
	for name, c := range map[string]struct {
		change func(all map[string]any)
		says   string // "" where it loads
	}{
		"as written":      {func(map[string]any) {}, ""},
		"at the top only": {func(all map[string]any) { delete(all, "training") }, ""},
		"settings differ": {
			func(all map[string]any) { delete(all, "reciprocal") }, "correct the wrong one",
		},
		"nowhere": {
			func(all map[string]any) { delete(all, "reciprocal"); delete(all, "training") },
			`add "reciprocal": true to model.json`,
		},
		"false": {
			func(all map[string]any) { all["reciprocal"] = false }, "correct the wrong one",
		},
	} {
		dir := t.TempDir()
		mustSave(t, model, dir)
		text, err := os.ReadFile(filepath.Join(dir, "model.json"))
		require.NoError(t, err)
		var all map[string]any
		require.NoError(t, json.Unmarshal(text, &all))
		if all["form"] != "bilinear" || all["reciprocal"] != true || all["tables"] == nil {
			t.Errorf("model.json is %s, which lacks the form, reciprocal or the tables", text)
		}
		c.change(all)
		writeFile(t, dir, "model.json", string(mustMarshal(t, all)))
		back, err := kge.Load(dir)
		switch {
		case c.says != "":
			require.Error(t, err, c.says)
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case !back.Reciprocal || !slices.Equal(back.Relations, model.Relations):
			t.Errorf("%s: read without its reverses", name)
		}
	}
}

// transH returns a model of two entities, whose relations have two rows each.
func transH(relations ...string) *kge.Model {
	s, m := kge.DefaultSettings(), kge.Member{Form: form.TransH}
	s.Dim = 4
	d := &kge.Data{Entities: []string{"a", "b"}, Relations: relations, BothDirections: true}
	return &kge.Model{
		Parameters: kge.Initialize(d, s, m), Dataset: "d",
		EntityLabels: d.Entities, RelationLabels: d.Relations,
	}
}
