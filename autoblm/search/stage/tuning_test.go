package stage

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search/budget"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"pgregory.net/rapid"
)

// recipeTask is a task in which recipes score by their similarity to a hidden one, ComplEx is better
// than the other structures, and seeds differ.
type recipeTask struct {
	entriesTask
	hidden task.Recipe
	noise  float64
	// left, when positive, is how many calls of Train end before the next is interrupted.
	left *int
}

func (f recipeTask) worth(t task.Trial) float64 {
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

func (f recipeTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) ([]task.Artifact, error) {
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

func tunedSettings() search.Settings {
	s := search.DefaultSettings()
	s.Budget, s.Predictor = 30, nil
	s.Tune = search.GuidedTune(30)
	s.RetrainDims = []int{64, 128}
	return s
}

// TestTuningFindsRecipes: the chosen recipe is closer to the hidden one than the initial recipe. It is
// confirmed with other seeds, and trains and retrains the structures.
func TestTuningFindsRecipes(t *testing.T) {
	s := tunedSettings()
	on := recipeTask{hidden: hiddenRecipe(), noise: 0.05}
	r, err := Run(t.Context(),
		search.Problem{Task: on, Strategy: strategy.Evolutionary{}, Settings: s})
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
	if tuner.models[0].Name != "complex" || len(tuner.models) != budget.TunedModels {
		t.Errorf("recipes were tried on %v", tuner.models)
	}
	whole := tuner.full()
	if n := len(whole); n < 2 || n > 1+30/search.Reduction {
		t.Errorf("%d recipes have all epochs", n)
	}
	for _, trial := range task.InStage(task.Tuning, r.Trials) {
		if of := trial.Recipe; of.Seed != s.Seed &&
			!slices.ContainsFunc(whole[:budget.ConfirmedRecipes],
				func(b ratedRecipe) bool { b.recipe.Seed = of.Seed; return b.recipe == of }) {
			t.Errorf("a recipe that is not of the best has seed %d", of.Seed)
		}
	}
	if got := tuner.ranked()[0].recipe; got != r.Recipe {
		t.Errorf("the search is by %+v, not by %+v", r.Recipe, got)
	}
	for _, trial := range task.InStage(task.Retraining, r.Trials) {
		want := r.Recipe
		want.Seed, want.Training.Dim, want.Training.Epochs = trial.Recipe.Seed, 128, 60
		if trial.Recipe != want {
			t.Errorf("retrained with %+v", trial.Recipe)
		}
	}
	if len(r.Retrained) != 5 || len(r.Tuned) != budget.ConfirmedRecipes {
		t.Errorf("%d retrained, %d recipes reported", len(r.Retrained), len(r.Tuned))
	}
}

// TestTuningResumes: interrupted after any training of any stage, a search has the same trials.
func TestTuningResumes(t *testing.T) {
	s := tunedSettings()
	s.Tune.Trials, s.Budget = 9, 9
	run := func(store *search.Memory, left int) *search.Result {
		r, err := Run(
			t.Context(),
			search.Problem{
				Task:     recipeTask{hidden: hiddenRecipe(), left: &left},
				Strategy: strategy.Evolutionary{},
				Settings: s,
				Store:    store,
			},
		)
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
	whole := bare(run(&search.Memory{}, math.MaxInt).Trials)
	for calls := range 40 {
		store := &search.Memory{}
		if r := run(store, calls); r.Stopped != search.Interrupted {
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

// TestSpaceDraws: drawn recipes are new, have values of the axes, and keep the parts without an axis.
func TestSpaceDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := search.TimedSettings()
		base := s.TrialRecipe()
		base.RelationL2 = 0.25
		var tried []ratedRecipe
		space := recipeSpace{*search.DefaultSpace()}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range rapid.IntRange(1, 25).Draw(t, "recipes") {
			r, found := space.draw(base, tried, s.K, rng)
			if !found {
				t.Fatal("nothing new in a large space")
			}
			if slices.ContainsFunc(tried, func(b ratedRecipe) bool { return b.recipe == r }) {
				t.Fatal("a recipe twice")
			}
			if r.RelationL2 != 0.25 || r.Training.Dim != base.Training.Dim ||
				r.EntityL2 != r.Products {
				t.Fatalf("%+v", r)
			}
			for _, a := range space.axes(base) {
				same := r
				a.set(&same, a.index(r))
				if same != r {
					t.Fatalf("%+v does not stand on an axis", r)
				}
			}
			tried = append(tried, ratedRecipe{r, rapid.Float64Range(0, 1).Draw(t, "score")})
		}
	})
}

// sizedTask is a recipeTask of known size.
type sizedTask struct{ recipeTask }

func (sizedTask) Size() task.Size {
	return task.Size{Examples: 1000, Entities: 100, Validation: 100, Test: 100}
}

// TestPlanIsStored: a resumed search follows its plan at any speed, and a longer time limit makes another
// plan with more structures.
func TestPlanIsStored(t *testing.T) {
	s := search.TimedSettings()
	s.TimeLimit, s.Predictor = 300*time.Millisecond, nil
	store := &search.Memory{}
	run := func() *search.Result {
		r, err := Run(
			t.Context(),
			search.Problem{
				Task:     sizedTask{recipeTask{hidden: hiddenRecipe()}},
				Strategy: strategy.Random{},
				Settings: s,
				Store:    store,
			},
		)
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
	if !reflect.DeepEqual(again.Trials, first.Trials) ||
		!reflect.DeepEqual(again.Plan, first.Plan) ||
		again.Stopped != first.Stopped ||
		again.Note != first.Note {
		t.Errorf("an ended search resumed with %+v, stopped by %q, %q", again.Plan, again.Stopped,
			again.Note)
	}
	s.TimeLimit *= 4
	longer := run()
	if longer.Plan.Limit != s.TimeLimit ||
		len(search.Proposed(longer.Trials)) <= len(search.Proposed(first.Trials)) ||
		longer.Plan.Dim != first.Plan.Dim {
		t.Errorf("more time: %+v after %+v", longer.Plan, first.Plan)
	}
}
