package budget

import (
	"math"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"pgregory.net/rapid"
)

// TestNew compares plans for some time limits and paces. The pace is per step of dimension 64.
func TestNew(t *testing.T) {
	for _, c := range []struct {
		name    string
		minutes float64
		pace    float64
		change  func(*search.Settings)
		want    string
	}{
		{"a fast graph", 5, 1e-4, nil, "23 recipes, 142 structures at d 128, 2 rungs, 60 epochs, " +
			"then the best 5 with 3 seeds at d 512: about 3m50.1s"},
		{"little time", 0.5, 1e-3, nil, "13 structures at d 64, 1 rung, 10 epochs, " +
			"then the best 2 with 1 seed at d 64, 35 epochs: about 21.1s"},
		{"less than an epoch", 0.5, 0.5, nil, "10 structures at d 64, 1 step of an epoch each, " +
			"then the best 2 with 1 seed at d 64, 1 step: about 25.5s"},
		{"no tuning", 5, 1e-4, func(s *search.Settings) { s.Tune = nil }, "158 structures at d 256, 2 rungs, 60 epochs, " +
			"then the best 5 with 3 seeds at d 512: about 3m47.7s"},
		{"a given size", 5, 1e-4, func(s *search.Settings) {
			s.Planned.Dim, s.Planned.Epochs, s.Training.Dim = false, false, 64
		}, "54 recipes, 300 structures at d 64, 2 rungs, 60 epochs, " +
			"then the best 5 with 3 seeds at d 64: about 2m29.4s"},
		{"given structures", 5, 1e-4, func(s *search.Settings) {
			s.Planned.Structures, s.Budget, s.Halving = false, 30, 1
		}, "23 recipes, 30 structures at d 128, 1 rung, 60 epochs, " +
			"then the best 5 with 3 seeds at d 512: about 3m50.1s"},
		{"no retraining", 5, 1e-4, func(s *search.Settings) { s.RetrainSeeds = 0 },
			"23 recipes, 426 structures at d 128, 2 rungs, 60 epochs: about 4m15s"},
		{"a requested stage", 5, 1e-4, func(s *search.Settings) {
			s.Planned.TuneEach, s.TuneEach = false, search.EachTune(12)
		},
			"16 recipes, 111 structures at d 128, 2 rungs, 60 epochs, 12 recipes for each of the best, " +
				"then the best 5 with 3 seeds at d 512: about 4m13s"},
		{"much time", 60, 1e-4, nil, "120 recipes, 512 structures at d 256, 2 rungs, 60 epochs, " +
			"15 recipes for each of the best, then the best 5 with 3 seeds at d 2048: about 34m2.3s"},
	} {
		s := search.TimedSettings()
		s.TimeLimit = time.Duration(c.minutes * float64(time.Minute))
		if c.change != nil {
			c.change(&s)
		}
		if got := New(s, false, pacesOf(c.pace), 0).String(); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// TestTimeForASearch: with a default model, a search needs time for eight structures of five epochs,
// which take 13 trainings with the baselines, and for retraining at half its size.
func TestTimeForASearch(t *testing.T) {
	s := search.TimedSettings()
	s.TimeLimit = 5 * time.Minute
	for _, c := range []struct {
		pace, seconds float64 // of a step of dimension 64, and of the default model
		used          time.Duration
		change        func(*search.Settings)
		want          string
	}{
		{1e-4, 10, 10 * time.Second, nil, "19 recipes, 124 structures at d 128, 2 rungs, 60 epochs, " +
			"then the best 5 with 3 seeds at d 512: about 3m46.6s"},
		{1e-3, 60, time.Minute, nil, ""},
		{.05, 60, time.Minute, nil, "no search fits; more " +
			"baselines and seeds at d 512: about 4m0s"},
		{1e-3, 200, 200 * time.Second, nil, "no search fits; more " +
			"baselines and seeds at d 512: about 1m40s"},
		{.05, 60, time.Minute, func(s *search.Settings) { s.Planned.Structures = false }, ""},
	} {
		s := s
		planned := *s.Planned
		s.Planned = &planned
		if c.change != nil {
			c.change(&s)
		}
		paces := pacesOf(c.pace)
		paces.Default = search.Pace{Dim: 512, End: c.seconds}
		plan := New(s, false, paces, c.used)
		if got := plan.String(); c.want != "" && got != c.want || c.want == "" && plan.NoSearch {
			t.Errorf("%+v: %s", c, got)
		}
		if !plan.NoSearch && s.Planned.Structures && plan.LargestDim() < 256 {
			t.Errorf("%+v: retrains at d %d", c, plan.LargestDim())
		}
	}
}

// pacesOf returns paces in proportion to the dimension, for 100 steps per epoch.
func pacesOf(step float64) search.Paces {
	p := search.Paces{Steps: 100, Every: 5}
	for dim := 64; dim <= 2048; dim *= 2 {
		scale := float64(dim) / 64
		p.At = append(p.At, search.Pace{Dim: dim, Step: step * scale, End: 10 * step * scale})
	}
	return p
}

// TestRetrainCost: a training of d 64 takes 1 s an epoch, and one of the default model 100 s.
// Retraining also trains the best structure with the recipe of the default model, unless nothing was
// tuned or the size is that of tuning.
func TestRetrainCost(t *testing.T) {
	paces := search.Paces{Steps: 100, At: []search.Pace{{Dim: 64, Step: .01}}}
	withDefault := paces
	withDefault.Default = search.Pace{Dim: 512, End: 100}
	for _, c := range []struct {
		recipes int
		paces   search.Paces
		dims    []int
		epochs  int
		splits  int
		want    float64
	}{
		{12, paces, []int{64}, 20, 0, 120},
		{12, withDefault, []int{64}, 20, 0, 120}, // the size of tuning
		{12, withDefault, []int{64}, 30, 0, 180 + 300},
		{12, withDefault, []int{128}, 20, 0, 240 + 300},
		{12, withDefault, []int{128}, 20, 2, 400 + 500},
		{12, withDefault, []int{64, 128}, 20, 0, 240 + 40 + 80 + 300},
		{0, withDefault, []int{128}, 20, 0, 240},
		{12, paces, []int{128}, 20, 0, 240},
	} {
		p := planner{Plan: search.Plan{Paces: c.paces, Recipes: c.recipes, Dim: 64, Epochs: 20}}
		p.settings = search.TimedSettings()
		r := search.RetrainPlan{
			Found: 1, Baselines: 1, Seeds: 3, Splits: c.splits, Dims: c.dims, RetrainEpochs: c.epochs,
		}
		if got := p.retrainCost(r, c.paces); math.Abs(got-c.want) > 1e-9 {
			t.Errorf("%+v: %v s, want %v", c, got, c.want)
		}
	}
}

func TestSample(t *testing.T) {
	for size, want := range map[task.Size]int{
		{Entities: 100, Validation: 5000}:        0,
		{Entities: 40_000, Validation: 10_000}:   0,
		{Entities: 400_000, Validation: 3000}:    1250,
		{Entities: 10_000_000, Validation: 3000}: 300,
		{}:                                       0,
	} {
		if got := Sample(size); got != want {
			t.Errorf("%+v: a sample of %d, want %d", size, got, want)
		}
	}
}

// TestPlanFits: with any pace, a plan gives valid settings, fits into its time if that is enough
// for an epoch, and keeps the settings that are not planned.
func TestPlanFits(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := search.TimedSettings()
		s.K = rapid.IntRange(2, 6).Draw(t, "k")
		s.Training.Dim = 60 * s.K
		is := func(name string) bool { return rapid.Bool().Draw(t, name) }
		s.Planned = &search.Planned{
			Dim: is("dim"), Epochs: is("epochs"), Structures: is("structures"), Tune: is("tune"),
			Retrain: is("retrain"),
		}
		s.Budget = rapid.IntRange(1, 300).Draw(t, "budget")
		s.Halving = rapid.IntRange(0, 3).Draw(t, "rungs")
		s.RetrainDims = []int{60 * s.K, 120 * s.K}
		s.TimeLimit = seconds(rapid.Float64Range(10, 36000).Draw(t, "seconds"))
		steps := rapid.IntRange(1, 10000).Draw(t, "steps")
		p := search.Paces{Steps: steps, Every: s.Training.ValidateEvery}
		step := math.Pow(10, rapid.Float64Range(-5, -0.5).Draw(t, "step"))
		end := math.Pow(10, rapid.Float64Range(-4, 0).Draw(t, "end"))
		for dim := 64; dim <= 256; dim *= 2 {
			p.At = append(p.At, search.Pace{
				Dim: dim / s.K * s.K, Step: step * float64(dim), End: end * float64(dim) / 64,
			})
		}
		plan := New(s, is("few"), p, 0)
		applied := plan.Apply(s)
		if err := applied.Validate(); err != nil {
			t.Fatal(err)
		}
		limit := s.TimeLimit.Seconds()
		if plan.MaxSteps == 0 && plan.Seconds > limit {
			t.Errorf("planned for %.0f s of %.0f: %v", plan.Seconds, limit, plan)
		}
		if plan.MaxSteps == 0 && s.Planned.Structures && s.Planned.Epochs {
			whole := p.Training(plan.Dim, plan.Epochs, 0)
			if compared := (float64(s.CountBaselines()) + float64(plan.Structures)*search.RungCost(plan.Halving)) * whole; compared > limit*(tuneShare+searchShare) {
				t.Errorf("comparing takes %.0f s of %.0f: %v", compared, limit, plan)
			}
		}
		if plan.TuneUntil > plan.SearchUntil || plan.SearchUntil > s.TimeLimit {
			t.Errorf("stages end after %v and %v of %v", plan.TuneUntil, plan.SearchUntil,
				s.TimeLimit)
		}
		if p := s.Planned; !p.Structures && (plan.Structures != s.Budget || plan.Halving != s.Halving || applied.Budget != s.Budget) ||
			!p.Tune && plan.Recipes != s.Tune.Trials ||
			!p.Epochs && plan.Epochs != s.Training.Epochs ||
			!p.Dim && plan.Dim != s.Training.Dim ||
			!p.Retrain && (plan.Seeds != s.RetrainSeeds || plan.Found != 3 || !slices.Equal(plan.Dims, s.RetrainDims)) {
			t.Errorf("%v of %+v, where %+v is planned", plan, s, p)
		}
		if revised := Revise(plan, s, 1, 0, 3).Apply(s); revised.Validate() != nil {
			t.Error(revised.Validate())
		}
	})
}

