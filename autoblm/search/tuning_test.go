package search

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"pgregory.net/rapid"
)

// tasted is a task in which a recipe is the better the nearer it is to a hidden one, ComplEx is
// better than the rest, and each seed says something else.
type tasted struct {
	entries
	hidden task.Recipe
	noise  float64
	// left, when positive, is how many calls of Train end before the next is interrupted.
	left *int
}

func (f tasted) worth(t task.Trial) float64 {
	r := t.Recipe
	worth := 10 - math.Abs(math.Log(r.LearningRate/f.hidden.LearningRate)) - 50*math.Abs(r.N3-f.hidden.N3) - math.Abs(r.Training.Dropout-f.hidden.Training.Dropout)
	if t.Structure == structure.Baselines()[2].Structure {
		worth++
	}
	if math.IsInf(worth, 0) || math.IsNaN(worth) {
		return 0
	}
	return worth + f.noise*math.Sin(float64(r.Seed)*1000*worth) + 0.1*math.Log(float64(r.Training.Epochs)) + 0.01*float64(r.Training.Dim)
}

func (f tasted) Train(ctx context.Context, trials []task.Trial, onProgress func(float64)) ([]task.Artifact, error) {
	if f.left != nil {
		if *f.left--; *f.left < 0 {
			return nil, context.Canceled
		}
	}
	for i := range trials {
		score := f.worth(trials[i])
		trials[i].State, trials[i].Score = task.Complete, &score
	}
	onProgress(1)
	return nil, ctx.Err()
}

func hiddenRecipe() task.Recipe {
	return task.Recipe{Recipe: kge.Recipe{
		Training: kge.Settings{Dropout: 0.2}, LearningRate: 0.3, Weights: kge.Weights{N3: 0.05},
	}}
}

func tunedSettings() Settings {
	s := DefaultSettings()
	s.Budget, s.Predictor = 30, nil
	s.Tune = GuidedTune(30)
	s.AgainDims = []int{64, 128}
	return s
}

// TestTuningFindsRecipes: the recipe of the search is nearer to the hidden one than the one to
// begin with, was confirmed by other seeds, and is what structures are compared and trained
// again by.
func TestTuningFindsRecipes(t *testing.T) {
	s := tunedSettings()
	on := tasted{hidden: hiddenRecipe(), noise: 0.05}
	r, err := Run(t.Context(), Problem{Task: on, Strategy: Evolutionary{}, Settings: s})
	if err != nil {
		t.Fatal(err)
	}
	worth := func(r task.Recipe) float64 {
		r.Seed, r.Training.Epochs, r.Training.Dim = 0, 1, 0
		return on.worth(task.Trial{Recipe: r})
	}
	if before, after := worth(s.TrialRecipe()), worth(r.Recipe); after < before+1 {
		t.Errorf("the recipe is worth %.3f, and %.3f before", after, before)
	}
	tuner := newTuner(r.Settings, r.Trials)
	if n := len(tuner.rated(tuner.short(tuner.base).Training.Epochs, s.Seed)); n != 30 {
		t.Errorf("%d recipes were tried", n)
	}
	if tuner.models[0].Name != "complex" || len(tuner.models) != tunedModels {
		t.Errorf("recipes were tried on %v", tuner.models)
	}
	whole := tuner.whole()
	if n := len(whole); n < 2 || n > 1+30/halving {
		t.Errorf("%d recipes have all epochs", n)
	}
	for _, trial := range of(task.Tuning, r.Trials) {
		if of := trial.Recipe; of.Seed != s.Seed && !slices.ContainsFunc(whole[:confirmedRecipes], func(b rated) bool { b.recipe.Seed = of.Seed; return b.recipe == of }) {
			t.Errorf("a recipe that is not of the best has seed %d", of.Seed)
		}
	}
	if got := tuner.chosen()[0].recipe; got != r.Recipe {
		t.Errorf("the search is by %+v, not by %+v", r.Recipe, got)
	}
	for _, trial := range of(task.Retraining, r.Trials) {
		want := r.Recipe
		want.Seed, want.Training.Dim, want.Training.Epochs = trial.Recipe.Seed, 128, 60
		if trial.Recipe != want {
			t.Errorf("trained again by %+v", trial.Recipe)
		}
	}
	if len(r.Again) != foundAgain+namedAgain || len(r.Tuned) != confirmedRecipes {
		t.Errorf("%d trained again, %d recipes told", len(r.Again), len(r.Tuned))
	}
}

// TestTuningGoesOn: interrupted after any training of any stage, the same search has the same
// trials.
func TestTuningGoesOn(t *testing.T) {
	s := tunedSettings()
	s.Tune.Trials, s.Budget = 9, 9
	run := func(store *Memory, left int) *Result {
		r, err := Run(t.Context(), Problem{Task: tasted{hidden: hiddenRecipe(), left: &left}, Strategy: Evolutionary{}, Settings: s, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	bare := func(trials []task.Trial) (all []task.Trial) {
		for _, trial := range trials {
			trial.Seconds = 0
			all = append(all, trial)
		}
		return all
	}
	whole := bare(run(&Memory{}, math.MaxInt).Trials)
	for calls := range 40 {
		store := &Memory{}
		if r := run(store, calls); r.Stopped != Interrupted {
			if calls < 20 {
				t.Errorf("over after %d trainings", calls)
			}
			return
		}
		if got := bare(run(store, math.MaxInt).Trials); !reflect.DeepEqual(got, whole) {
			t.Fatalf("interrupted after %d trainings, it has other trials", calls)
		}
	}
}

// TestSpaceDraws: what is drawn is new, stands on the axes, and keeps what has no axis.
func TestSpaceDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Timed()
		base := s.TrialRecipe()
		base.RelationL2 = 0.25
		var tried []rated
		space := DefaultSpace()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range rapid.IntRange(1, 25).Draw(t, "recipes") {
			r, found := space.draw(base, tried, s.K, rng)
			if !found {
				t.Fatal("nothing new in a large space")
			}
			if slices.ContainsFunc(tried, func(b rated) bool { return b.recipe == r }) {
				t.Fatal("a recipe twice")
			}
			if r.RelationL2 != 0.25 || r.Training.Dim != base.Training.Dim || r.EntityL2 != r.Products {
				t.Fatalf("%+v", r)
			}
			for _, a := range space.axes(base) {
				same := r
				a.set(&same, a.at(r))
				if same != r {
					t.Fatalf("%+v does not stand on an axis", r)
				}
			}
			tried = append(tried, rated{r, rapid.Float64Range(0, 1).Draw(t, "score")})
		}
	})
}

