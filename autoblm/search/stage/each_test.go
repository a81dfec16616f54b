package stage

import (
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"gonum.org/v1/gonum/floats"
	"pgregory.net/rapid"
)

// TestPenaltySpaceDraws: drawn recipes are new, can train their model, and have values of the axes
// and weights of one kind of penalty. Models without a structure never have IVR or a translation.
func TestPenaltySpaceDraws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := search.TimedSettings()
		model := task.Trial{Structure: simple(rapid.SampledFrom([]int{2, 3, 4, 8}).Draw(t, "k"))}
		if rapid.Bool().Draw(t, "block") {
			model = task.Trial{Form: form.Block(4)}
		}
		s.Training.Dim = 48
		s.Training.Reciprocal = rapid.Bool().Draw(t, "reciprocal")
		space, base := recipeSpace{*search.PenaltySpace()}, s.TrialRecipe()
		models := []task.Trial{model}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		var tried []ratedRecipe
		for range rapid.IntRange(1, 30).Draw(t, "recipes") {
			r, found := space.draw(base, tried, models, rng)
			if !found || isRated(tried, r) {
				t.Fatal("nothing new in a large space")
			}
			model := r.trial(model)
			if err := r.Training.ValidateFor(model.Member()); err != nil {
				t.Fatal(err)
			}
			kinds := 0
			for _, has := range []bool{
				r.N3+r.EntityN3+r.RelationN3 > 0, r.EntityL2+r.Products > 0, r.HasIVR(),
			} {
				if has {
					kinds++
				}
			}
			if kinds > 1 {
				t.Fatalf("several kinds of penalties: %s", r.Terms())
			}
			if model.Form != form.Bilinear && (r.HasIVR() || r.Training.Translate) {
				t.Fatalf("%v has %s", model.Form, r.Terms())
			}
			for _, a := range space.axes(choice{Recipe: base}, models) {
				same := r
				if a.isIn(same) {
					a.set(&same, a.index(same))
				}
				if same != r {
					t.Fatalf("%s does not stand on an axis", r.Terms())
				}
			}
			tried = append(tried, ratedRecipe{r, rapid.Float64Range(0, 1).Draw(t, "score")})
		}
	})
}

// TestPenaltySpaceIsReached: random recipes have each value of each axis, and the estimate leaves
// each possible.
func TestPenaltySpaceIsReached(t *testing.T) {
	s := search.TimedSettings()
	space, base := recipeSpace{*search.PenaltySpace()}, s.TrialRecipe()
	models := []task.Trial{{Structure: simple(8)}}
	axes := space.axes(choice{Recipe: base}, models)
	seen := make([]map[int]bool, len(axes))
	var tried []ratedRecipe
	rng := rand.New(rand.NewPCG(1, 1))
	for range 2000 {
		r, _ := space.draw(base, nil, models, rng)
		for i, a := range axes {
			if seen[i] == nil {
				seen[i] = map[int]bool{}
			}
			if a.isIn(r) {
				seen[i][a.index(r)] = true
			}
		}
		tried = append(tried, ratedRecipe{r, 0})
	}
	for i, p := range estimateAxes(axes, tried[:20]) {
		if len(seen[i]) != axes[i].size {
			t.Errorf("%d of the %d values of axis %d are drawn", len(seen[i]), axes[i].size, i)
		}
		if sum := floats.Sum(p); slices.Min(p) <= 0 || math.Abs(sum-1) > 1e-12 {
			t.Errorf("axis %d has probabilities %v", i, p)
		}
	}
}

// ownPenalty returns scores by a structure that needs DURA, and baselines that need N3 of half the
// weight of the search. Without its penalty, the structure is worse than they are.
func ownPenalty(t task.Trial) float64 {
	r := t.Recipe
	score := 10 + 0.1*math.Log(float64(r.Training.Epochs))
	switch {
	case t.Name == "" && search.PenaltyOf(r.Weights) != search.DuraPenalty:
		return score - 2 - float64(t.Structure.Nonzeros())/100
	case t.Name == "":
		return score + 1 - math.Abs(r.Products-.01)
	}
	return score - math.Abs(r.N3-.01) - math.Abs(r.LearningRate-.1)
}

func eachSettings(trials int) search.Settings {
	s := search.DefaultSettings()
	s.Budget, s.Halving, s.Predictor, s.Tune, s.RetrainDims = 9, 0, nil, nil, []int{64}
	s.TuneEach = search.EachTune(trials)
	return s
}

