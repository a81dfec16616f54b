package stage

import (
	"context"
	"math"
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// virtualTraining returns what a fakeTask does before a training: time passes, in proportion to the
// steps and dimensions of the trials, until the training ends or the time limit is reached. Each
// epoch of dimension 64 has eight steps and takes the given time. The training after the left ones
// is interrupted.
func virtualTraining(
	epoch time.Duration, left *int,
) func(context.Context, []task.Trial) error {
	interrupted := interruptedAfter(left)
	return func(ctx context.Context, trials []task.Trial) error {
		if trials[0].Number > 0 { // not while measuring
			if err := interrupted(ctx, trials); err != nil {
				return err
			}
		}
		var all time.Duration
		for _, t := range trials {
			s, steps := t.Recipe.Training, 8
			if s.MaxSteps > 0 {
				steps = min(steps, s.MaxSteps)
			}
			all += epoch * time.Duration(s.Epochs*steps*s.Dim) / (8 * 64)
		}
		stop, stopsEarly := task.StopTime(ctx)
		for i := range trials {
			trials[i].StoppedEarly = stopsEarly && time.Until(stop) < all
		}
		if stopsEarly {
			all = min(all, time.Until(stop))
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(all):
			return nil
		}
	}
}

// TestTimedSearchesResume: interrupted in one of several trainings, a search with a time limit
// resumes with the same trials, whatever its plan is. A slow default model leaves time for another.
// A virtual clock makes the plans reproducible. The dimension of the default model is measured once:
// each measurement would give another one.
func TestTimedSearchesResume(t *testing.T) {
	for name, c := range map[string]struct {
		epoch  time.Duration // of dimension 64
		change func(*search.Settings)
		check  func(*search.Result) bool
	}{
		"planned": {150 * time.Millisecond, func(*search.Settings) {}, func(r *search.Result) bool {
			return r.Trained > 0 && hasStage(r, task.Tuning, task.Retraining)
		}},
		"no search": {1200 * time.Millisecond, func(*search.Settings) {}, func(r *search.Result) bool {
			return r.Plan.NoSearch && len(r.Trials) == 2 && r.Trials[1].StoppedEarly
		}},
		"slow default model": {20 * time.Second, func(*search.Settings) {}, func(r *search.Result) bool {
			return r.Trials[0].StoppedEarly && len(r.Trials) == 2 && r.Trials[1].Name == "quate"
		}},
		"three chunks": {150 * time.Millisecond, func(s *search.Settings) {
			s.K, s.Training.Dim = 3, 255
		}, func(r *search.Result) bool {
			return len(r.Baselines) == 0 && hasStage(r, task.Default, task.Retraining)
		}},
		"no retraining": {150 * time.Millisecond, func(s *search.Settings) {
			s.RetrainSeeds, s.Planned.Retrain = 0, false
		}, func(r *search.Result) bool {
			return len(r.Retrained) == 1 && hasStage(r, task.Tuning)
		}},
		"given sizes": {40 * time.Millisecond, func(s *search.Settings) {
			*s = partlyPlanned()
		}, func(r *search.Result) bool { return len(r.Retrained) == 7 }},
		"own recipes": {40 * time.Millisecond, func(s *search.Settings) {
			*s = partlyPlanned()
			s.FewerK, s.TuneEach = []int{2}, search.EachTune(4)
		}, func(r *search.Result) bool { return hasStage(r, task.TuningEach, task.Retraining) }},
	} {
		t.Run(name, func(t *testing.T) {
			s := search.TimedSettings()
			s.Predictor, s.Ensemble = nil, 0
			if c.change(&s); s.TimeLimit == 0 {
				s.TimeLimit = 5 * time.Minute
			}
			measured := 0
			run := func(t *testing.T, store *search.Memory, trainings int) (r *search.Result, trained int) {
				synctest.Test(t, func(t *testing.T) {
					left := trainings
					on := fakeTask{
						score: recipeScore(0), size: smallSize, artifacts: true, hasDefault: true,
						before: virtualTraining(c.epoch, &left),
						fitDim: func(float64) int { measured++; return 64 << (measured % 3) },
					}
					p := problem(on, strategy.Random{}, s)
					p.Store = store
					r = runWithin(t, p)
					trained = trainings - max(0, left)
				})
				return r, trained
			}
			measured = 0
			whole, trainings := run(t, &search.Memory{}, math.MaxInt)
			if measured != 1 || whole.Trials[0].Recipe.Training.Dim != 128 || !c.check(whole) {
				t.Fatalf("%d measurements, %+v, %d trials", measured, whole.Plan, len(whole.Trials))
			}
			for calls := 0; calls < trainings; calls += 1 + trainings/4 {
				measured = 0
				store := &search.Memory{}
				if r, _ := run(t, store, calls); r.Stopped != search.Interrupted {
					t.Fatalf("interrupted in training %d, it ended by %q", calls+1, r.Stopped)
				}
				resumed, more := run(t, store, math.MaxInt)
				if !reflect.DeepEqual(resumed.Trials, whole.Trials) || more != trainings-calls {
					t.Errorf("interrupted in training %d, it trained %d instead of %d, with %d trials "+
						"instead of %d", calls+1, more, trainings-calls, len(resumed.Trials),
						len(whole.Trials))
				}
				checkKept(t, resumed)
			}
		})
	}
}

// runWithin runs a search in the bubble of a virtual clock.
func runWithin(t *testing.T, p search.Problem) *search.Result {
	t.Helper()
	r := run(t, p)
	r.Trials = withoutSeconds(r.Trials)
	return r
}

// hasStage reports whether a result has trials of all given stages.
func hasStage(r *search.Result, stages ...task.Stage) bool {
	for _, stage := range stages {
		if len(task.InStage(stage, r.Trials)) == 0 {
			return false
		}
	}
	return true
}
