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

// asked are settings of a search by minutes that is told how many of all to train, so that its
// trials do not depend on how fast it is.
func asked() search.Settings {
	s := search.TimedSettings()
	s.TimeLimit, s.Predictor = time.Hour, nil
	s.Budget, s.Tune, s.RetrainSeeds, s.RetrainDims = 9, search.GuidedTune(6), 2, []int{64, 128}
	s.Planned = &search.Planned{Dim: true, Epochs: true}
	return s
}

// TestPlannedSearchGoesOn: interrupted in any training, those of the measurement before the plan
// counted, the same search comes to the same trials, and trains nothing once more.
func TestPlannedSearchGoesOn(t *testing.T) {
	run := func(store *search.Memory, left int) (*search.Result, int) {
		all := left
		r, err := Run(t.Context(), search.Problem{Task: sized{tasted{hidden: hiddenRecipe(), left: &left}}, Strategy: strategy.Evolutionary{}, Settings: asked(), Store: store})
		if err != nil {
			t.Fatal(err)
		}
		for i := range r.Trials {
			r.Trials[i].Seconds = 0
		}
		return r, all - left
	}
	whole, trainings := run(&search.Memory{}, math.MaxInt)
	if whole.Stopped != search.BudgetSpent || !whole.Plan.Ended || whole.Plan.Structures != 9 || len(whole.Retrained) != 5 {
		t.Fatalf("it ended by %q, %+v, with %d trained again", whole.Stopped, whole.Plan, len(whole.Retrained))
	}
	for calls := range trainings {
		store := &search.Memory{}
		if r, _ := run(store, calls); r.Stopped != search.Interrupted || r.Plan != nil && r.Plan.Ended {
			t.Fatalf("interrupted in training %d, it ended by %q", calls+1, r.Stopped)
		}
		if r, _ := run(store, math.MaxInt); !reflect.DeepEqual(r.Trials, whole.Trials) || r.Stopped != whole.Stopped {
			t.Fatalf("interrupted in training %d, it has other trials", calls+1)
		}
		if r, more := run(store, math.MaxInt); more != 0 || !reflect.DeepEqual(r.Trials, whole.Trials) || r.Stopped != whole.Stopped {
			t.Fatalf("interrupted in training %d and ended, it trained %d times", calls+1, more)
		}
	}
}

// stalling is a task whose trainings of a stage, but for some, end with the time only.
type stalling struct {
	sized
	stage     task.Stage
	after     *int
	trainings *int
}

func (f stalling) Train(ctx context.Context, trials []task.Trial, onProgress func(float64)) (left []task.Artifact, err error) {
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
	_, err = f.sized.Train(ctx, trials, onProgress)
	for _, trial := range trials {
		left = append(left, leftBy(trial))
	}
	return left, err
}

// TestTimeEndsEachStage of a plan: one model is kept in any case, and there is nothing left to do
// but with more time.
func TestTimeEndsEachStage(t *testing.T) {
	for _, stage := range []task.Stage{task.Tuning, task.HalvingRung, task.Searching, task.Sizing, task.Retraining} {
		for after := range 2 {
			s, store, left, trainings := asked(), &search.Memory{}, after, 0
			s.TimeLimit, s.Halving = 300*time.Millisecond, 1
			run := func() *search.Result {
				return ran(t, search.Problem{Task: stalling{sized{tasted{hidden: hiddenRecipe()}}, stage, &left, &trainings}, Strategy: strategy.Random{}, Settings: s, Store: store})
			}
			first := run()
			if first.Kept == nil || first.Artifact == nil || !first.Plan.Ended {
				t.Fatalf("%s, after %d trainings: kept is %+v by %+v", stage, after, first.Kept, first.Plan)
			}
			keptBy(t, first)
			before := trainings
			if again := run(); trainings != before || !reflect.DeepEqual(again, with(first, again.Resumed)) {
				t.Errorf("%s, after %d trainings: once more, it trained %d times, and is %+v", stage, after, trainings-before, again)
			}
		}
	}
}

// with is a result of a search that went on with so many.
func with(r *search.Result, resumed int) *search.Result {
	same := *r
	same.Resumed = resumed
	return &same
}

// graduated is graded, and says how large it is.
type graduated struct{ graded }

func (graduated) Size() task.Size { return sized{}.Size() }

// TestLaterSeedsSayWhatIsKept: the best seed of the structure that is the best in the mean of all
// seeds in the end, which others were on the way.
func TestLaterSeedsSayWhatIsKept(t *testing.T) {
	changed := false
	for salt := range byte(3) {
		score := func(trial task.Trial) float64 {
			h := fnv.New32a()
			h.Write([]byte(trial.Structure.String()))
			h.Write([]byte{salt, byte(trial.Recipe.Seed)})
			return float64(h.Sum32()%1000) / 1000
		}
		s := asked()
		s.Planned.Retrain, s.Ensemble, s.Tune = true, 0, nil
		r := ran(t, search.Problem{Task: graduated{graded{score: score}}, Strategy: strategy.Random{}, Settings: s})
		if keptBy(t, r); r.Kept.Number != bestRetrained(r.Trials).Number {
			t.Errorf("kept is %+v of the best %+v", r.Kept, r.Retrained[0])
		}
		for n, before := 1, 0; n <= len(r.Trials); n++ {
			if best := bestRetrained(r.Trials[:n]); best != nil {
				changed, before = changed || best.Number < before, best.Number
			}
		}
	}
	if !changed {
		t.Error("nothing came to be the best again: the test is wrong")
	}
}

// TestNoPlanWithoutTime: what ended before it had a plan has to be told the time again.
func TestNoPlanWithoutTime(t *testing.T) {
	s := asked()
	s.TimeLimit = 0
	if _, err := Run(t.Context(), search.Problem{Task: sized{}, Strategy: strategy.Random{}, Settings: s}); !errors.Is(err, ErrNoTimeLimit) {
		t.Error(err)
	}
}

// unsized is a task that says nothing of its size, and notes what is measured.
type unsized struct {
	tasted
	steps *[]int
}

func (f unsized) Train(ctx context.Context, trials []task.Trial, onProgress func(float64)) ([]task.Artifact, error) {
	if trials[0].Number == 0 {
		*f.steps = append(*f.steps, trials[0].Recipe.Training.MaxSteps)
	}
	return f.tasted.Train(ctx, trials, onProgress)
}

// TestTasksWithoutASize are timed by whole epochs, since nobody knows what a part of one is.
func TestTasksWithoutASize(t *testing.T) {
	var steps []int
	r := ran(t, search.Problem{Task: unsized{tasted{hidden: hiddenRecipe()}, &steps}, Strategy: strategy.Random{}, Settings: asked()})
	if len(steps) == 0 || r.Plan.MaxSteps != 0 || len(r.Best) == 0 {
		t.Errorf("%d trainings were timed, for %+v", len(steps), r.Plan)
	}
	for _, n := range steps {
		if n != 0 {
			t.Errorf("timed by %d steps of an epoch", n)
		}
	}
}