// TestPlanRetrainsAtRequestedDimension: a given dimension is that of retraining too.
func TestPlanRetrainsAtRequestedDimension(t *testing.T) {
	for _, dim := range []int{64, 100, 2050} {
		s := search.TimedSettings()
		s.K, s.TimeLimit = 2, time.Hour
		s.Training.Dim, s.Planned.Dim = dim, false
		plan := New(s, false,
			search.Paces{At: []search.Pace{{Dim: dim, Step: 1e-4, End: 1e-3}}, Steps: 10}, 0)
		if plan.Seeds < 3 || !slices.Equal(plan.Dims, []int{dim}) {
			t.Errorf("d %d: %v, by dimensions %v", dim, plan, plan.Dims)
		}
	}
}

// TestGivenNumbersStay: a plan keeps the given numbers of rungs, seeds and splits, and chooses the others.
func TestGivenNumbersStay(t *testing.T) {
	for _, limit := range []time.Duration{time.Minute, time.Hour} {
		s := search.TimedSettings()
		s.TimeLimit, s.Halving, s.RetrainSeeds, s.RetrainSplits = limit, 1, 5, 2
		s.Planned.FixedHalving, s.Planned.FixedSeeds, s.Planned.FixedSplits = true, true, true
		plan := New(s, false, pacesOf(1e-3), 0)
		got := plan.Apply(s)
		if got.Halving != 1 || got.RetrainSeeds != 5 || got.RetrainSplits != 2 {
			t.Errorf("%v: %d rungs, %d seeds, %d splits", limit, got.Halving, got.RetrainSeeds, got.RetrainSplits)
		}
		if got.Budget == s.Budget || len(got.RetrainDims) == 0 {
			t.Errorf("%v: %d structures, retrained at %v", limit, got.Budget, got.RetrainDims)
		}
	}
}

