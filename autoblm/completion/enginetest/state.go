package enginetest

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Continues checks that a new population with the state of another goes on as that
// one does: to the bit but for its losses, which an engine may add up in another
// order.
func Continues(t *testing.T, engine completion.Engine) {
	continues(t, engine, func(got, want float64) bool { return got == want })
}

func continues(t *testing.T, engine completion.Engine, same func(got, want float64) bool) {
	g := Graph()
	for name, recipe := range Recipes() {
		for _, optimizer := range []completion.Optimizer{completion.Adagrad, completion.Adam} {
			set := settings(4)
			recipe.Set(&set)
			set.Optimizer = optimizer
			var members []completion.Member
			for i, named := range structure.HumanDesigned()[:3] {
				members = append(members, completion.Member{Structure: named.Structure, Seed: uint64(i), LearningRate: 0.1, Weights: recipe.Weights})
			}
			members[1].Weights = completion.Weights{N3: 0.01}
			first, second := populated(t, engine, g, set, members), populated(t, engine, g, set, members)
			other := structure.MustParse("quate")
			if err := first.SetStructure(0, other); err != nil {
				t.Fatal(err)
			}
			epoch(t, first, g)
			state, err := first.State()
			if err != nil {
				t.Fatal(err)
			}
			want := epoch(t, first, g) // which must not change the state that was taken
			if err := second.SetState(state); err != nil {
				t.Fatal(err)
			}
			got := epoch(t, second, g)
			if !slices.EqualFunc(got, want, func(a, b float64) bool { return same(a, b) || near(a, b, 1e-6) }) {
				t.Errorf("%s, %v: losses %v, the population that the state is of had %v", name, optimizer, got, want)
			}
			for i := range members {
				a, b := embeddings(t, second, i), embeddings(t, first, i)
				if a.Structure != b.Structure || i == 0 && a.Structure != other {
					t.Errorf("%s, %v: member %d has the structure %s, want %s", name, optimizer, i, a.Structure, b.Structure)
				}
				if !sameTable(a.Entities, b.Entities, same) || !sameTable(a.Relations, b.Relations, same) {
					t.Errorf("%s, %v: member %d has other embeddings than in the population that the state is of", name, optimizer, i)
				}
			}
			refusals(t, second, state)
		}
	}
}

func populated(t *testing.T, engine completion.Engine, g *datasets.Graph, s completion.Settings, members []completion.Member) completion.Population {
	t.Helper()
	p, err := engine.NewPopulation(g, s, members)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.Close)
	return p
}

func epoch(t *testing.T, p completion.Population, g *datasets.Graph) []float64 {
	t.Helper()
	done, err := p.Epoch(t.Context(), g.Train, []float64{0.1, 0.2, 0.3})
	if err != nil {
		t.Fatal(err)
	}
	return done.Loss
}

func embeddings(t *testing.T, p completion.Population, member int) completion.Parameters {
	t.Helper()
	parameters, err := p.Parameters(member)
	if err != nil {
		t.Fatal(err)
	}
	return parameters
}

func sameTable(a, b []float32, same func(got, want float64) bool) bool {
	return slices.EqualFunc(a, b, func(x, y float32) bool { return same(float64(x), float64(y)) })
}

// refusals checks that a state of another shape is refused, and changes nothing.
func refusals(t *testing.T, p completion.Population, s completion.State) {
	t.Helper()
	before := embeddings(t, p, 0)
	changed := func(change func(m *completion.MemberState)) completion.State {
		other := completion.State{Steps: s.Steps, Members: slices.Clone(s.Members)}
		last := &other.Members[len(other.Members)-1]
		last.Slots = slices.Clone(last.Slots)
		change(last)
		return other
	}
	for name, other := range map[string]completion.State{
		"fewer members": {Steps: s.Steps, Members: s.Members[:2]},
		"other slots":   changed(func(m *completion.MemberState) { m.Slots = append(m.Slots, m.Slots[0]) }),
		"another K":     changed(func(m *completion.MemberState) { m.Structure = structure.MustParse("1,0;0,2") }),
		"entities":      changed(func(m *completion.MemberState) { m.Entities = m.Entities[1:] }),
		"relations":     changed(func(m *completion.MemberState) { m.Relations = m.Relations[1:] }),
		"a short slot":  changed(func(m *completion.MemberState) { m.Slots[0].Relations = nil }),
	} {
		if err := p.SetState(other); err == nil {
			t.Errorf("a state with %s: no error", name)
		}
	}
	if after := embeddings(t, p, 0); !slices.Equal(after.Entities, before.Entities) {
		t.Error("a state that was refused changed the embeddings")
	}
}

// Resumes checks that a training which is interrupted after each epoch comes to the
// same models, to the bit, as one that is left alone.
func Resumes(t *testing.T, engine completion.Engine) {
	g, recipe := Graph(), Recipes()["everything"]
	job := completion.Job{Graph: g, Settings: settings(4)}
	recipe.Set(&job.Settings)
	job.Settings.Epochs, job.Settings.Decay = 8, 0.9
	job.Settings.ValidateEvery, job.Settings.PlateauPatience, job.Settings.PlateauFactor = 2, 1, 0.5
	for i, named := range structure.HumanDesigned()[:3] {
		job.Members = append(job.Members, completion.Member{Structure: named.Structure, Seed: uint64(i), LearningRate: 0.5, Weights: recipe.Weights})
	}
	alone, err := completion.Train(t.Context(), engine, job)
	if err != nil {
		t.Fatal(err)
	}
	job.Checkpoint = &completion.Checkpoint{File: filepath.Join(t.TempDir(), "training")}
	var pieces *completion.Report
	for n := 0; pieces == nil || !pieces.Complete; n++ {
		ctx, cancel := context.WithCancel(t.Context())
		job.OnEpoch = func(p completion.Progress) {
			if p.Epoch%2 == 1 || p.Epoch == n { // validations are interrupted once
				cancel()
			}
		}
		if pieces, err = completion.Train(ctx, engine, job); err != nil && !errors.Is(err, context.Canceled) {
			t.Fatal(err)
		}
		cancel()
		if n > 20 {
			t.Fatal("the training does not get on")
		}
	}
	for i, want := range alone.Results {
		got := pieces.Results[i]
		if !slices.EqualFunc(got.Loss, want.Loss, func(a, b float64) bool { return near(a, b, 1e-6) }) {
			t.Errorf("member %d: losses %v, left alone %v", i, got.Loss, want.Loss)
		}
		if got.BestEpoch != want.BestEpoch || !slices.Equal(got.Validations, want.Validations) {
			t.Errorf("member %d: best epoch %d of %v, left alone %d of %v", i, got.BestEpoch, got.Validations, want.BestEpoch, want.Validations)
		}
		if !slices.Equal(got.Model.Entities, want.Model.Entities) || !slices.Equal(got.Model.Relations, want.Model.Relations) {
			t.Errorf("member %d has other embeddings than left alone", i)
		}
	}
}
