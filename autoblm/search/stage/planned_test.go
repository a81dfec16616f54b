package stage

import (
	"context"
	"errors"
	"hash/fnv"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// partlyPlanned returns settings with a time limit and given numbers of trials, so that the trials do
// not depend on the speed of the machine.
func partlyPlanned() search.Settings {
	s := search.TimedSettings()
	s.TimeLimit, s.Predictor = time.Hour, nil
	s.Budget, s.Tune, s.RetrainSeeds, s.RetrainDims = 9, search.GuidedTune(6), 2, []int{64, 128}
	s.Planned = &search.Planned{Dim: true, Epochs: true}
	return s
}

// TestPlannedSearchResumes: interrupted in any training, also while measuring, a search with a plan
// resumes with the same trials and repeats no training.
func TestPlannedSearchResumes(t *testing.T) {
	run := func(store *search.Memory, left int) (*search.Result, int) {
		all := left
		r, err := Run(
			t.Context(),
			search.Problem{
				Task:     sizedTask{recipeTask{hidden: hiddenRecipe(), left: &left}},
				Strategy: strategy.Evolutionary{},
				Settings: partlyPlanned(),
				Store:    store,
			},
		)
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Trials {
			r.Trials[i].Seconds = 0
		}
		return r, all - left
	}
	whole, trainings := run(&search.Memory{}, math.MaxInt)
	if whole.Stopped != search.BudgetSpent || !whole.Plan.Ended || whole.Plan.Structures != 9 ||
		len(whole.Retrained) != 5 {
		t.Fatalf("stopped by %q, %+v, %d retrained", whole.Stopped, whole.Plan,
			len(whole.Retrained))
	}
	for calls := range trainings {
		store := &search.Memory{}
		if r, _ := run(store, calls); r.Stopped != search.Interrupted ||
			r.Plan != nil && r.Plan.Ended {
			t.Fatalf("interrupted in training %d, it ended by %q", calls+1, r.Stopped)
		}
		if r, _ := run(store, math.MaxInt); !reflect.DeepEqual(r.Trials, whole.Trials) ||
			r.Stopped != whole.Stopped {
			t.Fatalf("interrupted in training %d, it has other trials", calls+1)
		}
		if r, more := run(store,
			math.MaxInt); more != 0 || !reflect.DeepEqual(r.Trials, whole.Trials) ||
			r.Stopped != whole.Stopped {
			t.Fatalf("interrupted in training %d and ended, it trained %d times", calls+1, more)
		}
	}
}

// stallingTask is a task whose trainings of a stage never end, apart from the first ones.
type stallingTask struct {
	sizedTask
	stage     task.Stage
	after     *int
	trainings *int
}

func (f stallingTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) (left []task.Artifact, err error) {
	*f.trainings++
	if trials[0].Stage == f.stage && trials[0].Number > 0 { // and not measured
		*f.after--
	}
	if *f.after < 0 {
		if end, cut := task.StopTime(ctx); cut {
			time.Sleep(time.Until(end))
			for i := range trials {
				trials[i].StoppedEarly = true
			}
		} else {
			<-ctx.Done()
			return nil, ctx.Err()
		}
	}
	_, err = f.sizedTask.Train(ctx, trials, onProgress)
	for _, trial := range trials {
		left = append(left, artifactOf(trial))
	}
	return left, err
}

// TestTimeLimitEndsEachStage: a plan always has a best model, and only a longer time limit resumes it.
func TestTimeLimitEndsEachStage(t *testing.T) {
	for _, stage := range []task.Stage{task.Tuning, task.HalvingRung, task.Searching, task.Sizing, task.Retraining} {
		for after := range 2 {
			s, store, left, trainings := partlyPlanned(), &search.Memory{}, after, 0
			s.TimeLimit, s.Halving = 300*time.Millisecond, 1
			run := func() *search.Result {
				return run(
					t,
					search.Problem{
						Task: stallingTask{
							sizedTask{recipeTask{hidden: hiddenRecipe()}},
							stage,
							&left,
							&trainings,
						},
						Strategy: strategy.Random{},
						Settings: s,
						Store:    store,
					},
				)
			}
			first := run()
			if first.Kept == nil || first.Artifact == nil || !first.Plan.Ended {
				t.Fatalf("%s, after %d trainings: kept %+v by %+v", stage, after, first.Kept,
					first.Plan)
			}
			checkKept(t, first)
			before := trainings
			if again := run(); trainings != before ||
				!reflect.DeepEqual(again, withResumed(first, again.Resumed)) {
				t.Errorf("%s, after %d trainings: once more, it trained %d times, and is %+v",
					stage, after, trainings-before, again)
			}
		}
	}
}

// withResumed returns a result with another number of resumed trials.
func withResumed(r *search.Result, resumed int) *search.Result {
	same := *r
	same.Resumed = resumed
	return &same
}

// sizedScoredTask is a scoredTask of known size.
type sizedScoredTask struct{ scoredTask }

func (sizedScoredTask) Size() task.Size { return sizedTask{}.Size() }

// TestLaterSeedsDetermineKept: the best seed of the structure with the best mean over all seeds is
// kept, although others were the best before.
func TestLaterSeedsDetermineKept(t *testing.T) {
	changed := false
	for salt := range byte(3) {
		score := func(trial task.Trial) float64 {
			h := fnv.New32a()
			h.Write([]byte(trial.Structure.String()))
			h.Write([]byte{salt, byte(trial.Recipe.Seed)})
			return float64(h.Sum32()%1000) / 1000
		}
		s := partlyPlanned()
		s.Planned.Retrain, s.Ensemble, s.Tune = true, 0, nil
		r := run(
			t,
			search.Problem{
				Task:     sizedScoredTask{scoredTask{score: score}},
				Strategy: strategy.Random{},
				Settings: s,
			},
		)
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

// TestNoPlanWithoutTimeLimit: a search that was interrupted before it had a plan needs a time limit.
func TestNoPlanWithoutTimeLimit(t *testing.T) {
	s := partlyPlanned()
	s.TimeLimit = 0
	if _, err := Run(t.Context(),
		search.Problem{Task: sizedTask{}, Strategy: strategy.Random{}, Settings: s}); !errors.Is(err, ErrNoTimeLimit) {
		t.Error(err)
	}
}

// unsizedTask is a task of unknown size that records the measured steps.
type unsizedTask struct {
	recipeTask
	steps *[]int
}

func (f unsizedTask) Train(
	ctx context.Context,
	trials []task.Trial,
	onProgress func(float64),
) ([]task.Artifact, error) {
	if trials[0].Number == 0 {
		*f.steps = append(*f.steps, trials[0].Recipe.Training.MaxSteps)
	}
	return f.recipeTask.Train(ctx, trials, onProgress)
}

// TestTaskWithoutSize: a task of unknown size is timed by whole epochs.
func TestTaskWithoutSize(t *testing.T) {
	var steps []int
	r := run(
		t,
		search.Problem{
			Task:     unsizedTask{recipeTask{hidden: hiddenRecipe()}, &steps},
			Strategy: strategy.Random{},
			Settings: partlyPlanned(),
		},
	)
	if len(steps) == 0 || r.Plan.MaxSteps != 0 || len(r.Best) == 0 {
		t.Errorf("%d trainings were timed, for %+v", len(steps), r.Plan)
	}
	for _, n := range steps {
		if n != 0 {
			t.Errorf("timed by %d steps of an epoch", n)
		}
	}
}
