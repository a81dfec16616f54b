package search

import (
	"context"
	"math"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

const (
	// probedShare is how much of the time may go into measuring how fast it is here.
	probedShare = 0.03
	// mostProbes is how often each is measured, where that takes no more than repeatedShare of
	// the time: what else the machine does only adds to it, so that the fastest tells most.
	mostProbes    = 5
	repeatedShare = 0.005
	// probedSteps are timed at a dimension, or those of an epoch where they are fewer.
	probedSteps = 24
)

// size is that of the task, or of one that has a step in an epoch, which is what it is timed by.
func (s *searcher) size() task.Size {
	if size := s.Task.Size(); size != (task.Size{}) {
		return size
	}
	return task.Size{Examples: s.Settings.Training.Batch}
}

// fewValidation is how many validation questions tell too little by themselves.
const fewValidation = 1000

// few says whether there are fewer, and other splits that make up for that.
func (s *searcher) few() bool {
	n := s.size().Validation
	return s.Task.Supports().Resplits && n > 0 && n < fewValidation
}

// taskOf is the task of trials of one stage and split, with what the plan ranks of them.
func (s *searcher) taskOf(t task.Trial) task.Task {
	on := s.Task
	if t.Split > 0 && on.Supports().Resplits {
		on = on.Resplit(t.Split)
	}
	if s.ranked == 0 {
		return on
	}
	test := eval.None
	if t.Stage == task.Retraining {
		test = s.ranked
	}
	if limited := on.Limit(eval.Limits{Valid: s.ranked, Test: test}); limited != nil {
		return limited
	}
	return on
}

// paces times trainings at growing dimensions, as long as that is cheap.
func (s *searcher) paces(ctx context.Context) (Paces, error) {
	size := s.size()
	batch := s.Settings.Training.Batch
	if *s.Settings.Planned == (Planned{}) { // there is nothing to choose by them
		return Paces{}, nil
	}
	p := Paces{Steps: max(1, (size.Examples+batch-1)/batch), Every: s.Settings.Training.ValidateEvery}
	began := time.Now()
	for dim := min(64, s.Settings.Training.Dim); dim <= mostDim; dim *= 2 {
		if !s.Settings.Planned.Dim {
			dim = s.Settings.Training.Dim
		}
		at, err := s.paceAt(ctx, dim/s.Settings.K*s.Settings.K, p.Steps)
		if err != nil {
			return p, err
		}
		p.At = append(p.At, at)
		if spent := time.Since(began).Seconds(); !s.Settings.Planned.Dim || spent > probedShare/3*s.Settings.TimeLimit.Seconds() {
			break
		}
	}
	return p, nil
}

// paceAt times two trainings of different length, or one where an epoch is a step.
func (s *searcher) paceAt(ctx context.Context, dim, steps int) (Pace, error) {
	timed := func(steps int) (float64, error) {
		recipe := s.Settings.TrialRecipe()
		recipe.Training.Dim, recipe.Training.Epochs, recipe.Training.MaxSteps = dim, 1, steps
		recipe.Training.ValidateEvery, recipe.Training.Patience, recipe.Training.PlateauPatience, recipe.Training.PlateauFactor = 0, 0, 0, 0
		var trials []task.Trial
		for _, a := range []structure.Structure{tuned(s.Settings.K), diagonal(s.Settings.K)} {
			trials = append(trials, task.Trial{Stage: task.Tuning, Structure: a, Recipe: recipe, State: task.Running})
		}
		fastest, began := math.Inf(1), time.Now()
		for range mostProbes {
			again := time.Now()
			if _, err := s.taskOf(trials[0]).Train(ctx, slices.Clone(trials), func(float64) {}); err != nil {
				return 0, err
			}
			fastest = min(fastest, time.Since(again).Seconds())
			if time.Since(began) > seconds(repeatedShare*s.Settings.TimeLimit.Seconds()) {
				break
			}
		}
		return fastest / float64(len(trials)), nil
	}
	if steps == 1 {
		whole, err := timed(0)
		return Pace{Dim: dim, Step: whole}, err
	}
	short, err := timed(1)
	if err != nil {
		return Pace{}, err
	}
	most := min(steps, probedSteps+1)
	long, err := timed(most)
	if err != nil {
		return Pace{}, err
	}
	step := max(long-short, long/20) / float64(most-1)
	return Pace{Dim: dim, Step: step, End: max(0, short-step)}, nil
}

// diagonal is DistMult with k chunks.
func diagonal(k int) structure.Structure {
	s := structure.Zero(k)
	for i := range k {
		s = s.With(i, i, i+1)
	}
	return s
}
