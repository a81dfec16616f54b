package search

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Run runs the stages of a search until the budget is spent, or the strategy or the time limit is
// exhausted. If ctx ends, Run returns the results so far, as [Interrupted], without an error. The
// same call with the same store resumes the search.
func Run(ctx context.Context, p Problem) (*Result, error) {
	if len(p.Stages) == 0 {
		return nil, errors.New("the search has no stages: set Stages, such as stage.All()")
	}
	if err := p.Settings.Validate(); err != nil {
		return nil, err
	}
	if p.Task == nil {
		return nil, errors.New("the search has no task: set Task, such as a completion.Task")
	}
	if err := p.Task.Check(); err != nil {
		return nil, err
	}
	e, err := newExecutor(p)
	if err != nil {
		return nil, err
	}
	resumed := task.Finished(Proposed(e.Trials))
	stopped, note, err := e.run(ctx)
	switch {
	case errors.Is(err, task.ErrDeadlineExceeded):
		stopped = TimeLimitReached
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		stopped = Interrupted
	case err != nil:
		return nil, err
	}
	if err := e.end(stopped, note); err != nil {
		return nil, err
	}
	best, err := e.Store.Best()
	if err != nil {
		return nil, err
	}
	r := Summarize(e.Settings, e.Trials, e.Rounds)
	r.Plan, r.Artifact, r.Metric, r.Resumed = e.Plan, best, e.Task.Presentation().Metric, resumed
	r.Stopped, r.Note = stopped, note
	return r, nil
}

// executor carries out the steps of stages.
type executor struct{ State }

func newExecutor(p Problem) (*executor, error) {
	var err error
	if p.Settings, err = Resolve(p.Task, p.Settings); err != nil {
		return nil, err
	}
	if p.Store == nil {
		p.Store = &Memory{}
	}
	if p.Began.IsZero() {
		p.Began = time.Now()
	}
	e := &executor{State{Problem: p, Requested: p.Settings}}
	if e.Trials, err = p.Store.Trials(); err != nil {
		return nil, err
	}
	if e.Rounds, err = p.Store.Rounds(); err != nil {
		return nil, err
	}
	before := Summarize(p.Settings, e.Trials, e.Rounds)
	e.before = seconds(before.Seconds + before.Overhead)
	if p.Settings.Planned == nil {
		return e, nil
	}
	plan, err := p.Store.Plan()
	if err != nil {
		return nil, err
	}
	if plan != nil && plan.Elapsed > 0 {
		e.before = plan.Elapsed
	}
	switch {
	case plan != nil && plan.Limit < p.Settings.TimeLimit:
		e.Previous = plan
	case plan != nil:
		e.before = max(e.before, plan.Used)
		e.follow(plan)
	}
	return e, nil
}

// run runs the stages.
func (e *executor) run(ctx context.Context) (stopped Stop, note string, err error) {
	stopped = BudgetSpent
	var notes []string
	var timedOut error
	for _, stage := range e.Stages {
		last, err := e.runStage(ctx, stage)
		if last.Stopped != "" {
			stopped = last.Stopped
		}
		if last.Note != "" {
			notes = append(notes, last.Note)
		}
		note = strings.Join(notes, "; ")
		skipped, isSkipped := errors.AsType[*Skipped](err)
		switch {
		case isSkipped:
			notes = append(notes, skipped.Note)
			note = strings.Join(notes, "; ")
			if skipped.TimeLimit {
				timedOut = task.ErrDeadlineExceeded
			}
		case errors.Is(err, task.ErrDeadlineExceeded) && last.OnTimeout == NextStage:
		case errors.Is(err, task.ErrDeadlineExceeded) && last.OnTimeout == NextStageThenStop:
			timedOut = err
		case err != nil:
			return stopped, note, err
		case last.EndSearch:
			return stopped, note, nil
		}
	}
	return stopped, note, timedOut
}

// runStage runs a stage until it is done, and returns its last step.
func (e *executor) runStage(ctx context.Context, stage Stage) (step Step, err error) {
	for {
		if step, err = stage.Next(ctx, &e.State); err != nil {
			return step, err
		}
		if len(step.Train) > 0 {
			if err := e.train(ctx, stage, step); err != nil {
				return step, err
			}
		}
		if step.Change != nil {
			if err := e.put(*step.Change); err != nil {
				return step, err
			}
		}
		if step.AnnouncePlan {
			e.announcePlan()
		}
		if step.Done {
			return step, nil
		}
	}
}

// train carries out a training step.
func (e *executor) train(ctx context.Context, stage Stage, step Step) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := e.CheckEngine(); err != nil {
		return err
	}
	e.report(stage, step.Train, 0)
	work := step.Work
	if work == nil {
		work = func(ctx context.Context) (Change, error) { return e.trainPopulation(ctx, stage, step) }
	}
	ctx, cancel := e.withDeadline(ctx, step)
	defer cancel()
	change, err := work(ctx)
	if err != nil {
		_, skipped := errors.AsType[*Skipped](err)
		if !skipped && errors.Is(context.Cause(ctx), task.ErrDeadlineExceeded) {
			return task.ErrDeadlineExceeded
		}
		return err
	}
	if err := e.put(change); err != nil {
		return err
	}
	e.report(stage, step.Train, 0)
	return nil
}

