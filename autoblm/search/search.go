package search

import (
	"context"
	"errors"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Problem is what a search is about.
type Problem struct {
	Task     task.Task
	Strategy Strategy
	Settings Settings
	// Store keeps the trials; a new [Memory] when nil.
	Store Store
	// MixEngines lets a search go on that another engine or instruction set began. Without
	// it that is [ErrOtherEngine].
	MixEngines bool
	// OnProgress, when set, is called often.
	OnProgress func(Progress)
	// Began is when the time of the search began; now when zero. OnPlan, when set, is told the
	// plan where the settings have one made.
	Began  time.Time
	OnPlan func(Plan)
}

// Run searches until the budget is spent, or the strategy or the time has run
// out. When ctx ends, Run returns what there is, as [Interrupted], without an
// error; the same call with the same store goes on from there.
func Run(ctx context.Context, p Problem) (*Result, error) {
	if err := p.Settings.Validate(); err != nil {
		return nil, err
	}
	if err := p.Task.Check(); err != nil {
		return nil, err
	}
	var err error
	if p.Settings, err = Settle(p.Task, p.Settings); err != nil {
		return nil, err
	}
	if p.Store == nil {
		p.Store = &Memory{}
	}
	s := &searcher{Problem: p, began: p.Began, recipe: p.Settings.TrialRecipe()}
	if s.began.IsZero() {
		s.began = time.Now()
	}
	if s.trials, err = p.Store.Trials(); err != nil {
		return nil, err
	}
	if s.rounds, err = p.Store.Rounds(); err != nil {
		return nil, err
	}
	s.resumed, s.before = finished(Proposed(s.trials)), timeOf(s.trials, s.rounds)
	stopped, note, err := s.run(ctx)
	switch {
	case errors.Is(err, task.ErrDeadlineExceeded):
		stopped = TimeUp
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		stopped = Interrupted
	case err != nil:
		return nil, err
	}
	if err := s.ends(stopped, note); err != nil {
		return nil, err
	}
	return s.result(stopped, note)
}

// searcher is a search on its way.
type searcher struct {
	Problem
	began   time.Time
	before  time.Duration // of the processes before
	plan    *Plan         // nil without one
	planned Settings      // before the plan
	ranked  int           // see Plan.Ranked
	recipe  task.Recipe   // of the search
	trials  []task.Trial
	rounds  []Round
	resumed int
}

// run goes through the stages.
func (s *searcher) run(ctx context.Context) (Stop, string, error) {
	if s.Settings.Model != form.Bilinear {
		return s.recipes(ctx)
	}
	if s.Settings.Planned != nil {
		if err := s.makePlan(ctx); err != nil {
			return "", "", err
		}
		if s.plan.Ended {
			return s.plan.Stopped, s.plan.Note, nil
		}
	}
	if s.Settings.Tune != nil {
		if err := s.tune(ctx); err != nil {
			return "", "", err
		}
	}
	if err := s.replan(); err != nil {
		return "", "", err
	}
	stopped, note := BudgetSpent, ""
	var err error
	if s.plan != nil && s.plan.Searched {
		stopped, note = s.plan.Stopped, s.plan.Note
	} else if stopped, note, err = s.search(ctx); err == nil {
		err = s.note(func(p *Plan) { p.Searched, p.Stopped, p.Note = true, stopped, note })
	}
	switch {
	case err != nil:
		return "", "", err
	case s.Settings.Again > 0:
		var missing string
		missing, err = s.againTogether(ctx)
		note = strings.Trim(note+"; "+missing, "; ")
	case s.Settings.Final != nil:
		err = s.finish(ctx)
	}
	return stopped, note, err
}

// put stores a change and remembers it.
func (s *searcher) put(c Change) error {
	if err := s.Store.Put(c); err != nil {
		return err
	}
	memory := Memory{trials: s.trials, rounds: s.rounds, plan: s.plan}
	err := memory.Put(c)
	s.trials, s.rounds = memory.trials, memory.rounds
	return err
}