// TestPlansFit: whatever the pace, a plan is of settings that can be searched by, takes no longer
// than its time where that is enough for a step, and has what is asked for.
func TestPlansFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := Timed()
		s.K = rapid.IntRange(2, 6).Draw(t, "k")
		s.Training.Dim = 60 * s.K
		is := func(name string) bool { return rapid.Bool().Draw(t, name) }
		s.Planned = &Planned{Dim: is("dim"), Epochs: is("epochs"), Structures: is("structures"), Tune: is("tune"), Again: is("again")}
		s.Budget, s.Rungs, s.AgainDims = rapid.IntRange(1, 300).Draw(t, "budget"), rapid.IntRange(0, 3).Draw(t, "rungs"), []int{60 * s.K, 120 * s.K}
		s.TimeLimit = seconds(rapid.Float64Range(10, 36000).Draw(t, "seconds"))
		p := Paces{Steps: rapid.IntRange(1, 10000).Draw(t, "steps"), Every: s.Training.ValidateEvery}
		step, end := math.Pow(10, rapid.Float64Range(-5, -0.5).Draw(t, "step")), math.Pow(10, rapid.Float64Range(-4, 0).Draw(t, "end"))
		for dim := 64; dim <= 256; dim *= 2 {
			p.At = append(p.At, Pace{dim / s.K * s.K, step * float64(dim), end * float64(dim) / 64})
		}
		plan := planFor(s, is("few"), p, 0)
		applied := plan.Apply(s)
		if err := applied.Validate(); err != nil {
			t.Fatal(err)
		}
		limit := s.TimeLimit.Seconds()
		if plan.MaxSteps == 0 && plan.Seconds > limit {
			t.Errorf("planned for %.0f s of %.0f: %v", plan.Seconds, limit, plan)
		}
		if plan.MaxSteps == 0 && s.Planned.Structures && s.Planned.Epochs {
			whole := p.training(plan.Dim, plan.Epochs, 0)
			if compared := (named + float64(plan.Structures)*rungCost(plan.Rungs)) * whole; compared > limit*(tuneShare+searchShare) {
				t.Errorf("comparing takes %.0f s of %.0f: %v", compared, limit, plan)
			}
		}
		if plan.TuneUntil > plan.SearchUntil || plan.SearchUntil > s.TimeLimit {
			t.Errorf("stages end after %v and %v of %v", plan.TuneUntil, plan.SearchUntil, s.TimeLimit)
		}
		if p := s.Planned; !p.Structures && (plan.Structures != s.Budget || plan.Rungs != s.Rungs || applied.Budget != s.Budget) ||
			!p.Tune && plan.Recipes != s.Tune.Trials || !p.Epochs && plan.Epochs != s.Training.Epochs || !p.Dim && plan.Dim != s.Training.Dim ||
			!p.Again && (plan.Seeds != s.Again || plan.Found != foundAgain || !slices.Equal(plan.Dims, s.AgainDims)) {
			t.Errorf("%v of %+v, where %+v is planned", plan, s, p)
		}
		if revised := plan.revised(s, 1, 0, 3).Apply(s); revised.Validate() != nil {
			t.Error(revised.Validate())
		}
	})
}

// sized is a task that says how large it is.
type sized struct{ tasted }

func (sized) Size() task.Size {
	return task.Size{Examples: 1000, Entities: 100, Validation: 100, Test: 100}
}

// TestPlanIsKept: who goes on with a search goes on by its plan, however fast it is there, and a
// longer time makes another plan, for more structures.
func TestPlanIsKept(t *testing.T) {
	s := Timed()
	s.TimeLimit, s.Predictor = 300*time.Millisecond, nil
	store := &Memory{}
	run := func() *Result {
		r, err := Run(t.Context(), Problem{Task: sized{tasted{hidden: hiddenRecipe()}}, Strategy: Random{}, Settings: s, Store: store})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	first := run()
	if first.Plan == nil || len(first.Best) == 0 {
		t.Fatalf("%+v", first)
	}
	again := run()
	if !reflect.DeepEqual(again.Trials, first.Trials) || !reflect.DeepEqual(again.Plan, first.Plan) || again.Stopped != first.Stopped || again.Note != first.Note {
		t.Errorf("what has ended went on by %+v, stopped by %q, %q", again.Plan, again.Stopped, again.Note)
	}
	s.TimeLimit *= 4
	longer := run()
	if longer.Plan.Limit != s.TimeLimit || len(Proposed(longer.Trials)) <= len(Proposed(first.Trials)) || longer.Plan.Dim != first.Plan.Dim {
		t.Errorf("more time: %+v after %+v", longer.Plan, first.Plan)
	}
}