// trainPopulation trains trials as one population, and returns them with their results.
func (e *executor) trainPopulation(ctx context.Context, stage Stage, step Step) (Change, error) {
	start, trials := time.Now(), step.Train
	artifacts, err := e.taskFor(step).Train(ctx, trials, func(share float64) {
		e.report(stage, trials, share)
	})
	if err != nil {
		return Change{}, err
	}
	for i := range trials {
		share := time.Since(start).Seconds() / float64(len(trials))
		trials[i].Seconds = max(trials[i].Seconds, share)
	}
	change := Change{Trials: trials}
	err = stage.Trained(&e.State, &change, artifacts)
	return change, err
}

// put stores a change and applies it to the state.
func (e *executor) put(c Change) error {
	if plan := cmp.Or(c.Plan, e.Plan); plan != nil && (c.Plan != nil || !plan.Ended) {
		now := *plan
		now.Elapsed = e.Used()
		c.Plan = &now
	}
	if err := e.Store.Put(c); err != nil {
		return err
	}
	e.Trials = WithTrials(e.Trials, c.Trials)
	if c.Round != nil {
		e.Rounds = append(e.Rounds, *c.Round)
	}
	if c.Plan != nil {
		e.follow(c.Plan)
	}
	return nil
}

// announcePlan reports the plan with the time that is left of it.
func (e *executor) announcePlan() {
	p := e.Plan
	if e.OnPlan == nil || p.Searched && !p.NoSearch || p.Ended {
		return
	}
	rest := *p
	rest.Seconds = max(0, p.Seconds-(e.Used()-p.Used).Seconds())
	e.OnPlan(rest)
}

// end stores why the search ended, also in the plan. An interrupted search has not ended.
func (e *executor) end(stopped Stop, note string) error {
	change := Change{Stopped: stopped}
	if e.Plan != nil && !e.Plan.Ended {
		plan := *e.Plan
		plan.Used = e.Used()
		if stopped != Interrupted {
			plan.Ended, plan.Stopped, plan.Note = true, stopped, note
		}
		change.Plan = &plan
	}
	return e.put(change)
}

// report reports the progress of a stage. share is the finished share of the population in
// training.
func (e *executor) report(stage Stage, training []task.Trial, share float64) {
	if e.OnProgress == nil {
		return
	}
	p := Progress{Stage: training[0].Stage, Metric: e.Task.Presentation().Metric, End: e.End()}
	trials := e.InStage(p.Stage)
	p.Trained, p.Budget = task.Finished(trials), len(trials)
	if best := task.BestFirst(trials); len(best) > 0 {
		p.Best = &best[0]
	}
	stage.Progress(&e.State, training, &p)
	p.Share = e.share(training, share)
	if e.Plan != nil {
		p.Share = min(1, e.Used().Seconds()/e.Plan.Limit.Seconds())
	}
	e.OnProgress(p)
}

// share returns the finished share of all training, measured in full trainings.
func (e *executor) share(training []task.Trial, share float64) float64 {
	ended := slices.DeleteFunc(slices.Clone(e.Trials), func(t task.Trial) bool {
		return t.State == task.Running
	})
	finished := e.fullTrainings(ended) + e.fullTrainings(training)*share
	return min(1, finished/e.expectedTrainings())
}

// expectedTrainings returns the expected number of full trainings of all stages.
func (e *executor) expectedTrainings() float64 {
	s := e.Settings
	found, baselines := s.RetrainCounts()
	all := float64(s.Budget)*RungCost(s.Halving) + float64(s.RetrainSeeds*(found+baselines))
	for _, t := range e.InStage(task.Searching) {
		if t.Round == 0 {
			all++
		}
	}
	switch {
	case s.Tune == nil:
	case s.Tune.Space == nil:
		all += float64(s.Tune.Trials)
	default: // short and full trainings of two models per recipe, and confirmations
		const models, confirmations = 2, 12
		all += float64(len(s.NamedBaselines())) + models*RungCost(1)*float64(s.Tune.Trials) + confirmations
	}
	if s.TuneEach != nil { // the best structures and the baselines
		all += float64(found+s.CountBaselines()) * RungCost(1) * float64(s.TuneEach.Trials)
	}
	if s.Final != nil {
		all += float64(s.Final.Trials)
	}
	return all
}

// fullTrainings returns the cost of trials in full trainings.
func (e *executor) fullTrainings(trials []task.Trial) (sum float64) {
	for _, t := range trials {
		if t.Stage == task.HalvingRung || t.Stage == task.Tuning || t.Stage == task.TuningEach {
			sum += float64(t.Recipe.Training.Epochs) / float64(e.Settings.Training.Epochs)
		} else {
			sum++
		}
	}
	return sum
}