// TestSearchHasEpochs: with a default model, a planned search compares at least eight structures of
// five epochs and then has time to retrain one, or there is none.
func TestSearchHasEpochs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := search.TimedSettings()
		s.TimeLimit = seconds(rapid.Float64Range(10, 3600).Draw(t, "seconds"))
		p := pacesOf(math.Pow(10, rapid.Float64Range(-5, -0.5).Draw(t, "step")))
		share := rapid.Float64Range(.01, .94).Draw(t, "share")
		p.Default = search.Pace{Dim: 512, End: share * s.TimeLimit.Seconds()}
		plan := New(s, rapid.Bool().Draw(t, "few"), p, seconds(p.Default.End))
		switch {
		case plan.NoSearch:
			if plan.Structures > 0 || plan.Seeds > 0 || !plan.Searched || !plan.Tuned {
				t.Errorf("no search, but %+v", plan)
			}
		case plan.Structures < search.MinStructures || plan.Epochs < search.MinEpochs ||
			plan.MaxSteps > 0 || plan.Found == 0 || plan.Seeds == 0:
			t.Errorf("%v, %+v", plan, plan)
		}
	})
}

// TestNoTimeForPaces: after a default model that took most of the time there is no search, whatever
// the paces are, so that none need be measured.
func TestNoTimeForPaces(t *testing.T) {
	s := search.TimedSettings()
	s.TimeLimit = 30 * time.Second
	for took, want := range map[float64]bool{28: true, 18: true, 2: false} {
		paces := search.Paces{Default: search.Pace{Dim: 64, End: took}}
		if plan := New(s, false, paces, seconds(took)); plan.NoSearch != want {
			t.Errorf("after %v s of %v: %+v", took, s.TimeLimit, plan)
		}
	}
}

