package kge_test

import (
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/internal/require"
)

// modelWithCores returns an untrained model with two cores.
func modelWithCores() *kge.Model {
	s, m := kge.Settings{Dim: 6, InitScale: 1, Reciprocal: true}, kge.Member{Form: form.Core(2), Seed: 1}
	d := completion.Data(enginetest.Graph())
	return &kge.Model{
		Parameters:   kge.Initialize(d, s, m),
		EntityLabels: d.Entities, RelationLabels: d.Relations,
	}
}

// TestCoresAreKept checks that cores stay as they are when a model is saved, when its labels are
// reordered, and when it gets those of another model.
func TestCoresAreKept(t *testing.T) {
	m := modelWithCores()
	if len(m.More) != 1 || len(m.More[0]) != 2*3*3*3 {
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
		if !slices.Equal(got.More[0], m.More[0]) {
			t.Errorf("the %s model has other cores", what)
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
}
