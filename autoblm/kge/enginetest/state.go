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

// Continues checks that a new population with the state of another goes on as that
// one does: its embeddings are the same up to a tolerance, of 0 for every bit. Losses
// an engine may add up in another order.
func Continues(t *testing.T, engine kge.Engine, tolerance float64) {
	d := completion.Data(Graph())
	other := structure.MustParse("quate")
	for name, recipe := range Recipes() {
		for _, optimizer := range []kge.Optimizer{kge.Adagrad, kge.Adam} {
			s := settings(4)
			recipe.Set(&s)
			s.Optimizer = optimizer
			var members []kge.Member
			for i, named := range structure.HumanDesigned()[:3] {
				members = append(members, kge.Member{Structure: named.Structure, Seed: uint64(i), LearningRate: 0.1, Weights: recipe.Weights})
			}
			members[1].Weights = kge.Weights{N3: 0.01}
			what := fmt.Sprintf("%s, %v", name, optimizer)
			goesOn(t, what, tolerance, d, s, populated(t, engine, d, s, members), populated(t, engine, d, s, members), func(p kge.Population) {
				if err := p.SetStructure(0, other); err != nil {
					t.Fatal(err)
				}
			})
		}
	}
	paths := Paths(t, 40, 3, 150)
	onPaths, err := paths.Training(query.Paths{Hops: []int{2}, With: []int{1}})
	if err != nil {
		t.Fatal(err)
	}
	members := Members()
	for _, name := range slices.Sorted(maps.Keys(members)) {
		m := members[name]
		s := settings(max(4, m.Structure.K()))
		if engine.Supports(onPaths, s, []kge.Member{m}) == nil {
			two := []kge.Member{m, m}
			goesOn(t, name, tolerance, onPaths, s, populated(t, engine, onPaths, s, two), populated(t, engine, onPaths, s, two), func(kge.Population) {})
		}
	}
}

// goesOn changes the first population, and has the second go on from its state.
func goesOn(t *testing.T, what string, tolerance float64, d *kge.Data, s kge.Settings, first, second kge.Population, change func(p kge.Population)) {
	t.Helper()
	epoch := func(p kge.Population, number int) []float64 {
		done, err := p.Epoch(t.Context(), d.Batches(s, number), []float64{0.1, 0.2, 0.3}[:p.Models()])
		if err != nil {
			t.Fatal(err)
		}
		return done.Loss
	}
	change(first)
	epoch(first, 1)
	state, err := first.State()
	if err != nil {
		t.Fatal(err)
	}
	want := epoch(first, 2) // which must not change the state that was taken
	if err := second.SetState(state); err != nil {
		t.Fatal(err)
	}
	got := epoch(second, 2)
	near(t, what+": losses", max(tolerance, 1e-6), got, want)
	for i := range first.Models() {
		a, b := parametersOf(t, second, i), parametersOf(t, first, i)
		if a.Structure != b.Structure {
			t.Errorf("%s: member %d has the structure %s, want %s", what, i, a.Structure, b.Structure)
		}
		for table, numbers := range all(a.Tables) {
			near(t, fmt.Sprintf("%s: member %d, table %d", what, i, table), tolerance, numbers, all(b.Tables)[table])
		}
	}
	refusals(t, what, second, state)
}

// refusals checks that a state of another shape is refused, and changes nothing.
func refusals(t *testing.T, what string, p kge.Population, s kge.State) {
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
		"other slots":   changed(func(m *kge.MemberState) { m.Slots = append(m.Slots, m.Slots[0]) }),
		"another K":     changed(func(m *kge.MemberState) { m.Structure = structure.Zero(max(1, m.Structure.K()) + 1) }),
		"entities":      changed(func(m *kge.MemberState) { m.Entities = m.Entities[1:] }),
		"relations":     changed(func(m *kge.MemberState) { m.Relations = m.Relations[1:] }),
		"a short slot":  changed(func(m *kge.MemberState) { m.Slots[0].Relations = nil }),
	} {
		if err := p.SetState(other); err == nil {
			t.Errorf("%s: a state with %s: no error", what, name)
		}
	}
	if after := parametersOf(t, p, 0); !slices.Equal(after.Entities, before.Entities) {
		t.Errorf("%s: a state that was refused changed the embeddings", what)
	}
}

// Resumes checks that a training which is interrupted after each epoch comes to the
// same models, to the bit, as one that is left alone.
func Resumes(t *testing.T, engine kge.Engine) {
	recipe := Recipes()["everything"]
	s := settings(4)
	recipe.Set(&s)
	s.Epochs, s.Decay = 8, 0.9
	s.ValidateEvery, s.PlateauPatience, s.PlateauFactor = 2, 1, 0.5
	var members []kge.Member
	for i, named := range structure.HumanDesigned()[:3] {
		members = append(members, kge.Member{Structure: named.Structure, Seed: uint64(i), LearningRate: 0.5, Weights: recipe.Weights})
	}
	resumes(t, engine, kge.Job{Data: completion.Data(Graph()), Settings: s, Members: members})
	onPaths, err := Paths(t, 60, 3, 250).Training(query.Paths{Hops: []int{2, 3}, AnswerPower: 0.5})
	if err != nil {
		t.Fatal(err)
	}
	s.LabelSmoothing = 0
	for _, m := range Members() {
		plain := s
		if !m.Form.Products() {
			plain.Dropout = 0
		}
		plain.Dim = 3 * max(4, m.Structure.K())
		if engine.Supports(onPaths, plain, []kge.Member{m}) == nil {
			resumes(t, engine, kge.Job{Data: onPaths, Settings: plain, Members: []kge.Member{m}})
		}
	}
}

func resumes(t *testing.T, engine kge.Engine, job kge.Job) {
	t.Helper()
	alone, err := kge.Train(t.Context(), engine, job)
	if err != nil {
		t.Fatal(err)
	}
	job.Checkpoint = &kge.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
	var pieces *kge.Report
	for n := 0; pieces == nil || !pieces.Complete; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		job.OnEpoch = func(p kge.Progress) {
			if p.Epoch%2 == 1 || p.Epoch == n { // validations are interrupted once
				cancel()
			}
		}
		if pieces, err = kge.Train(ctx, engine, job); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if n > 20 {
			t.Fatal("the training does not get on")
		}
	}
	for i, want := range alone.Results {
		got := pieces.Results[i]
		near(t, fmt.Sprintf("member %d: losses", i), 1e-6, got.Loss, want.Loss)
		if got.BestEpoch != want.BestEpoch || !slices.Equal(got.Validations, want.Validations) {
			t.Errorf("member %d: best epoch %d of %v, left alone %d of %v", i, got.BestEpoch, got.Validations, want.BestEpoch, want.Validations)
		}
		for table, numbers := range all(got.Model.Tables) {
			if !slices.Equal(numbers, all(want.Model.Tables)[table]) {
				t.Errorf("%v: member %d has other numbers in table %d than left alone", want.Member.Form, i, table)
			}
		}
	}
}
