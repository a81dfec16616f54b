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
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// learned returns scores by structure, which grow with the logarithm of the epochs.
func learned(gain float64) func(task.Trial) float64 {
	return func(t task.Trial) float64 {
		score := gain * math.Log(float64(t.Recipe.Training.Epochs)) / math.Log(3)
		for i, x := range t.Structure.SRF() {
			score += float64(x) / float64(i+1)
		}
		return score
	}
}

func halvingSettings(rungs int) search.Settings {
	s := search.BasicSettings()
	s.Budget, s.Training.Epochs, s.Halving, s.Predictor = 50, 27, rungs, nil
	return s
}

// TestHalving: each rung promotes the best third, and the best structures have all epochs.
func TestHalving(t *testing.T) {
	result := run(t, problem(fakeTask{score: learned(1)}, strategy.Evolutionary{}, halvingSettings(2)))
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
		stage := (halving{rungs: 2}).stage(rung)
		if len(task.InStage(stage, on[here])) != len(on[here]) {
			t.Errorf("trials of %d epochs are not all in stage %s", here, stage)
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
	o strategy.Options, round int, history []task.Trial, want int, rng *rand.Rand,
) (strategy.Proposal, error) {
	*s.histories = append(*s.histories, history)
	return s.Strategy.Propose(o, round, history, want, rng)
}

// TestExtrapolatedScores: if all structures gain the same with more epochs, a strategy sees each
// structure once, with its score after all epochs.
func TestExtrapolatedScores(t *testing.T) {
	score := learned(2.5)
	var histories [][]task.Trial
	by := recordingStrategy{strategy.Evolutionary{}, &histories}
	run(t, problem(fakeTask{score: score}, by, halvingSettings(2)))
	if len(histories) < 5 {
		t.Fatalf("%d rounds", len(histories))
	}
	for round, history := range histories {
		known := map[structure.Structure]bool{}
		for _, trial := range history {
			full := trial
			full.Recipe.Training.Epochs = 27
			if want := score(full); math.Abs(trial.ScoreOrZero()-want) > 1e-9 {
				t.Errorf("round %d: %v has %v, with all epochs %v", round+1, trial.Structure,
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
	score := func(t task.Trial) float64 {
		if t.Structure.Nonzeros()%2 == 1 {
			return math.NaN()
		}
		return learned(0)(t)
	}
	result := run(t, problem(fakeTask{score: score}, strategy.Random{}, halvingSettings(1)))
	failed := 0
	for _, trial := range result.Trials {
		if trial.State != task.Diverged {
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
	for _, warm := range []bool{false, true} {
		settings := halvingSettings(0)
		settings.WarmStart = warm
		var histories [][]task.Trial
		by := recordingStrategy{strategy.Evolutionary{}, &histories}
		result := run(t, problem(fakeTask{score: learned(0)}, by, settings))
		var first, want []string
		for _, trial := range histories[0] {
			first = append(first, trial.Name)
		}
		classes := map[structure.Structure]bool{}
		if warm {
			for _, trial := range result.Baselines {
				want = append(want, trial.Name)
				classes[trial.Canonical()] = true
			}
		}
		slices.Sort(first)
		slices.Sort(want)
		if !slices.Equal(first, want) {
			t.Errorf("warm start %v: the first round sees %v, want %v", warm, first, want)
		}
		for _, trial := range result.Trials {
			if trial.Round > 0 && classes[trial.Canonical()] {
				t.Errorf("%v was proposed, which is equivalent to a baseline", trial.Structure)
			}
		}
	}
}

// TestLoweredBudgetOnRungs: proposals beyond a lower budget are not trained; the others are
// promoted.
func TestLoweredBudgetOnRungs(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	var histories [][]task.Trial
	by := recordingStrategy{strategy.Random{}, &histories}
	p := problem(fakeTask{score: learned(0)}, by, halvingSettings(1))
	p.Settings.Budget = 16
	p.OnProgress = func(search.Progress) {
		if len(histories) == 2 {
			cancel()
		}
	}
	result, err := Run(ctx, p)
	if err != nil || result.Trained != 8 || len(search.Proposed(result.Trials)) != 16 {
		t.Fatalf("%d trained of %d, %v", result.Trained, len(search.Proposed(result.Trials)), err)
	}
	p.Settings.Budget = 10
	if result = run(t, p); result.Trained != 10 || len(result.Best) < 4 {
		t.Errorf("%d trained, %d best", result.Trained, len(result.Best))
	}
}

// TestTimeLimitEndsTrainings: the time limit discards running trainings in each stage, and a resumed
// search has the same results as one without a limit.
func TestTimeLimitEndsTrainings(t *testing.T) {
	p := problem(fakeTask{score: learned(1)}, strategy.Evolutionary{}, halvingSettings(2))
	p.Settings.WarmStart, p.Settings.Final = true, search.DefaultFinal()
	want := run(t, p)
	for _, from := range []int{6, 20, want.Finals[0].Number} {
		endless := func(ctx context.Context, trials []task.Trial) error {
			if trials[0].Number < from {
				return nil
			}
			<-ctx.Done()
			return ctx.Err()
		}
		p.Store = &search.Memory{}
		limited := p
		limited.Task = fakeTask{score: learned(1), before: endless}
		limited.Settings.TimeLimit = 200 * time.Millisecond
		if r := run(t, limited); r.Stopped != search.TimeLimitReached {
			t.Fatalf("from trial %d on: stopped by %q", from, r.Stopped)
		}
		if r := run(t, p); !reflect.DeepEqual(withoutSeconds(r.Trials), withoutSeconds(want.Trials)) {
			t.Errorf("from trial %d on: the resumed search has other results", from)
		}
	}
}

// TestBaselinesTakeNoPlaces checks that a baseline which a strategy proposed, and which trains for all
// epochs at once, does not take the place of a structure on a rung.
func TestBaselinesTakeNoPlaces(t *testing.T) {
	h := halving{rungs: 1, full: halvingSettings(1).TrialRecipe()}
	trial := func(rung int, name, s string, score float64) task.Trial {
		return task.Trial{
			Round: 1, Stage: h.stage(rung), Name: name, Structure: structure.MustParse(s),
			Recipe: h.recipe(rung), State: task.Complete, Score: &score,
		}
	}
	all := []task.Trial{
		trial(0, "", "1,2,3,4;0,0,0,0;0,0,0,0;0,0,0,0", .3), trial(0, "", "1,2,3,-4;0,0,0,0;0,0,0,0;0,0,0,0", .2),
		trial(1, "complex", "complex", .4),
	}
	promoted := h.promote(all)
	if len(promoted) != 1 || promoted[0].Structure != all[0].Structure {
		t.Errorf("promoted %+v", promoted)
	}
	promoted[0].State, promoted[0].Score = task.Complete, all[0].Score
	if again := h.promote(append(all, promoted...)); len(again) > 0 {
		t.Errorf("promoted %+v again", again)
	}
}