// TestEachHasTime: a plan tunes each model in the time that tuning cannot use, so that all else
// stays as it is without the stage.
func TestEachHasTime(t *testing.T) {
	opened := 0
	for minutes := 1.; minutes <= 512; minutes *= 2 {
		s := search.TimedSettings()
		s.TimeLimit = time.Duration(minutes * float64(time.Minute))
		with := New(s, false, pacesOf(1e-4), 0)
		s = s.WithoutTuningEach()
		without := New(s, false, pacesOf(1e-4), 0)
		if with.Each > 0 {
			opened++
			if with.Each < minEach || with.Recipes != maxRecipes {
				t.Errorf("%v minutes: %d recipes, then %d for each", minutes, with.Recipes, with.Each)
			}
		} else if opened > 0 {
			t.Errorf("%v minutes are enough, but not used", minutes)
		}
		if with.Recipes != without.Recipes || with.Structures != without.Structures ||
			with.Dim != without.Dim || !slices.Equal(with.Dims, without.Dims) ||
			with.EachUntil > s.TimeLimit || with.EachUntil < with.SearchUntil ||
			with.EachUntil != without.SearchUntil {
			t.Errorf("%v minutes: %v, and without the stage %v", minutes, with, without)
		}
	}
	if opened < 2 {
		t.Errorf("%d plans tune each model", opened)
	}
}

// TestRequestedStageHasTime: a requested stage has a fifth of the time that is left, with and without
// retraining, also if no pace was measured.
func TestRequestedStageHasTime(t *testing.T) {
	for _, seeds := range []int{0, 3} {
		for _, paces := range []search.Paces{{}, pacesOf(1e-4)} {
			s := search.TimedSettings()
			s.TimeLimit, s.RetrainSeeds, s.TuneEach = 10*time.Minute, seeds, search.EachTune(12)
			s.Planned = &search.Planned{}
			plan := New(s, false, paces, time.Minute)
			each := plan.EachUntil - plan.SearchUntil
			if want := 0.2 * 7.5 / plannedShare; math.Abs(each.Minutes()-want) > 1e-6 ||
				plan.EachUntil > s.TimeLimit || plan.TuneUntil >= plan.SearchUntil {
				t.Errorf("%d seeds, %d paces: stages end after %v, %v and %v", seeds, len(paces.At),
					plan.TuneUntil, plan.SearchUntil, plan.EachUntil)
			}
		}
	}
}

// TestPlanCountsBaselines: with several numbers of chunks, a plan has fewer structures in the same
// time, by the additional baselines.
func TestPlanCountsBaselines(t *testing.T) {
	s := search.TimedSettings()
	one := planner{settings: s}
	s.K, s.FewerK = 8, []int{2, 4}
	several := planner{settings: s}
	if n := several.settings.CountBaselines(); n != 9 {
		t.Errorf("%d baselines, want six with a structure and three with dense blocks", n)
	}
	if a, b := one.affordable(100, 1), several.affordable(100, 1); a != 95 || b != 91 {
		t.Errorf("%d and %d structures in the time of 100 trainings", a, b)
	}
	if more := several.tuningSeconds(0, 1) - one.tuningSeconds(0, 1); more != 1 {
		t.Errorf("tuning begins with %v more trainings, want BiQUE", more)
	}
}
