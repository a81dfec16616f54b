package query_test

import (
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
)

// trained returns a model of a form after a few steps.
func trained(t *testing.T, d *query.Data, name string, reciprocal bool) *kge.Model {
	t.Helper()
	m := enginetest.Members()[name]
	s := query.BasicSettings()
	k := max(1, m.Structure.K())
	s.Dim, s.Batch, s.Epochs, s.MaxSteps, s.Reciprocal = (8+k-1)/k*k, 32, 1, 2, reciprocal
	s.Sampling = query.DefaultSampling(m.Form, s.Dim)
	report, err := job{data: d, settings: s, members: []kge.Member{m}}.train(t.Context(), 1)
	if err != nil || report.Results[0].Err != nil {
		t.Fatal(err, report)
	}
	model := report.Results[0].Model
	if _, err := query.EvaluateModel(t.Context(), cpu.New(1), model, d, eval.Options{}, 2); err != nil {
		t.Fatal(err)
	}
	return model
}

// rankerOf returns a ranker of a model.
func rankerOf(t *testing.T, m *kge.Model) kge.Ranker {
	t.Helper()
	ranker, err := cpu.New(1).NewRanker([]kge.Parameters{m.Parameters}, kge.Float32)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(ranker.Close)
	return ranker
}

// TestFolder checks that models of every form load as saved, and the entries of model.json that
// other programs may read.
func TestFolder(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	for name := range enginetest.Members() {
		for _, reciprocal := range []bool{false, true} {
			m, dir := trained(t, d, name, reciprocal), filepath.Join(t.TempDir(), "models", name)
			if err := m.Save(dir); err != nil {
				t.Fatal(err)
			}
			got := checkLoads(t, dir, m)
			for split, stored := range map[query.Split]json.RawMessage{query.InValid: got.Valid,
				query.InTest: got.Test} {
				want, err := query.Evaluate(t.Context(), rankerOf(t, got), 0, d.Queries(split, 2))
				if err != nil {
					t.Fatal(err)
				}
				var e query.Evaluation
				if err := json.Unmarshal(stored, &e); err != nil || e.Queries == 0 || e != want {
					t.Errorf("%s: %v is %s, want %+v (%v)", name, split, stored, want, err)
				}
			}
			path := filepath.Join(dir, "model.json")
			text, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			var of map[string]any
			if err := json.Unmarshal(text, &of); err != nil {
				t.Fatal(err)
			}
			training := of["training"].(map[string]any)
			_, hasStructure := of["structure"]
			if of["form"] != m.Form.String() || hasStructure != (m.Structure.K() > 0) ||
				training["settings"].(map[string]any)["batch"] != 32.0 ||
				!reflect.DeepEqual(training["task_settings"],
					map[string]any{"hops": []any{2.0}, "answer_power": 0.5}) {
				t.Errorf("%s: %v", name, of)
			}
			if m.Form == form.Diag { // which has only one structure
				plain := regexp.MustCompile(`"(structure|k)": .*,\n`).ReplaceAll(text, nil)
				if err := os.WriteFile(path, plain, 0o600); err != nil {
					t.Fatal(err)
				}
				checkLoads(t, dir, m)
			}
		}
	}
}

// checkLoads checks that a folder loads as a model.
func checkLoads(t *testing.T, dir string, want *kge.Model) *kge.Model {
	t.Helper()
	got, err := kge.Load(dir)
	if err != nil {
		t.Fatal(err)
	}
	equal := cmpopts.EquateComparable(structure.Structure{}, form.Form{})
	if diff := cmp.Diff(want, got, equal); diff != "" {
		t.Errorf("%s: %s", dir, diff)
	}
	return got
}

func TestFolderRefusals(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	for _, c := range []struct{ name, old, new, want string }{
		{"complex", `"complex"`, `""`, "structure"},
		{"complex", `"dim": 8`, `"dim": 7`, "positive multiple of k"},
		{"complex", `"k": 4`, `"k": 2`, "correct the wrong one"},
		{"complex", `"bilinear"`, `"q2b"`, "q2b has no structure"},
		{"complex", `"bilinear"`, `"diag"`, "diag has no structure but"},
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
		if err := os.WriteFile(path, []byte(strings.ReplaceAll(string(text), old, c.new)),
			0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := kge.Load(dir); err == nil || !strings.Contains(err.Error(), c.want) ||
			!strings.Contains(err.Error(), dir) {
			t.Errorf("%s instead of %s: %v, want %q", c.new, c.old, err, c.want)
		}
	}
	if _, err := kge.Load(t.TempDir()); err == nil ||
		!strings.Contains(err.Error(), "not a model folder") {
		t.Errorf("an empty folder: %v", err)
	}
}

// TestAlign checks that a model answers for any ids of entities and relations, and names unknown
// ones.
func TestAlign(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	m := trained(t, d, "mixed", true)
	evaluate := func(m *kge.Model) query.Evaluation {
		t.Helper()
		queries, err := d.Align(m, query.InTest, 3)
		if err != nil {
			t.Fatal(err)
		}
		e, err := query.Evaluate(t.Context(), rankerOf(t, m), 0, queries)
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
	if _, err := d.Align(&turned, query.InTest, 3); err == nil ||
		!strings.Contains(err.Error(), `no entity "e0"`) {
		t.Errorf("an entity that the model lacks: %v", err)
	}
	turned.EntityLabels, turned.RelationLabels = m.EntityLabels, []string{"nothing", "r1", "r2"}
	if _, err := d.Align(&turned, query.InTest, 3); err == nil ||
		!strings.Contains(err.Error(), `no relation "r0"`) {
		t.Errorf("a relation that the model lacks: %v", err)
	}
	if _, err := d.Align(m, query.InTest, 7); err == nil || !strings.Contains(err.Error(), "7 hops") {
		t.Errorf("paths that are not there: %v", err)
	}
}

// same compares evaluations up to the order of sums.
func same(a, b query.Evaluation) bool {
	return a.Queries == b.Queries && a.Answers == b.Answers && math.Abs(a.MRR-b.MRR) < 1e-9 &&
		math.Abs(a.MeanRank-b.MeanRank) < 1e-9
}

// reversed reverses labels and their rows.
func reversed(labels []string, rows []float32, dim int) ([]string, []float32) {
	names, numbers := slices.Clone(labels), []float32{}
	slices.Reverse(names)
	for i := len(labels) - 1; i >= 0; i-- {
		numbers = append(numbers, rows[i*dim:][:dim]...)
	}
	return names, numbers
}

// TestEvaluateModelRefusesOtherIDs of data whose queries would rank other entities.
func TestEvaluateModelRefusesOtherIDs(t *testing.T) {
	d := enginetest.Paths(t, 40, 3, 200)
	m := trained(t, d, "complex", true)
	other := *d
	other.Entities = slices.Clone(d.Entities)
	slices.Reverse(other.Entities)
	_, err := query.EvaluateModel(t.Context(), cpu.New(1), m, &other, eval.Options{}, 2)
	if err == nil || !strings.Contains(err.Error(), "rank the queries that Align returns") {
		t.Errorf("entities in another order: %v", err)
	}
}
