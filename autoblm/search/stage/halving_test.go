package stage

import (
	"context"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// learningTask is a task in which the entries of a structure determine its score, which grows with the
// logarithm of the epochs.
type learningTask struct {
	entriesTask
	gain   float64
	failed func(structure.Structure) bool
}

func (g learningTask) fullScore(a structure.Structure, epochs int) float64 {
	worth := 0.0
	for i, x := range a.SRF() {
		worth += float64(x) / float64(i+1)
	}
	return worth + g.gain*math.Log(float64(epochs))/math.Log(3)
}

func (g learningTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) ([]task.Artifact, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	for i := range trials {
		t := &trials[i]
		if g.failed != nil && g.failed(t.Structure) {
			t.State, t.Error = task.Failed, "diverged"
			continue
		}
		score := g.fullScore(t.Structure, t.Recipe.Training.Epochs)
		t.State, t.Score = task.Complete, &score
	}
	onProgress(1)
	return nil, nil
}

func halvingSettings(rungs int) search.Settings {
	s := search.BasicSettings()
	s.Budget, s.Training.Epochs, s.Halving, s.Predictor = 50, 27, rungs, nil
	return s
}

// TestHalving: each rung promotes the best third, and the best structures have all epochs.
func TestHalving(t *testing.T) {
	settings := halvingSettings(2)
	result, err := Run(
		t.Context(),
		search.Problem{Task: learningTask{gain: 1}, Strategy: strategy.Evolutionary{}, Settings: settings},
	)
	if err != nil {
		t.Fatal(err)
	}
	if result.Trained != 50 || result.Complete != 50 || result.Stopped != search.BudgetSpent {
		t.Fatalf("%d trained, %d complete, stopped by %s", result.Trained, result.Complete,
			result.Stopped)
	}
	on := map[int][]task.Trial{}
	for i, trial := range result.Trials {
		if trial.Number != i+1 {
			t.Errorf("trial %d has number %d", i+1, trial.Number)
		}
		if trial.Round > 0 {
			on[trial.Recipe.Training.Epochs] = append(on[trial.Recipe.Training.Epochs], trial)
		}
	}
	if len(on) != 3 || len(on[3]) != 50 {
		t.Fatalf("trials by epochs: 3: %d, 9: %d, 27: %d", len(on[3]), len(on[9]), len(on[27]))
	}
	epochs := 0
	for rung, here := range []int{3, 9, 27} {
		epochs += here * len(on[here])
		if want := (halving{rungs: 2}).stage(rung); slices.ContainsFunc(on[here], func(t task.Trial) bool { return t.Stage != want }) {
			t.Errorf("trials of %d epochs are not all in stage %s", here, want)
		}
		if rung == 2 {
			break
		}
		higher := map[structure.Structure]bool{}
		for _, trial := range on[here*3] {
			higher[trial.Structure] = true
		}
		best := task.BestFirst(on[here])
		if places := (len(best) + 2) / 3; len(higher) != places {
			t.Errorf("%d of %d were promoted after %d epochs, want %d", len(higher), len(best),
				here, places)
		}
		if !higher[best[0].Structure] {
			t.Errorf("%v is the best after %d epochs and was not promoted", best[0].Structure, here)
		}
		mean := map[bool]float64{}
		for _, trial := range best {
			n := len(higher)
			if !higher[trial.Structure] {
				n = len(best) - n
			}
			mean[higher[trial.Structure]] += trial.ScoreOrZero() / float64(n)
		}
		if !(mean[true] > mean[false]) {
			t.Errorf("after %d epochs the promoted ones have a mean of %v, the others of %v",
				here, mean[true], mean[false])
		}
	}
	if most := 50*3 + 17*9 + 6*27; epochs != most {
		t.Errorf("%d epochs in all, want %d", epochs, most)
	}
	for _, trial := range result.Best {
		if trial.Stage != task.Searching || trial.Recipe.Training.Epochs != 27 {
			t.Errorf("among the best is %+v", trial)
		}
	}
}

// recordingStrategy is a strategy that records the histories it receives.
type recordingStrategy struct {
	strategy.Strategy
	histories *[][]task.Trial
}

func (s recordingStrategy) Propose(
	settings strategy.Options,
	round int,
	history []task.Trial,
	want int,
	rng *rand.Rand,
) (strategy.Proposal, error) {
	*s.histories = append(*s.histories, history)
	return s.Strategy.Propose(settings, round, history, want, rng)
}

// TestExtrapolatedScores: if all structures gain the same with more epochs, a strategy sees each
// structure once, with its score after all epochs.
func TestExtrapolatedScores(t *testing.T) {
	learner := learningTask{gain: 2.5}
	var histories [][]task.Trial
	_, err := Run(
		t.Context(),
		search.Problem{
			Task:     learner,
			Strategy: recordingStrategy{strategy.Evolutionary{}, &histories},
			Settings: halvingSettings(2),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	if len(histories) < 5 {
		t.Fatalf("%d rounds", len(histories))
	}
	for round, history := range histories {
		known := map[structure.Structure]bool{}
		for _, trial := range history {
			if want := learner.fullScore(trial.Structure, 27); math.Abs(trial.ScoreOrZero()-want) > 1e-9 {
				t.Errorf("round %d: %v has %v, by all epochs %v", round+1, trial.Structure,
					trial.ScoreOrZero(), want)
			}
			if known[trial.Structure] {
				t.Errorf("round %d: %v is there twice", round+1, trial.Structure)
			}
			known[trial.Structure] = true
		}
	}
}

// TestDivergedOnRung: a diverged structure counts as trained and is not promoted.
func TestDivergedOnRung(t *testing.T) {
	odd := func(a structure.Structure) bool { return a.Nonzeros()%2 == 1 }
	result, err := Run(
		t.Context(),
		search.Problem{
			Task:     learningTask{failed: odd},
			Strategy: strategy.Random{},
			Settings: halvingSettings(1),
		},
	)
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, trial := range result.Trials {
		if trial.State != task.Failed {
			continue
		}
		failed++
		if trial.Stage != task.HalvingRung {
			t.Errorf("promoted: %+v", trial)
		}
	}
	if failed == 0 || result.Trained != 50 || result.Complete != 50-failed {
		t.Errorf("%d trained, %d complete, %d failed", result.Trained, result.Complete, failed)
	}
}

// TestWarmStart: the strategy sees the baselines before its first round and proposes none of their
// classes; without a warm start it sees none.
func TestWarmStart(t *testing.T) {
	for _, known := range []bool{false, true} {
		settings := halvingSettings(0)
		settings.WarmStart = known
		var histories [][]task.Trial
		result, err := Run(
			t.Context(),
			search.Problem{
				Task:     learningTask{},
				Strategy: recordingStrategy{strategy.Evolutionary{}, &histories},
				Settings: settings,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		var first []string
		for _, trial := range histories[0] {
			first = append(first, trial.Name)
		}
		var named []string
		if known {
			for _, trial := range result.Baselines {
				named = append(named, trial.Name)
			}
		}
		slices.Sort(first)
		slices.Sort(named)
		if !reflect.DeepEqual(first, named) {
			t.Errorf("known %v: the first round sees %v, want %v", known, first, named)
		}
		classes := map[structure.Structure]bool{}
		for _, trial := range result.Baselines {
			classes[trial.Canonical()] = true
		}
		for _, trial := range result.Trials {
			if known && trial.Round > 0 && classes[trial.Canonical()] {
				t.Errorf("%v was proposed, which is equivalent to a baseline", trial.Structure)
			}
		}
	}
}

// TestLoweredBudgetOnRungs: proposals beyond a lower budget are not trained; the others are promoted.
func TestLoweredBudgetOnRungs(t *testing.T) {
	settings, store := halvingSettings(1), &search.Memory{}
	settings.Budget = 16
	ctx, cancel := context.WithCancel(t.Context())
	var histories [][]task.Trial
	result, err := Run(
		ctx,
		search.Problem{
			Task:     learningTask{},
			Strategy: recordingStrategy{strategy.Random{}, &histories},
			Settings: settings,
			Store:    store,
			OnProgress: func(search.Progress) {
				if len(histories) == 2 {
					cancel()
				}
			},
		},
	)
	if err != nil || result.Trained != 8 || len(search.Proposed(result.Trials)) != 16 {
		t.Fatalf("%d trained of %d, %v", result.Trained, len(search.Proposed(result.Trials)), err)
	}
	settings.Budget = 10
	result, err = Run(
		t.Context(),
		search.Problem{
			Task:     learningTask{},
			Strategy: strategy.Random{},
			Settings: settings,
			Store:    store,
		},
	)
	if err != nil || result.Trained != 10 || len(result.Best) < 4 {
		t.Errorf("%d trained, %d best, %v", result.Trained, len(result.Best), err)
	}
}
