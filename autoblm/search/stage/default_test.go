package stage

import (
	"context"
	"errors"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TestDefaultModelMustBeBeaten: a timed search keeps its default model, unless a structure is better
// at full size, whatever its score in the search was. Without a retraining stage, the scores of the
// search decide. Structures may have another number of chunks than the default model.
func TestDefaultModelMustBeBeaten(t *testing.T) {
	for _, c := range []struct {
		byDefault float64
		seeds, k  int
		want      task.Stage
	}{
		{.5, 2, 4, task.Default}, {.3, 2, 4, task.Retraining},
		{.95, 0, 4, task.Default}, {.5, 0, 4, task.Searching},
		{.5, 2, 3, task.Default}, {.3, 2, 3, task.Retraining}, {.5, 0, 3, task.Searching},
	} {
		score := func(t task.Trial) float64 {
			switch {
			case t.Stage == task.Default:
				return c.byDefault
			case t.Stage == task.Retraining:
				return .4
			}
			return .9
		}
		on := fakeTask{score: score, size: smallSize, artifacts: true, hasDefault: true}
		s := partlyPlanned()
		s.RetrainSeeds, s.K = c.seeds, c.k
		s.Training.Dim, s.RetrainDims = 256/c.k*c.k, []int{64 / c.k * c.k, 128 / c.k * c.k}
		r := run(t, problem(on, strategy.Random{}, s))
		if checkKept(t, r); r.Kept.Stage != c.want || r.Trials[0].Kept != (c.want == task.Default) {
			t.Errorf("%+v: kept %+v", c, r.Kept)
		}
		first := r.Trials[0]
		if first.Stage != task.Default || first.Recipe.LearningRate != .123 ||
			first.Recipe.Training.Dim != 64 || first.Recipe.Seed != r.Settings.Seed {
			t.Errorf("%+v: the first trial is %+v", c, first)
		}
	}
}

// TestDefaultModelWithoutTimeToRetrain: where retraining stops early, a structure of the search that
// is better than the default model and than these trainings is kept, even if it has the structure
// of the default model.
func TestDefaultModelWithoutTimeToRetrain(t *testing.T) {
	for _, c := range []struct {
		searched float64
		best     string // baseline with the highest score in the search
		want     task.Stage
	}{
		{.9, "simple", task.Searching}, {.9, "complex", task.Searching},
		{.4, "simple", task.Default},
	} {
		stopsEarly := func(_ context.Context, trials []task.Trial) error {
			for i, t := range trials {
				trials[i].StoppedEarly = t.Stage == task.Retraining
			}
			return nil
		}
		scores := map[task.Stage]float64{
			task.Default: .5, task.Searching: c.searched, task.Retraining: .3,
		}
		on := fakeTask{
			score: func(t task.Trial) float64 {
				if t.Stage == task.Searching && t.Name == c.best {
					return c.searched + .05
				}
				return scores[t.Stage]
			},
			before: stopsEarly, size: smallSize, artifacts: true, hasDefault: true,
		}
		r := run(t, problem(on, strategy.Random{}, partlyPlanned()))
		if checkKept(t, r); r.Kept.Stage != c.want {
			t.Errorf("a score of %v in the search, %s best: kept %+v", c.searched, c.best, r.Kept)
		}
	}
}

// imprecise is a task that supports no precision for its default model, which alone has a cooldown.
type imprecise struct{ fakeTask }

var errNoPrecision = errors.New("no precision")

func (imprecise) Precision(s kge.Settings, _ form.Form) (kge.Precision, error) {
	if s.Cooldown > 0 {
		return s.Precision, errNoPrecision
	}
	return s.Precision, nil
}

// TestUnsupportedPrecisionOfDefaultModel: the search reports it before it trains.
func TestUnsupportedPrecisionOfDefaultModel(t *testing.T) {
	on := imprecise{fakeTask{score: nonzeros, size: smallSize, hasDefault: true, cooldown: .9}}
	if _, err := Run(t.Context(), problem(on, strategy.Random{}, partlyPlanned())); !errors.Is(err, errNoPrecision) {
		t.Errorf("error %v, want %v", err, errNoPrecision)
	}
}

// TestTooShortForASearch: a time limit without time for a search trains more baselines like the
// default model, then seeds of the best two, and uses its time.
func TestTooShortForASearch(t *testing.T) {
	const each = 60 * time.Millisecond
	slow := func(ctx context.Context, trials []task.Trial) error {
		time.Sleep(each)
		for i := range trials {
			trials[i].Seconds = each.Seconds()
		}
		return nil
	}
	names := map[string]float64{"complex": .4, "quate": .5}
	on := fakeTask{
		score: func(t task.Trial) float64 { return names[t.Name] }, before: slow, size: smallSize,
		artifacts: true, hasDefault: true,
	}
	s := search.TimedSettings()
	s.TimeLimit, s.Predictor = 700*time.Millisecond, nil
	p := problem(on, strategy.Random{}, s)
	r := run(t, p)
	if !r.Plan.NoSearch || r.Trained != 0 || r.Kept.Name != "quate" {
		t.Fatalf("%+v, kept %+v", r.Plan, r.Kept)
	}
	checkKept(t, r)
	var order []string
	seeds := map[string][]uint64{}
	for _, trial := range r.Trials {
		order = append(order, trial.Name)
		seeds[trial.Name] = append(seeds[trial.Name], trial.Recipe.Seed)
		if trial.Stage != task.Default || trial.Recipe.LearningRate != .123 {
			t.Errorf("%+v", trial)
		}
	}
	want := []string{"complex", "quate", "quate", "complex", "quate", "complex"}
	if n := min(len(order), len(want)); n < 4 || !slices.Equal(order[:n], want[:n]) {
		t.Errorf("trained %v, want %v", order, want)
	}
	if !slices.Equal(seeds["quate"][:2], []uint64{1, 2}) {
		t.Errorf("seeds %v", seeds)
	}
	again := run(t, p)
	if len(again.Trials) != len(r.Trials) {
		t.Errorf("an ended search trained %d more", len(again.Trials)-len(r.Trials))
	}
	p.Settings.TimeLimit = time.Hour
	p.Settings.Budget, p.Settings.Planned.Structures = 9, false
	on.before = nil
	p.Task = on
	if longer := run(t, p); longer.Plan.NoSearch || longer.Trained != 9 {
		t.Errorf("with an hour: %+v, %d trained", longer.Plan, longer.Trained)
	}
}

// TestEpochsFollowTheTime: the default model and the second baseline have the epochs that fit into
// their share of the time, and further seeds have those of their structure, so that they are seeds
// of one model.
func TestEpochsFollowTheTime(t *testing.T) {
	const each, limit = 60 * time.Millisecond, 700 * time.Millisecond
	asked := map[string][]float64{}
	on := fakeTask{
		score: func(t task.Trial) float64 { return map[string]float64{"complex": .4, "quate": .5}[t.Name] },
		before: func(_ context.Context, trials []task.Trial) error {
			time.Sleep(each)
			for i := range trials {
				trials[i].Seconds = each.Seconds()
			}
			return nil
		},
		size: smallSize, artifacts: true, hasDefault: true, cooldown: .5,
		fitDim: func(float64) int { return 128 },
		fitEpochs: func(name string, seconds float64) int {
			asked[name] = append(asked[name], seconds)
			return map[string]int{"complex": 20, "quate": 12}[name]
		},
	}
	s := search.TimedSettings()
	s.TimeLimit, s.Predictor = limit, nil
	r := run(t, problem(on, strategy.Random{}, s))
	if !r.Plan.NoSearch || len(r.Retrained) != 2 || len(r.Trials) < 4 {
		t.Fatalf("%+v, %d models, %d trials", r.Plan, len(r.Retrained), len(r.Trials))
	}
	for _, trial := range r.Trials {
		if want := map[string]int{"complex": 20, "quate": 12}[trial.Name]; trial.Ensemble == nil &&
			trial.Recipe.Training.Epochs != want {
			t.Errorf("%s, seed %d: %d epochs, want %d", trial.Name, trial.Recipe.Seed,
				trial.Recipe.Training.Epochs, want)
		}
	}
	first, second := asked["complex"], asked["quate"]
	if len(first) != 1 || first[0] <= 0 || first[0] > defaultShare*limit.Seconds() {
		t.Errorf("the default model asked for %v s", first)
	}
	if len(second) != 1 || second[0] <= 0 || second[0] > (limit-each).Seconds() {
		t.Errorf("the second baseline asked for %v s", second)
	}
}

// TestDefaultModelIsReused: a baseline with the recipe of the default model does not train again,
// and one with another recipe does.
func TestDefaultModelIsReused(t *testing.T) {
	for rate, want := range map[float64]int{.123: 1, .2: 2} {
		trainings := 0
		on := fakeTask{
			score: nonzeros, size: smallSize, artifacts: true, hasDefault: true,
			before: func(_ context.Context, trials []task.Trial) error {
				for _, trial := range trials {
					if trial.Name == "complex" {
						trainings++
					}
				}
				return nil
			},
		}
		s := partlyPlanned()
		s.Planned, s.Tune, s.RetrainSeeds = &search.Planned{}, nil, 0
		s.Training.Dim, s.LearningRate, s.Halving = 64, rate, 0
		r := run(t, problem(on, strategy.Random{}, s))
		checkKept(t, r)
		at := slices.IndexFunc(r.Baselines, func(b task.Trial) bool { return b.Name == "complex" })
		if trainings != want || len(r.Baselines) != 5 || r.Baselines[at].Score == nil ||
			r.Baselines[at].Kept {
			t.Errorf("a rate of %v: trained %d times, %+v", rate, trainings, r.Baselines[at])
		}
	}
}

// TestModelSearchBeginsWithDefault: a search for the recipe of a model without a structure trains its
// default recipe first, and keeps that unless another recipe is better. Trials have numbers from 1.
func TestModelSearchBeginsWithDefault(t *testing.T) {
	for byDefault, want := range map[float64]task.Stage{.9: task.Default, .1: task.Searching} {
		on := fakeTask{
			score: func(t task.Trial) float64 {
				if t.Stage == task.Default {
					return byDefault
				}
				return .5
			},
			size: smallSize, artifacts: true, hasDefault: true,
		}
		s := search.BasicSettings()
		s.Model, s.Planned, s.TimeLimit, s.Budget = form.TransE, &search.Planned{}, time.Hour, 3
		r := run(t, problem(on, strategy.Random{}, s))
		if checkKept(t, r); r.Kept.Stage != want || r.Trained != 3 || len(r.Trials) != 4 {
			t.Errorf("a default of %v: kept %+v of %d trials", byDefault, r.Kept, len(r.Trials))
		}
		for i, trial := range r.Trials {
			if trial.Number != i+1 || trial.Form != form.TransE || (i == 0) != (trial.Stage == task.Default) {
				t.Errorf("trial %d is %+v", i+1, trial)
			}
		}
	}
}

// TestShareOfDefaultModel: where half of the time leads to a very small dimension, the default model
// is planned for all of it, and has no earlier deadline after a resumption either. A given
// dimension has half of the time.
func TestShareOfDefaultModel(t *testing.T) {
	const limit = 1000 // seconds
	for _, c := range []struct {
		half, whole int // dimensions that fit
		given       bool
		share       float64
		dim         int
	}{
		{62, 256, false, 1, 256}, {124, 128, false, 1, 128}, {62, 62, false, 1, 62},
		{64, 64, false, defaultShare, 64}, // which is that of the default model
		{128, 256, false, defaultShare, 128}, {512, 512, false, defaultShare, 512},
		{0, 0, true, defaultShare, 64},
	} {
		s := &search.State{Problem: search.Problem{Began: time.Now()}}
		s.Settings = search.TimedSettings()
		s.Settings.TimeLimit = limit * time.Second
		if c.given {
			s.Settings.Planned = &search.Planned{}
		}
		s.Task = fakeTask{hasDefault: true, fitDim: func(seconds float64) int {
			if seconds > .6*limit {
				return c.whole
			}
			return c.half
		}}
		step, err := (Default{}).Next(t.Context(), s)
		if err != nil || step.Change == nil || len(step.Change.Trials) != 1 {
			t.Fatalf("%+v: %+v, %v", c, step, err)
		}
		trial := step.Change.Trials[0]
		if trial.TimeShare != c.share || trial.Recipe.Training.Dim != c.dim {
			t.Errorf("%+v: planned for %v of the time with d %d", c, trial.TimeShare,
				trial.Recipe.Training.Dim)
		}
		s.Trials = step.Change.Trials
		if step, err = (Default{}).Next(t.Context(), s); err != nil ||
			step.Deadline != time.Duration(c.share*float64(s.TimeLimit())) {
			t.Errorf("%+v: resumed with a deadline of %v, %v", c, step.Deadline, err)
		}
	}
}

// TestDefaultModelHasItsOwnBlocks: N3 of the default model has the norms of the search only if they
// fit its chunks, of which it has four.
func TestDefaultModelHasItsOwnBlocks(t *testing.T) {
	for block, want := range map[int]int{0: 0, 2: 2, 3: 0, 4: 4, 8: 0} {
		s := &search.State{Problem: search.Problem{Began: time.Now()}}
		s.Settings = search.TimedSettings()
		s.Settings.TimeLimit, s.Settings.K, s.Settings.N3Block = time.Hour, 24, block
		s.Task = fakeTask{hasDefault: true}
		own := s.Settings.Recipe
		s.Default = &own
		step, err := (Default{}).Next(t.Context(), s)
		if err != nil {
			t.Fatal(err)
		}
		if got := step.Change.Trials[0].Recipe.N3Block; got != want {
			t.Errorf("a block of %d: the default model has %d, want %d", block, got, want)
		}
	}
}