// TestTuneEach: each of the best structures and each baseline tries the same number of recipes and has
// the same number of trainings, and a structure that needs another penalty than the search wins.
// Retraining has the recipe of each model.
func TestTuneEach(t *testing.T) {
	const recipes = 20
	r := run(t, problem(fakeTask{score: ownPenalty}, strategy.Evolutionary{}, eachSettings(recipes)))
	short, full := map[structure.Structure]int{}, map[structure.Structure]int{}
	for _, trial := range task.InStage(task.TuningEach, r.Trials) {
		if trial.Recipe.Training.Epochs == r.Settings.Training.Epochs {
			full[trial.Canonical()]++
		} else {
			short[trial.Canonical()]++
		}
	}
	found := 0
	for a, n := range short {
		if n != recipes || full[a] != promotions(recipes) {
			t.Errorf("%v has %d short and %d full trainings", a, n, full[a])
		}
		if a.Name() == "" {
			found++
		}
	}
	if len(short) != 3+len(r.Baselines) || len(r.TunedEach) != len(short) {
		t.Errorf("%d models were tuned, %d of them found; %d are in the result", len(short), found,
			len(r.TunedEach))
	}
	best := r.TunedEach[0]
	if best.Name != "" || search.PenaltyOf(best.Recipe.Weights) != search.DuraPenalty {
		t.Errorf("the best is %v with %s", best.ModelName(), best.Recipe.Terms())
	}
	if r.Best[0].ScoreOrZero() > r.Baselines[0].ScoreOrZero() {
		t.Fatal("the structure is the best with the recipe of the search too")
	}
	for _, again := range r.Retrained {
		at := slices.IndexFunc(r.TunedEach, func(m task.Trial) bool {
			return m.Structure == again.Structure
		})
		want := r.TunedEach[at].Recipe
		if got := again.Trials[0].Recipe; got.Weights != want.Weights ||
			got.LearningRate != want.LearningRate || got.Training.Epochs != r.Settings.RetrainEpochs {
			t.Errorf("%v was tuned with %s and retrained with %s", again.Structure, want.Terms(),
				got.Terms())
		}
	}
	if search.FinalOf(r.Retrained).Best.Structure != best.Structure {
		t.Errorf("the best retrained is %v", r.Retrained[0].Structure)
	}
}

// TestTuneEachWithoutRetraining: the best model of the stage is kept.
func TestTuneEachWithoutRetraining(t *testing.T) {
	s := eachSettings(12)
	s.RetrainSeeds = 0
	r := run(t, problem(fakeTask{score: ownPenalty, artifacts: true}, strategy.Evolutionary{}, s))
	if checkKept(t, r); r.Kept.Stage != task.TuningEach || r.Kept.Number != r.TunedEach[0].Number {
		t.Errorf("kept %+v", r.Kept)
	}
}

// TestTuneEachResumes: interrupted after any training, a search has the same trials, and before its
// end it compares only trials that all models have.
func TestTuneEachResumes(t *testing.T) {
	s := eachSettings(5)
	run := func(store *search.Memory, left int) *search.Result {
		p := problem(fakeTask{score: ownPenalty, before: interruptedAfter(&left)},
			strategy.Evolutionary{}, s)
		p.Store = store
		return run(t, p)
	}
	whole := withoutSeconds(run(&search.Memory{}, math.MaxInt).Trials)
	tuned := 0
	for calls := range 200 {
		store := &search.Memory{}
		r := run(store, calls)
		if r.Stopped != search.Interrupted {
			break
		}
		models := eachModels(r.Settings, r.Trials)
		if n := len(r.TunedEach); n > 0 {
			if tuned++; n != len(models) {
				t.Errorf("after %d trainings, %d of %d models are tuned", calls, n, len(models))
			}
		}
		if got := withoutSeconds(run(store, math.MaxInt).Trials); !reflect.DeepEqual(got, whole) {
			t.Fatalf("interrupted after %d trainings, it has other trials", calls)
		}
	}
	if tuned < 5 {
		t.Errorf("interrupted %d times in the stage", tuned)
	}
}

// largerIsBetter returns scores by which a search finds better structures as it goes on. Tuning
// improves each model by at most 1.
func largerIsBetter(t task.Trial) float64 {
	score := 10 + float64(t.Structure.Nonzeros())/10 - 1/float64(t.Recipe.Training.Epochs)
	if t.Recipe.N3 != .01 {
		score--
	}
	return score
}

