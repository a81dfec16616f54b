package stage

import (
	"context"
	"errors"
	"math"
	"reflect"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

var smallSize = task.Size{Examples: 1000, Entities: 100, Validation: 100, Test: 100}

// partlyPlanned returns settings with a time limit and given numbers of trials, so that the trials
// do not depend on the speed of the machine.
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
	run := func(store *search.Memory, trainings int) (*search.Result, int) {
		left := trainings
		on := fakeTask{score: recipeScore(0), before: interruptedAfter(&left), size: smallSize}
		on.hasDefault = true
		p := problem(on, strategy.Evolutionary{}, partlyPlanned())
		p.Store = store
		r := run(t, p)
		r.Trials = withoutSeconds(r.Trials)
		return r, trainings - left
	}
	whole, trainings := run(&search.Memory{}, math.MaxInt)
	if whole.Stopped != search.BudgetSpent || !whole.Plan.Ended || whole.Plan.Structures != 9 ||
		len(whole.Retrained) != 7 || whole.Trials[0].Stage != task.Default {
		t.Fatalf("stopped by %q, %+v, %d retrained", whole.Stopped, whole.Plan,
			len(whole.Retrained))
	}
	for calls := range trainings {
		store := &search.Memory{}
		r, _ := run(store, calls)
		if r.Stopped != search.Interrupted || r.Plan != nil && r.Plan.Ended {
			t.Fatalf("interrupted in training %d, it ended by %q", calls+1, r.Stopped)
		}
		for _, what := range []string{"resumed", "ended"} {
			r, more := run(store, math.MaxInt)
			if !reflect.DeepEqual(r.Trials, whole.Trials) || r.Stopped != whole.Stopped {
				t.Fatalf("interrupted in training %d and %s, it has other trials", calls+1, what)
			}
			if what == "ended" && more != 0 {
				t.Fatalf("interrupted in training %d and ended, it trained %d times", calls+1, more)
			}
		}
	}
}

// TestTimeLimitEndsEachStage: a search with a plan always has a best model, and only a longer time
// limit resumes it. In one stage, the trainings never end, apart from the first ones.
func TestTimeLimitEndsEachStage(t *testing.T) {
	for _, stage := range []task.Stage{
		task.Tuning, task.HalvingRung, task.Searching, task.Sizing, task.Retraining,
	} {
		for after := range 2 {
			left, trainings := after, 0
			stall := func(ctx context.Context, trials []task.Trial) error {
				trainings++
				if trials[0].Stage == stage && trials[0].Number > 0 { // measurements have no number
					left--
				}
				if left >= 0 {
					return nil
				}
				stop, stopsEarly := task.StopTime(ctx)
				if !stopsEarly {
					<-ctx.Done()
					return ctx.Err()
				}
				time.Sleep(time.Until(stop))
				for i := range trials {
					trials[i].StoppedEarly = true
				}
				return nil
			}
			on := fakeTask{score: recipeScore(0), before: stall, size: smallSize, artifacts: true}
			p := problem(on, strategy.Random{}, partlyPlanned())
			p.Settings.TimeLimit, p.Settings.Halving = 300*time.Millisecond, 1
			first := run(t, p)
			if first.Kept == nil || first.Artifact == nil || !first.Plan.Ended {
				t.Fatalf("%s, after %d trainings: kept %+v by %+v", stage, after, first.Kept,
					first.Plan)
			}
			checkKept(t, first)
			before, again := trainings, run(t, p)
			first.Resumed = again.Resumed
			if trainings != before || !reflect.DeepEqual(again, first) {
				t.Errorf("%s, after %d trainings: once more, it trained %d times, and is %+v",
					stage, after, trainings-before, again)
			}
		}
	}
}

// TestNoPlanWithoutTimeLimit: a search that was interrupted before it had a plan needs a time limit.
func TestNoPlanWithoutTimeLimit(t *testing.T) {
	s := partlyPlanned()
	s.TimeLimit = 0
	p := problem(fakeTask{size: smallSize}, strategy.Random{}, s)
	if _, err := Run(t.Context(), p); !errors.Is(err, ErrNoTimeLimit) {
		t.Error(err)
	}
}

// TestTaskWithoutSize: a task of unknown size is timed by whole epochs.
func TestTaskWithoutSize(t *testing.T) {
	var steps []int
	on := fakeTask{score: recipeScore(0), before: func(_ context.Context, trials []task.Trial) error {
		if trials[0].Number == 0 {
			steps = append(steps, trials[0].Recipe.Training.MaxSteps)
		}
		return nil
	}}
	r := run(t, problem(on, strategy.Random{}, partlyPlanned()))
	if len(steps) == 0 || r.Plan.MaxSteps != 0 || len(r.Best) == 0 {
		t.Errorf("%d trainings were timed, for %+v", len(steps), r.Plan)
	}
	for _, n := range steps {
		if n != 0 {
			t.Errorf("timed by %d steps of an epoch", n)
		}
	}
}

// TestPlanIsStored: a resumed search follows its plan at any speed, and a longer time limit makes
// another plan with more structures.
func TestPlanIsStored(t *testing.T) {
	s := search.TimedSettings()
	s.TimeLimit, s.Predictor = 300*time.Millisecond, nil
	p := problem(fakeTask{score: recipeScore(0), size: smallSize}, strategy.Random{}, s)
	first := run(t, p)
	if first.Plan == nil || len(first.Best) == 0 {
		t.Fatalf("%+v", first)
	}
	again := run(t, p)
	if !reflect.DeepEqual(again.Trials, first.Trials) ||
		!reflect.DeepEqual(again.Plan, first.Plan) || again.Stopped != first.Stopped ||
		again.Note != first.Note {
		t.Errorf("an ended search resumed with %+v, stopped by %q, %q", again.Plan, again.Stopped,
			again.Note)
	}
	p.Settings.TimeLimit *= 4
	longer := run(t, p)
	if longer.Plan.Limit != p.Settings.TimeLimit || longer.Plan.Dim != first.Plan.Dim ||
		len(search.Proposed(longer.Trials)) <= len(search.Proposed(first.Trials)) {
		t.Errorf("more time: %+v after %+v", longer.Plan, first.Plan)
	}
}
