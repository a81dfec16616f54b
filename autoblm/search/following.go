package search

import (
	"context"
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/task"
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
	s.recipe = s.Settings.TrialRecipe()
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