// TestTuneEachWithLargerBudget: interrupted in the stage and resumed with a larger budget, a search
// has equally many recipes for each of the new best models.
func TestTuneEachWithLargerBudget(t *testing.T) {
	const recipes = 5
	s := eachSettings(recipes)
	resume := func(store *search.Memory, left int) *search.Result {
		p := problem(fakeTask{score: largerIsBetter, before: interruptedAfter(&left)},
			strategy.Evolutionary{}, s)
		p.Store = store
		return run(t, p)
	}
	isTuned := func(r *search.Result) func(task.Trial) bool {
		return func(m task.Trial) bool {
			return slices.ContainsFunc(r.TunedEach, func(t task.Trial) bool { return isSameModel(t, m) })
		}
	}
	interrupted := 0
	for calls := 0; ; calls += 2 {
		store := &search.Memory{}
		s.Budget = 9
		first := resume(store, calls)
		if len(task.InStage(task.Retraining, first.Trials)) > 0 {
			break
		}
		if len(first.TunedEach) == 0 {
			continue
		}
		interrupted++
		s.Budget = 40
		r := resume(store, math.MaxInt)
		models := eachModels(r.Settings, r.Trials)
		if all := slices.ContainsFunc(models, func(m task.Trial) bool { return !isTuned(first)(m) }); !all {
			t.Fatal("the larger budget found nothing better")
		}
		tuners := endedTuners(r.Settings, r.Trials)
		if len(tuners) != len(models) || len(r.TunedEach) != len(models) {
			t.Errorf("%d of %d models are tuned", len(tuners), len(models))
		}
		for _, tuner := range tuners {
			if n := len(tuner.trials); n != 1+recipes+promotions(recipes) {
				t.Errorf("after %d trainings: %v has %d trials", calls, tuner.models[0].Structure, n)
			}
		}
	}
	if interrupted < 2 {
		t.Errorf("interrupted %d times in the stage", interrupted)
	}
}

// TestTuneEachAfterRetraining: a better structure that a larger budget finds after retraining is
// retrained too, and the models retrained before keep their recipes.
func TestTuneEachAfterRetraining(t *testing.T) {
	s := eachSettings(5)
	p := problem(fakeTask{score: largerIsBetter}, strategy.Evolutionary{}, s)
	first := run(t, p)
	p.Settings.Budget = 40
	r := run(t, p)
	best := r.Best[0]
	isOfBest := func(m search.Retrained) bool { return m.Structure == best.Structure }
	if slices.ContainsFunc(first.Retrained, isOfBest) {
		t.Fatal("the larger budget found nothing better")
	}
	if !slices.ContainsFunc(r.Retrained, isOfBest) {
		t.Errorf("the best structure, of score %.3f, is not retrained", best.ScoreOrZero())
	}
	models := tunedModels(r.Settings, r.Trials)
	if !reflect.DeepEqual(models, task.BestFirst(models)) {
		t.Error("the models are not ranked by their scores")
	}
	count := map[structure.Structure]int{}
	for _, m := range r.Retrained {
		if count[m.Structure]++; count[m.Structure] > 1 {
			t.Errorf("%v is retrained with two recipes", m.Structure)
		}
	}
}

// TestTuneEachNeedsAllModels: if the time ends in the first step of the stage, no model is tuned.
func TestTuneEachNeedsAllModels(t *testing.T) {
	r := run(t, problem(fakeTask{score: largerIsBetter}, strategy.Evolutionary{}, eachSettings(5)))
	began := slices.IndexFunc(r.Trials, func(t task.Trial) bool { return t.Stage == task.TuningEach })
	n := len(eachModels(r.Settings, r.Trials))
	trials := slices.Clone(r.Trials[:began+n])
	if tuners := endedTuners(r.Settings, trials); len(tuners) != n {
		t.Errorf("%d of %d models are tuned", len(tuners), n)
	}
	trials[began+n-1].State = task.Running
	if tuners := endedTuners(r.Settings, trials); len(tuners) > 0 {
		t.Errorf("%d of %d models are tuned", len(tuners), n)
	}
}

// TestAddedPenalties: a recipe that combines penalties loses all but one where the kind is chosen.
func TestAddedPenalties(t *testing.T) {
	space := recipeSpace{*search.PenaltySpace()}
	for _, kind := range space.Penalties {
		var r choice
		r.N3, r.EntityL2, r.Products = .03, .04, .05
		want := r.Weights
		want.N3 = 0
		if space.changePenalty(&r, kind); search.PenaltyOf(r.Weights) != kind ||
			kind == search.DuraPenalty && r.Weights != want ||
			kind != search.N3Penalty && r.N3 > 0 || kind != search.DuraPenalty && r.Products > 0 {
			t.Errorf("changed to %s, a recipe has %s", kind, r.Terms())
		}
	}
}

// TestFrequencyNeedsAPenalty: without a penalty, its frequency is no other recipe.
func TestFrequencyNeedsAPenalty(t *testing.T) {
	for name, weights := range map[string]kge.Weights{
		"no penalty": {RelationPrediction: 1}, "n3": {N3: 1}, "l2": {RelationL2: 1},
		"products": {Products: 1}, "ivr": {IVRProducts: 1}, "orthogonality": {Orthogonality: 1},
	} {
		weights.PenaltyFrequency = .5
		r := tidy(choice{Recipe: task.Recipe{Recipe: kge.Recipe{Weights: weights}}})
		if has := r.PenaltyFrequency > 0; has != (name != "no penalty") {
			t.Errorf("%s: %s", name, r.Terms())
		}
	}
}

