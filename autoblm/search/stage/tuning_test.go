package stage

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/budget"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"pgregory.net/rapid"
)

// recipeScore returns scores by the similarity of the recipe to a hidden one. ComplEx is better than
// the other structures, and seeds differ by the noise.
func recipeScore(noise float64) func(task.Trial) float64 {
	hidden := hiddenRecipe()
	return func(t task.Trial) float64 {
		r := t.Recipe
		score := 10 - math.Abs(math.Log(r.LearningRate/hidden.LearningRate)) -
			50*math.Abs(r.N3-hidden.N3) - math.Abs(r.Training.Dropout-hidden.Training.Dropout)
		if t.Structure == structure.MustParse("complex") {
			score++
		}
		if math.IsInf(score, 0) || math.IsNaN(score) {
			return 0
		}
		return score + noise*math.Sin(float64(r.Seed)*1000*score) +
			0.1*math.Log(float64(r.Training.Epochs)) + 0.01*float64(r.Training.Dim)
	}
}

// interruptedAfter interrupts a search in the training after the left ones.
func interruptedAfter(left *int) func(context.Context, []task.Trial) error {
	return func(context.Context, []task.Trial) error {
		if *left--; *left < 0 {
			return context.Canceled
		}
		return nil
	}
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
	score := recipeScore(0.05)
	p := problem(fakeTask{score: score}, strategy.Evolutionary{}, s)
	var share, last float64 // of the work, after tuning and at the end
	p.OnProgress = func(at search.Progress) {
		if last = at.Share; at.Stage == task.Tuning {
			share = at.Share
		}
	}
	r := run(t, p)
	if share < 0.2 || share > 0.8 || last < 0.9 {
		t.Errorf("progress %.2f after tuning, %.2f at the end", share, last)
	}
	worth := func(r task.Recipe) float64 {
		r.Seed, r.Training.Epochs, r.Training.Dim = 0, 1, 0
		return score(task.Trial{Recipe: r})
	}
	if before, after := worth(s.TrialRecipe()), worth(r.Recipe); after < before+1 {
		t.Errorf("the recipe is worth %.3f, and %.3f before", after, before)
	}
	tuner := newTuner(r.Settings, r.Trials)
	if n := len(tuner.rated(short(tuner.initialChoice()).Training.Epochs, s.Seed)); n != 30 {
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
				func(b ratedRecipe) bool { b.Recipe.Seed = of.Seed; return b.Recipe == of }) {
			t.Errorf("a recipe that is not of the best has seed %d", of.Seed)
		}
	}
	if got := tuner.ranked()[0].Recipe; got != r.Recipe {
		t.Errorf("the search is by %+v, not by %+v", r.Recipe, got)
	}
	for _, trial := range task.InStage(task.Retraining, r.Trials) {
		want := r.Recipe
		want.Seed, want.Training.Dim, want.Training.Epochs = trial.Recipe.Seed, 128, 60
		if trial.Recipe != want {
			t.Errorf("retrained with %+v", trial.Recipe)
		}
		if slices.ContainsFunc(task.InStage(task.Tuning, r.Trials), func(of task.Trial) bool {
			return of.Recipe.Seed == trial.Recipe.Seed
		}) {
			t.Errorf("the seed %d of retraining has chosen the recipe", trial.Recipe.Seed)
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
		on := fakeTask{score: recipeScore(0), before: interruptedAfter(&left)}
		p := problem(on, strategy.Evolutionary{}, s)
		p.Store = store
		return run(t, p)
	}
	whole := withoutSeconds(run(&search.Memory{}, math.MaxInt).Trials)
	for calls := range 40 {
		store := &search.Memory{}
		if r := run(store, calls); r.Stopped != search.Interrupted {
			if calls < 20 {
				t.Errorf("over after %d trainings", calls)
			}
			return
		}
		if got := withoutSeconds(run(store, math.MaxInt).Trials); !reflect.DeepEqual(got, whole) {
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
		models := baselines(s, base)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		for range rapid.IntRange(1, 25).Draw(t, "recipes") {
			r, found := space.draw(base, tried, models, rng)
			if !found {
				t.Fatal("nothing new in a large space")
			}
			if isRated(tried, r) {
				t.Fatal("a recipe twice")
			}
			if r.RelationL2 != 0.25 || r.Training.Dim != base.Training.Dim ||
				r.EntityL2 != r.Products {
				t.Fatalf("%+v", r)
			}
			for _, a := range space.axes(choice{Recipe: base}, models) {
				same := r
				a.set(&same, a.index(same))
				if same != r {
					t.Fatalf("%+v does not stand on an axis", r)
				}
			}
			tried = append(tried, ratedRecipe{r, rapid.Float64Range(0, 1).Draw(t, "score")})
		}
	})
}

// TestBlocksFitChunks: the space tries all blocks of N3 that divide the number of chunks, and no
// others.
func TestBlocksFitChunks(t *testing.T) {
	for k, want := range map[int][]int{
		0: {0}, 1: {0}, 2: {0, 2}, 3: {0}, 4: {0, 2, 4}, 6: {0, 2}, 8: {0, 2, 4, 8},
	} {
		if got := blocks(search.DefaultSpace().N3Blocks, k); !slices.Equal(got, want) {
			t.Errorf("K=%d: %v, want %v", k, got, want)
		}
	}
}

// TestTuningEndsWithTheSearch checks that recipes which a deadline left untrained stay so once
// structures are compared: another recipe could then be the best.
func TestTuningEndsWithTheSearch(t *testing.T) {
	s := tunedSettings()
	left := task.Trial{Number: 1, Stage: task.Tuning, Recipe: s.TrialRecipe(), State: task.Running}
	for stage, want := range map[task.Stage]bool{task.Tuning: false, task.Searching: true, task.HalvingRung: true} {
		state := &search.State{
			Problem: search.Problem{Task: fakeTask{}, Settings: s}, Requested: s,
			Trials: []task.Trial{left, {Number: 2, Stage: stage, Recipe: s.TrialRecipe(), State: task.Running}},
		}
		if step, err := (Tuning{}).Next(t.Context(), state); err != nil || step.Done != want {
			t.Errorf("with a trial of stage %v: %+v, %v", stage, step, err)
		}
	}
}
