package query_test

import (
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// trained is a model of each kind after a step or two.
func trained(t *testing.T, d *query.Data, name string, reciprocal bool) *query.Model {
	t.Helper()
	m := enginetest.Members()[name]
	s := query.DefaultSettings()
	s.Dim, s.Batch, s.Epochs, s.MaxSteps, s.Reciprocal = 8, 32, 1, 2, reciprocal
	s.Negatives, s.Margin = query.UsualNegatives(m.Kind, s.Dim)
	report, err := query.Train(t.Context(), cpu.New(1), query.Job{Data: d, Settings: s, Members: []query.Member{m}})
	if err != nil || report.Results[0].Err != nil {
		t.Fatal(err, report)
	}
	model := report.Results[0].Model
	if err := query.EvaluateModel(t.Context(), cpu.New(1), model, d, 2); err != nil {
		t.Fatal(err)
	}
	return model
}

// TestFolder: what is read is what was written, of every kind.
func TestFolder(t *testing.T) {
	d := enginetest.Data(t, 40, 3, 200)
	for name := range enginetest.Members() {
		for _, reciprocal := range []bool{false, true} {
			m := trained(t, d, name, reciprocal)
			dir := filepath.Join(t.TempDir(), "models", name)
			if err := m.Save(dir); err != nil {
				t.Fatal(name, err)
			}
			got, err := query.Load(dir)
			if err != nil {
				t.Fatal(name, err)
			}
			if !reflect.DeepEqual(got, m) {
				t.Errorf("%s, reciprocal %v: read %+v", name, reciprocal, got)
			}
			if got.Valid == nil || got.Valid.Queries == 0 || got.Test == nil {
				t.Errorf("%s: nothing is known of what it reached", name)
			}
		}
	}
}

// TestBilinearModelsAreOfCompletion: a path of one hop is a triple.
func TestBilinearModelsAreOfCompletion(t *testing.T) {
	d := enginetest.Data(t, 40, 3, 200)
	m, dir := trained(t, d, "complex", true), t.TempDir()
	if err := m.Save(dir); err != nil {
		t.Fatal(err)
	}
	got, err := kge.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	if !reflect.DeepEqual(got.Parameters, m.Parameters.Parameters) {
		t.Error("completion reads other numbers")
	}
	got.Valid, got.Test = &completion.Evaluation{}, &completion.Evaluation{}
	back := t.TempDir()
	if err := got.Save(back); err != nil {
		t.Fatal(err)
	}
	again, err := query.Load(back)
	if err != nil {
		t.Fatal(err)
	}
	if again.Kind != query.Bilinear || !reflect.DeepEqual(again.Parameters, m.Parameters) {
		t.Error("a model of completion is read with other numbers")
	}
	if again.Valid != nil || again.Test != nil {
		t.Error("the ranks of triples are read as those of queries")
	}
}

func TestFolderRefusals(t *testing.T) {
	d := enginetest.Data(t, 40, 3, 200)
	for _, c := range []struct{ name, old, new, want string }{
		{"complex", `"complex"`, `""`, "structure"},
		{"complex", `"dim": 8`, `"dim": 7`, "positive multiple of k"},
		{"complex", `"k": 4`, `"k": 2`, "one of them is wrong"},
		{"complex", `"bilinear"`, `"q2b"`, "q2b has no structure"},
		{"complex", `"bilinear"`, `"diag"`, "the structure of diag"},
		{"complex", `"bilinear"`, `"trance"`, `unknown model "trance"`},
		{"gqe", `"gqe"`, `"transe"`, "relations.npy"},
		{"gqe", `"gqe"`, `"bilinear"`, "structure is missing"},
		{"gqe", `"dim": 8`, `"dim": 9000000`, "at most"},
	} {
		m, dir := trained(t, d, c.name, false), t.TempDir()
		if err := m.Save(dir); err != nil {
			t.Fatal(err)
		}
		path := filepath.Join(dir, "model.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		old := c.old
		if old == `"complex"` { // a structure is written out
			old = `"` + m.Structure.String() + `"`
		}
		if !strings.Contains(string(text), old) {
			t.Fatalf("model.json has no %s:\n%s", old, text)
		}
		if err := os.WriteFile(path, []byte(strings.Replace(string(text), old, c.new, 1)), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := query.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s instead of %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	if _, err := query.Load(t.TempDir()); err == nil || !strings.Contains(err.Error(), "not a model folder") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestAlign: the numbers of entities and relations do not matter to a model, and
// what it does not know is named.
func TestAlign(t *testing.T) {
	d := enginetest.Data(t, 40, 3, 200)
	m := trained(t, d, "mixed", true)
	evaluate := func(m *query.Model) query.Evaluation {
		t.Helper()
		queries, err := m.Align(d, query.InTest, 3)
		if err != nil {
			t.Fatal(err)
		}
		scorer, err := cpu.New(1).NewScorer(m.Parameters)
		if err != nil {
			t.Fatal(err)
		}
		e, err := query.Evaluate(t.Context(), scorer, queries)
		if err != nil {
			t.Fatal(err)
		}
		return e
	}
	turned := *m // the same model with its rows the other way round
	turned.EntityLabels, turned.Entities = reversed(m.EntityLabels, m.Entities, m.Dim)
	turned.RelationLabels, turned.Relations = reversed(m.RelationLabels, m.Relations[:3*m.Dim], m.Dim)
	_, back := reversed(m.RelationLabels, m.Relations[3*m.Dim:], m.Dim)
	turned.Relations = append(turned.Relations, back...)
	if got, want := evaluate(&turned), evaluate(m); !same(got, want) {
		t.Errorf("with the rows the other way round %+v, want %+v", got, want)
	}
	turned.EntityLabels = m.EntityLabels
	if got, want := evaluate(&turned), evaluate(m); same(got, want) {
		t.Error("the labels of the rows do not matter")
	}
	turned.EntityLabels = append([]string{"nobody"}, m.EntityLabels[1:]...)
	if _, err := turned.Align(d, query.InTest, 3); err == nil || !strings.Contains(err.Error(), `no entity "e0"`) {
		t.Errorf("an entity that the model lacks: %v", err)
	}
	turned.EntityLabels, turned.RelationLabels = m.EntityLabels, []string{"nothing", "r1", "r2"}
	if _, err := turned.Align(d, query.InTest, 3); err == nil || !strings.Contains(err.Error(), `no relation "r0"`) {
		t.Errorf("a relation that the model lacks: %v", err)
	}
	if _, err := m.Align(d, query.InTest, 7); err == nil || !strings.Contains(err.Error(), "7 hops") {
		t.Errorf("paths that are not there: %v", err)
	}
}

// same is equality but for the order of sums.
func same(a, b query.Evaluation) bool {
	return a.Queries == b.Queries && a.Answers == b.Answers && math.Abs(a.MRR-b.MRR) < 1e-9 && math.Abs(a.MeanRank-b.MeanRank) < 1e-9
}

// reversed turns labels and their rows round.
func reversed(labels []string, rows []float32, dim int) ([]string, []float32) {
	names, numbers := slices.Clone(labels), []float32{}
	slices.Reverse(names)
	for i := len(labels) - 1; i >= 0; i-- {
		numbers = append(numbers, rows[i*dim:][:dim]...)
	}
	return names, numbers
}