// TestTuneEachFindsLayouts: if a model is best with some chunks in a block of N3, the stage finds an
// equivalent structure that has them in one, and retrains it.
func TestTuneEachFindsLayouts(t *testing.T) {
	s := eachSettings(60)
	own := s.NamedBaselines()[slices.IndexFunc(s.NamedBaselines(), func(b structure.Baseline) bool {
		return b.Name == "complex"
	})].Structure
	together := own.Layouts(2, 4, rand.New(rand.NewPCG(1, 1)))[3].CanonicalInBlocks(structure.Full, 2)
	score := func(t task.Trial) float64 {
		score := 10 + 0.1*math.Log(float64(t.Recipe.Training.Epochs))
		if t.Recipe.N3Block == 2 {
			score++
			if t.Structure.CanonicalInBlocks(structure.Full, 2) == together {
				score++
			}
		}
		return score
	}
	r := run(t, problem(fakeTask{score: score}, strategy.Evolutionary{}, s))
	layouts := map[structure.Structure]bool{}
	for _, trial := range task.InStage(task.TuningEach, r.Trials) {
		if trial.Name == "complex" {
			layouts[trial.Structure] = true
			if trial.Canonical() != together.Canonical(structure.Full) {
				t.Fatalf("ComplEx became %v", trial.Structure)
			}
		}
	}
	if len(layouts) < 3 {
		t.Errorf("ComplEx has %d layouts", len(layouts))
	}
	best := r.TunedEach[0]
	if best.Canonical() != together.Canonical(structure.Full) ||
		best.Structure.CanonicalInBlocks(structure.Full, 2) != together {
		t.Errorf("the best is %v, %s", best.Structure, best.Recipe.Terms())
	}
	if got := search.FinalOf(r.Retrained).Best.Structure; got != best.Structure {
		t.Errorf("the best retrained is %v, tuned was %v", got, best.Structure)
	}
}

// TestTuneEachOfOneClass: if the best structures are layouts of one class, tuning takes the best of them
// and retraining the one with the best recipe, so that other classes have their turn.
func TestTuneEachOfOneClass(t *testing.T) {
	s := eachSettings(4)
	s.Budget, s.N3, s.N3Block, s.InitialNonzeros = 40, .02, 2, 4
	score := func(t task.Trial) float64 { return 10 - float64(t.Structure.Nonzeros()) + t.Recipe.N3 }
	r := run(t, problem(fakeTask{score: score}, strategy.Evolutionary{}, s))
	canonical := map[structure.Structure]int{}
	for _, trial := range search.Proposed(r.Trials) {
		canonical[trial.Canonical()]++
	}
	if len(canonical) == len(search.Proposed(r.Trials)) {
		t.Fatal("no structures are equivalent")
	}
	tuned, retrained := map[structure.Structure]bool{}, map[structure.Structure]bool{}
	for _, m := range r.TunedEach {
		if m.Name == "" && tuned[m.Canonical()] {
			t.Errorf("%v is tuned twice", m.Canonical())
		}
		tuned[m.Canonical()] = true
	}
	later := checkLaterLayout(t, r)
	if n := len(endedTuners(r.Settings, later)); n == 0 {
		t.Error("with a better structure that was found later, no model is tuned")
	}
	for _, m := range r.Retrained {
		class := m.Structure.Canonical(structure.Full)
		if m.Name == "" && retrained[class] || !tuned[class] {
			t.Errorf("%v is retrained twice, or was not tuned", class)
		}
		retrained[class] = true
	}
}

// checkLaterLayout checks that a layout of an untuned class that a larger budget finds is not tuned, and
// is a model to retrain. It returns the trials before retraining with it.
func checkLaterLayout(t *testing.T, r *search.Result) []task.Trial {
	t.Helper()
	trials := slices.DeleteFunc(slices.Clone(r.Trials), func(t task.Trial) bool {
		return t.Stage == task.Retraining
	})
	tuned := classes{}
	isTuned := func(m task.Trial) bool {
		return slices.ContainsFunc(r.TunedEach, func(of task.Trial) bool { return tuned.of(of) == tuned.of(m) })
	}
	proposed := search.Proposed(trials)
	at := slices.IndexFunc(proposed, func(m task.Trial) bool { return m.Name == "" && !isTuned(m) })
	if at < 0 {
		t.Fatal("every class is tuned")
	}
	later, score := proposed[at], 100.0
	layouts := later.Structure.Layouts(2, 2, rand.New(rand.NewPCG(1, 1)))
	later.Structure, later.Number, later.Score = layouts[len(layouts)-1], len(r.Trials)+1, &score
	trials = append(trials, later)
	if best := tunedModels(r.Settings, trials)[0]; best.Number != later.Number {
		t.Errorf("the best model is %v", best.Structure)
	}
	return trials
}
