package kge_test

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/require"
)

// modelWithCores returns a model with two cores and batch normalization.
func modelWithCores() *kge.Model {
	s, m := kge.Settings{Dim: 6, InitScale: 1, Reciprocal: true}, kge.Member{Form: form.Core(2), Seed: 1}
	s.BatchNorm = true
	d := completion.Data(enginetest.Graph())
	p := kge.Initialize(d, s, m)
	drawNorms(p)
	return &kge.Model{
		Parameters:   p,
		EntityLabels: d.Entities, RelationLabels: d.Relations,
	}
}

// TestCoresAreKept checks that global tables stay as they are when a model is saved, when its labels are
// reordered, and when it gets those of another model.
func TestCoresAreKept(t *testing.T) {
	m := modelWithCores()
	if len(m.More) != 2 || len(m.More[0]) != 2*3*3*3 || len(m.More[1]) != form.NormRows*6 {
		t.Fatalf("%d further tables", len(m.More))
	}
	dir := t.TempDir()
	require.NoError(t, m.Save(dir))
	loaded, err := kge.Load(dir)
	require.NoError(t, err)
	entities, relations := slices.Clone(m.EntityLabels), slices.Clone(m.RelationLabels)
	slices.Reverse(entities)
	slices.Reverse(relations)
	reordered, err := m.Reorder(entities, relations)
	require.NoError(t, err)
	other := modelWithCores()
	other.RelationLabels = []string{"a", "b", "c"}
	for what, got := range map[string]*kge.Model{
		"loaded": loaded, "reordered": reordered, "extended": m.Extend(other),
	} {
		for i, table := range m.More {
			if !slices.Equal(got.More[i], table) {
				t.Errorf("the %s model has another table %d", what, i)
			}
		}
	}
	q := kge.Question{Anchor: 3, Path: []int32{2}}
	last := int32(len(entities) - 1)
	moved := kge.Question{Anchor: last - 3, Path: []int32{2 * int32(len(relations)-1-1)}}
	before := m.Scorer(q, len(relations))(5)
	if after := reordered.Scorer(moved, len(relations))(last - 5); before != after {
		t.Errorf("the reordered model scores %v, the model %v", after, before)
	}
}

// TestCoresRefuse checks errors of settings that do not fit.
func TestCoresRefuse(t *testing.T) {
	s, m := kge.DefaultSettings(), kge.Member{Form: form.Core(3), Seed: 1, LearningRate: 0.1}
	require.Error(t, s.ValidateFor(m), "multiple of 3, such as 66")
	m.Form, m.Orthogonality = form.GQE, 0.1
	require.Error(t, s.ValidateFor(m), "gqe has no cores")
	unidirectional := modelWithCores()
	unidirectional.Reciprocal = false
	require.Error(t, unidirectional.Save(t.TempDir()), "batch normalization needs reverses")
	s, m = kge.DefaultSettings(), kge.Member{Form: form.Core(2), Seed: 1, LearningRate: 0.1}
	s.BatchNorm, s.Reciprocal = true, true
	require.NoError(t, s.ValidateFor(m))
	for reason, change := range map[string]func(s *kge.Settings, m *kge.Member){
		"set reciprocal":                   func(s *kge.Settings, _ *kge.Member) { s.Reciprocal = false },
		"gqe has no cores":                 func(_ *kge.Settings, m *kge.Member) { m.Form = form.GQE },
		"leave relation-prediction at 0":   func(_ *kge.Settings, m *kge.Member) { m.RelationPrediction = 1 },
		"leave products, ivr":              func(_ *kge.Settings, m *kge.Member) { m.IVR = 1 },
		"products and IVR are not defined": func(_ *kge.Settings, m *kge.Member) { m.Products = 1 },
		"train core-2 with batch-norm":     func(_ *kge.Settings, m *kge.Member) { m.Form = m.Form.WithNorm() },
		"a structure has no cores: switch": func(_ *kge.Settings, m *kge.Member) { *m = kge.DefaultMember(structure.MustParse("complex")) },
	} {
		s, m := s, m
		change(&s, &m)
		require.Error(t, s.ValidateFor(m), reason)
	}
}

// TestStartKeepsAverages continues with embeddings: the epoch that collects the gradients of Adagrad
// leaves the averages of batch normalization, as Adam does, which has no such epoch.
func TestStartKeepsAverages(t *testing.T) {
	trained, d := modelWithCores(), completion.Data(enginetest.Graph())
	after := func(optimizer kge.Optimizer) []float32 {
		s := kge.DefaultSettings()
		s.Dim, s.Batch, s.Epochs, s.ValidateEvery = 6, 8, 1, 0
		s.Reciprocal, s.BatchNorm, s.Optimizer = true, true, optimizer
		report, err := kge.Train(t.Context(), cpu.New(1), kge.Job{
			Data: d, Settings: s, Start: kge.NewStart(trained.LabelledTables(), 1),
			Members: []kge.Member{{Form: form.Core(2), Seed: 1, LearningRate: 1e-9}},
		})
		require.NoError(t, err)
		return report.Results[0].Model.More[1][form.NormMean*6:]
	}
	for i, want := range after(kge.Adam) {
		if got := after(kge.Adagrad)[i]; math.Abs(float64(got-want)) > 1e-5 {
			t.Errorf("average %d is %v, want %v", i, got, want)
		}
	}
}
