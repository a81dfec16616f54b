package enginetest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// ResumesFromState checks that a population with the state of another continues like that one.
// Embeddings agree up to tolerance; 0 means to the bit. Losses may be summed in another order.
// Recipes have the two optimizers in turn.
func ResumesFromState(t *testing.T, engine kge.Engine, tolerance float64, in Scope) {
	d := Triples(Graph())
	recipes := Recipes()
	for i, name := range slices.Sorted(maps.Keys(recipes)) {
		if !in.Has(name, "quate") {
			continue
		}
		s, recipe := settings(4), recipes[name]
		recipe.Set(&s)
		s.Optimizer = []kge.Optimizer{kge.Adagrad, kge.Adam}[i%2]
		members := threeMembers(0.1, recipe.Weights)
		members[1].Weights = kge.Weights{N3: 0.01}
		if engine.Supports(d, s, members) != nil {
			continue
		}
		setStructure := func(p kge.Population) error {
			return p.SetStructure(0, structure.MustParse("quate"))
		}
		continuesAlike(t, fmt.Sprintf("%s, %v", name, s.Optimizer), engine, tolerance, d, s, members,
			setStructure)
	}
	s, m := settings(4), Members()["core-2"]
	Recipes()["batch norm, penalties"].Set(&s)
	if engine.Supports(d, s, []kge.Member{m}) == nil {
		continuesAlike(t, "batch norm", engine, tolerance, d, s, []kge.Member{m, m},
			func(kge.Population) error { return nil })
	}
	d = pathData(t, Paths(t, 40, 3, 150), query.Paths{Hops: []int{2}, With: []int{1}})
	for name, m := range Members() {
		s := settings(max(4, m.Structure.K()))
		if engine.Supports(d, s, []kge.Member{m, m}) == nil {
			continuesAlike(t, name, engine, tolerance, d, s, []kge.Member{m, m},
				func(kge.Population) error { return nil })
		}
	}
}

// threeMembers returns members with the same recipe.
func threeMembers(rate float64, w kge.Weights) (members []kge.Member) {
	for i, named := range structure.Baselines()[:3] {
		members = append(members, kge.Member{
			Structure: named.Structure, Seed: uint64(i), LearningRate: rate, Weights: w,
		})
	}
	return members
}

// continuesAlike changes a population, copies its state to another, and trains both.
func continuesAlike(t *testing.T, what string, engine kge.Engine, tolerance float64, d *kge.Data,
	s kge.Settings, members []kge.Member, change func(p kge.Population) error) {
	t.Helper()
	first := newPopulation(t, engine, d, s, members)
	second := newPopulation(t, engine, d, s, members)
	epoch := func(p kge.Population, number int) []float64 {
		done, err := p.Epoch(t.Context(), d.Batches(s, number), []float64{0.1, 0.2, 0.3}[:len(members)])
		must(t, err)
		return done.Loss
	}
	must(t, change(first))
	epoch(first, 1)
	state, err := first.State()
	must(t, err)
	want := epoch(first, 2) // must not change the state
	must(t, second.SetState(state))
	near(t, what+": losses", max(tolerance, 1e-6), epoch(second, 2), want)
	for i := range members {
		got, want := parametersOf(t, second, i), parametersOf(t, first, i)
		if got.Structure != want.Structure {
			t.Errorf("%s: member %d has structure %s, want %s", what, i, got.Structure, want.Structure)
		}
		nearTables(t, fmt.Sprintf("%s: member %d", what, i), tolerance, got.Tables, want.Tables)
	}
	refusesOtherStates(t, what, second, state)
}

// refusesOtherStates checks that states of other shapes are refused without side effects.
func refusesOtherStates(t *testing.T, what string, p kge.Population, s kge.State) {
	t.Helper()
	before := parametersOf(t, p, 0)
	changed := func(change func(m *kge.MemberState)) kge.State {
		other := kge.State{Steps: s.Steps, Members: slices.Clone(s.Members)}
		last := &other.Members[len(other.Members)-1]
		last.Slots = slices.Clone(last.Slots)
		change(last)
		return other
	}
	for name, other := range map[string]kge.State{
		"fewer members": {Steps: s.Steps, Members: s.Members[1:]},
		"more slots":    changed(func(m *kge.MemberState) { m.Slots = append(m.Slots, m.Slots[0]) }),
		"another K": changed(func(m *kge.MemberState) {
			m.Structure = structure.Zero(max(1, m.Structure.K()) + 1)
		}),
		"fewer entities":  changed(func(m *kge.MemberState) { m.Entities = m.Entities[1:] }),
		"fewer relations": changed(func(m *kge.MemberState) { m.Relations = m.Relations[1:] }),
		"a short slot":    changed(func(m *kge.MemberState) { m.Slots[0].Relations = nil }),
	} {
		if err := p.SetState(other); err == nil {
			t.Errorf("%s: no error for a state with %s", what, name)
		}
	}
	if after := parametersOf(t, p, 0); !slices.Equal(after.Entities, before.Entities) {
		t.Errorf("%s: a refused state changed the embeddings", what)
	}
}

// ResumesTraining checks that a training that is interrupted and resumed gives the same models,
// to the bit, as an uninterrupted one.
func ResumesTraining(t *testing.T, engine kge.Engine) {
	recipe := Recipes()["everything"]
	s := settings(4)
	recipe.Set(&s)
	s.Epochs, s.Decay = 8, 0.9
	s.ValidateEvery, s.PlateauPatience, s.PlateauFactor = 2, 1, 0.5
	resumes(t, engine, kge.Job{
		Data: completion.Data(Graph()), Settings: s, Members: threeMembers(0.5, recipe.Weights),
	})
	paths := pathData(t, Paths(t, 60, 3, 250), query.Paths{Hops: []int{2, 3}, AnswerPower: 0.5})
	for _, m := range Members() {
		s := s
		if !m.Form.Capabilities().Products {
			s.Dropout = 0
		}
		s.Dim = 3 * max(4, m.Structure.K())
		if engine.Supports(paths, s, []kge.Member{m}) == nil {
			resumes(t, engine, kge.Job{Data: paths, Settings: s, Members: []kge.Member{m}})
		}
	}
}

func resumes(t *testing.T, engine kge.Engine, job kge.Job) {
	t.Helper()
	uninterrupted, err := kge.Train(t.Context(), engine, job)
	must(t, err)
	job.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
	var resumed *kge.Report
	for n := 0; resumed == nil || !resumed.Complete; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		job.OnEpoch = func(p kge.Progress) {
			if p.Epoch%2 == 1 || p.Epoch == n { // interrupts each validation once
				cancel()
			}
		}
		resumed, err = kge.Train(ctx, engine, job)
		if err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if n > 20 {
			t.Fatal("the training does not progress")
		}
	}
	for i, want := range uninterrupted.Results {
		got, what := resumed.Results[i], fmt.Sprintf("%v, member %d", want.Member.Form, i)
		near(t, what+": losses", 1e-6, got.Loss, want.Loss)
		if got.BestEpoch != want.BestEpoch || !slices.Equal(got.Validations, want.Validations) {
			t.Errorf("%s: best epoch %d of %v, want %d of %v",
				what, got.BestEpoch, got.Validations, want.BestEpoch, want.Validations)
		}
		nearTables(t, what, 0, got.Model.Tables, want.Model.Tables)
	}
}
