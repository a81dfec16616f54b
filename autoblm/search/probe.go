package search

import (
	"context"
	"errors"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

const (
	// probedShare is how much of the time may go into measuring how fast it is here.
	probedShare = 0.03
	// probedSteps are timed at a dimension, or those of an epoch where they are fewer.
	probedSteps = 24
)

// ErrNoTime says why a search cannot be planned: an earlier process ended before it was.
var ErrNoTime = errors.New("the search ended before it was planned, and has not said for how long")

// makePlan makes the plan, or takes the one that there is for this time. The named models are
// trained for a few steps to see how long that takes; what they come to is not kept.
func (s *searcher) makePlan(ctx context.Context) error {
	kept, err := s.Store.Plan()
	if err != nil {
		return err
	}
	if kept == nil && s.Settings.TimeLimit == 0 {
		return ErrNoTime
	}
	if kept == nil || kept.Limit < s.Settings.TimeLimit {
		s.ranked = sampled(s.size())
		p, err := s.paces(ctx)
		if err != nil {
			return err
		}
		plan := planFor(s.Settings, s.few(), p, s.used())
		plan.Ranked = s.ranked
		if kept != nil {
			plan = kept.extended(s.Settings, plan, len(Proposed(s.trials)))
		}
		if err := s.put(Change{Plan: &plan}); err != nil {
			return err
		}
		kept = &plan
	}
	s.planned, s.ranked = s.Settings, kept.Ranked
	s.before = max(s.before, kept.Used)
	s.follow(kept)
	s.recipe = s.Settings.recipe()
	return nil
}

// follow takes the settings of a plan, and tells what is left of it.
func (s *searcher) follow(p *Plan) {
	s.plan, s.Settings = p, p.Apply(s.planned)
	if s.OnPlan != nil && !p.Searched && !p.Ended {
		told := *p
		told.Seconds = max(0, p.Seconds-(s.used()-p.Used).Seconds())
		s.OnPlan(told)
	}
}

// replan plans what comes after the tuning by how long its recipe takes.
func (s *searcher) replan() error {
	if s.plan == nil || s.plan.Tuned {
		return nil
	}
	took := 0.0
	for _, t := range of(task.Tuning, s.trials) {
		r := t.Recipe
		if r.Seed = s.recipe.Seed; r == s.recipe && t.Seconds > 0 {
			took = max(took, t.Seconds)
		}
	}
	if took == 0 || len(s.plan.Paces.At) == 0 { // nothing was tuned, or timed before
		return s.note(func(p *Plan) { p.Tuned = true })
	}
	wanted := s.plan.Paces.training(s.plan.Dim, s.plan.Epochs, s.plan.MaxSteps)
	plan := s.plan.revised(s.planned, took/wanted, s.used(), len(Proposed(s.trials)))
	plan.Tuned = true
	if err := s.put(Change{Plan: &plan}); err != nil {
		return err
	}
	s.follow(&plan)
	return nil
}

// note keeps in the plan how far the search is, and how much time is gone.
func (s *searcher) note(change func(*Plan)) error {
	if s.plan == nil || s.plan.Ended {
		return nil
	}
	plan := *s.plan
	plan.Used = s.used()
	change(&plan)
	s.plan = &plan
	return s.put(Change{Plan: &plan})
}

// ends notes why the search does: one that was interrupted is to be gone on with.
func (s *searcher) ends(stopped Stop, why string) error {
	return s.note(func(p *Plan) {
		if stopped != Interrupted {
			p.Ended, p.Stopped, p.Note = true, stopped, why
		}
	})
}

// size is that of the task, or of one that has a step in an epoch, which is what it is timed by.
func (s *searcher) size() task.Size {
	if sized, is := s.Task.(task.Sized); is {
		return sized.Size()
	}
	return task.Size{Examples: s.Settings.Training.Batch}
}

// fewValidation is how many validation questions tell too little by themselves.
const fewValidation = 1000

// few says whether there are fewer, and other splits that make up for that.
func (s *searcher) few() bool {
	_, can := s.Task.(task.Resplitting)
	n := s.size().Validation
	return can && n > 0 && n < fewValidation
}

// taskOf is the task of trials of one stage and split, with what the plan ranks of them.
func (s *searcher) taskOf(t task.Trial) task.Task {
	on := s.Task
	if resplitting, is := on.(task.Resplitting); is && t.Split > 0 {
		on = resplitting.Resplit(t.Split)
	}
	limited, is := on.(task.Limited)
	if !is || s.ranked == 0 {
		return on
	}
	test := kge.None
	if t.Stage == task.Again {
		test = s.ranked
	}
	return limited.Limited(kge.Limits{Valid: s.ranked, Test: test})
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
		recipe := s.Settings.recipe()
		recipe.Training.Dim, recipe.Training.Epochs, recipe.Training.MaxSteps = dim, 1, steps
		recipe.Training.ValidateEvery, recipe.Training.Patience, recipe.Training.PlateauPatience, recipe.Training.PlateauFactor = 0, 0, 0, 0
		var trials []task.Trial
		for _, a := range []structure.Structure{tuned(s.Settings.K), diagonal(s.Settings.K)} {
			trials = append(trials, task.Trial{Stage: task.Tuning, Structure: a, Recipe: recipe, State: task.Running})
		}
		began := time.Now()
		_, err := s.taskOf(trials[0]).Train(ctx, trials, func(float64) {})
		return time.Since(began).Seconds() / float64(len(trials)), err
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
