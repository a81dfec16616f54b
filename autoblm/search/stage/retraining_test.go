package stage

import (
	"hash/fnv"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// resplitTask is a task whose data favor DistMult, and whose other splits favor ComplEx.
type resplitTask struct{ fakeTask }

func newResplitTask(split int) resplitTask {
	scores := map[structure.Structure]float64{structure.MustParse("complex"): 0.4}
	if split == 0 {
		scores[structure.MustParse("distmult")] = 0.5
	}
	return resplitTask{fakeTask{artifacts: true, score: func(t task.Trial) float64 {
		return max(0.1, scores[t.Structure])
	}}}
}

func (resplitTask) Supports() task.Capabilities { return task.Capabilities{Resplits: true} }

func (r resplitTask) Resplit(number int) task.Task {
	other := newResplitTask(number)
	other.lost = r.lost
	return other
}

// TestSplitsDecide: a structure that only one split favors is not the best over several splits, and
// its model is not kept.
func TestSplitsDecide(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Predictor, s.RetrainSeeds = 8, nil, 2
	for splits, want := range map[int]string{0: "distmult", 3: "complex"} {
		s.RetrainSplits = splits
		r := run(t, problem(newResplitTask(0), strategy.Random{}, s))
		if got := r.Retrained[0].Name; got != want {
			t.Errorf("with %d other splits the best is %q, want %s", splits, got, want)
		}
		if checkKept(t, r); r.Kept.Name != want {
			t.Errorf("%d other splits: kept %+v, want %s", splits, r.Kept, want)
		}
		for _, retrained := range r.Retrained {
			numbers := map[int]bool{}
			for _, trial := range retrained.Splits {
				numbers[trial.Split] = true
			}
			if len(retrained.Trials) != 2 || len(retrained.Splits) != splits || len(numbers) != splits {
				t.Errorf("%s has %d seeds and %d splits, with numbers %v", retrained.Structure,
					len(retrained.Trials), len(retrained.Splits), numbers)
			}
		}
		for _, trial := range r.Trials {
			if trial.Split > 0 && trial.Stage != task.Resplit {
				t.Errorf("%+v", trial)
			}
		}
	}
}

// TestLostTrialsAreLeftOut checks that a lost trial of a stage does not lower a mean score, and that
// a split with one is not used.
func TestLostTrialsAreLeftOut(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Predictor, s.RetrainSeeds, s.RetrainSplits = 8, nil, 2, 3
	s.Tune, s.RetrainDims = search.GuidedTune(4), []int{64, 128}
	isLost := map[task.Stage]func(task.Trial) bool{
		task.Tuning:     func(t task.Trial) bool { return t.Number%3 == 0 },
		task.Sizing:     func(t task.Trial) bool { return t.Recipe.Training.Dim == 64 },
		task.Retraining: func(t task.Trial) bool { return t.Recipe.Seed == s.Seed+1 },
		task.Resplit:    func(t task.Trial) bool { return t.Split == 2 && t.Name == "distmult" },
	}
	for stage, lost := range isLost {
		on := newResplitTask(0)
		on.score = func(task.Trial) float64 { return 0.5 }
		on.lost = func(t task.Trial) bool { return t.Stage == stage && lost(t) }
		r := run(t, problem(on, strategy.Random{}, s))
		if n := len(task.InStage(stage, r.Trials)); n == 0 || task.WhyLost(r.Trials) == "" {
			t.Errorf("%s: no trial of %d is lost: the test is wrong", stage, n)
		}
		for _, recipe := range rankedRecipes(r.Settings, r.Trials) {
			if recipe.score != 0.5 && recipe.score != 0 { // all are lost
				t.Errorf("%s: a recipe has score %v", stage, recipe.score)
			}
		}
		for _, retrained := range r.Retrained {
			if retrained.Score() != 0.5 {
				t.Errorf("%s: %s has score %v", stage, retrained.Structure, retrained.Score())
			}
			if want := map[bool]int{true: 2, false: 3}[stage == task.Resplit]; len(retrained.Splits) != want {
				t.Errorf("%s: %d splits, want %d", stage, len(retrained.Splits), want)
			}
			if dim := retrained.Trials[0].Recipe.Training.Dim; stage == task.Sizing && dim != 128 {
				t.Errorf("retrained with d %d, whose trials are lost", dim)
			}
		}
	}
}

// seedsTask trains five models of consecutive seeds in each trial.
type seedsTask struct{ fakeTask }

func (seedsTask) Supports() task.Capabilities { return task.Capabilities{Seeds: 5} }

// TestSeedsAreNotShared checks that no model of a retrained structure is in two of its trials.
func TestSeedsAreNotShared(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Predictor, s.RetrainSeeds, s.Seed = 8, nil, 3, 7
	r := run(t, problem(seedsTask{fakeTask{artifacts: true, score: nonzeros}}, strategy.Random{}, s))
	for _, retrained := range r.Retrained {
		var seeds []uint64
		for _, trial := range retrained.Trials {
			seeds = append(seeds, trial.Recipe.Seed)
		}
		if slices.Sort(seeds); !slices.Equal(seeds, []uint64{12, 17, 22}) {
			t.Errorf("%s has the seeds %d", retrained.Structure, seeds)
		}
	}
}

// TestLaterSeedsDetermineKept: the best seed of the structure with the best mean over all seeds is
// kept, although others were the best before.
func TestLaterSeedsDetermineKept(t *testing.T) {
	changed := false
	for salt := range byte(3) {
		on := fakeTask{artifacts: true, size: smallSize, score: func(t task.Trial) float64 {
			h := fnv.New32a()
			h.Write(slices.Concat([]byte(t.Structure.String()), []byte{salt, byte(t.Recipe.Seed)}))
			return float64(h.Sum32()%1000) / 1000
		}}
		s := partlyPlanned()
		s.Planned.Retrain, s.Ensemble, s.Tune = true, 0, nil
		r := run(t, problem(on, strategy.Random{}, s))
		if checkKept(t, r); r.Kept.Number != bestRetrained(r.Trials).Number {
			t.Errorf("kept %+v, the best is %+v", r.Kept, r.Retrained[0])
		}
		for n, before := 1, 0; n <= len(r.Trials); n++ {
			if best := bestRetrained(r.Trials[:n]); best != nil {
				changed, before = changed || best.Number < before, best.Number
			}
		}
	}
	if !changed {
		t.Error("the best trial never changed back: the test is wrong")
	}
}

// unevenTask is a resplitTask whose second split has no validation examples.
type unevenTask struct{ resplitTask }

func (u unevenTask) Resplit(number int) task.Task {
	resplit := newResplitTask(number)
	resplit.size = smallSize
	if number == 2 {
		resplit.size.Validation = 0
	}
	return resplit
}

// TestSplitWithoutValidationIsSkipped: the other splits are used.
func TestSplitWithoutValidationIsSkipped(t *testing.T) {
	s := search.BasicSettings()
	s.Budget, s.Predictor, s.RetrainSeeds, s.RetrainSplits = 8, nil, 2, 3
	r := run(t, problem(unevenTask{newResplitTask(0)}, strategy.Random{}, s))
	for _, retrained := range r.Retrained {
		var splits []int
		for _, trial := range retrained.Splits {
			splits = append(splits, trial.Split)
		}
		if !slices.Equal(splits, []int{1, 3}) {
			t.Errorf("%s was trained on splits %v", retrained.Structure, splits)
		}
	}
}

// TestDefaultRecipeIsRetrained: retraining at another size than that of tuning also tries the recipe
// of the default model on the best structure, with the same seeds.
func TestDefaultRecipeIsRetrained(t *testing.T) {
	for _, c := range []struct {
		k    int
		dims []int
		want int // dimension of the default recipe, 0 if it is not retrained
	}{{4, []int{128}, 64}, {3, []int{126}, 63}, {4, nil, 0}} {
		score := func(t task.Trial) float64 {
			if t.Stage == task.Retraining && t.Recipe.LearningRate == .123 {
				return .9
			}
			return .01*float64(t.Structure.Nonzeros()) + .001*t.Recipe.LearningRate // which is tuned
		}
		on := fakeTask{score: score, size: smallSize, artifacts: true, hasDefault: true}
		s := partlyPlanned()
		s.K, s.RetrainDims = c.k, c.dims
		s.Training.Dim = 256 / c.k * c.k
		r := run(t, problem(on, strategy.Random{}, s))
		checkKept(t, r)
		var with []task.Trial
		for _, trial := range task.InStage(task.Retraining, r.Trials) {
			if trial.Recipe.LearningRate == .123 {
				with = append(with, trial)
			}
		}
		if c.want == 0 {
			if len(with) > 0 {
				t.Errorf("at the size of tuning: %+v", with)
			}
			continue
		}
		best := r.Retrained[0]
		if len(with) != s.RetrainSeeds || best.Name != "" || best.Suffix() != ", default recipe" ||
			best.Structure != r.Best[0].Structure || !slices.Equal(best.Seeds(), []uint64{2, 3}) ||
			with[0].Recipe.Training.Dim != c.want || r.Kept.Recipe.LearningRate != .123 {
			t.Errorf("%d chunks: %+v, kept %+v", c.k, best, r.Kept)
		}
	}
}
