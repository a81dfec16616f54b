package search

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Problem defines a search.
type Problem struct {
	Task     task.Task
	Strategy strategy.Strategy
	Settings Settings
	// Stages are the stages of the search in their order; see package stage.
	Stages []Stage
	// Store keeps the trials; a new [Memory] if nil.
	Store Store
	// MixEngines allows resuming a search that another engine or instruction set began. Otherwise
	// the search fails with [kge.ErrOtherEngine].
	MixEngines bool
	// OnProgress, if set, is called often.
	OnProgress func(Progress)
	// Began is the start of the time limit; now if zero. OnPlan, if set, receives the plan of a
	// search with a time limit.
	Began  time.Time
	OnPlan func(Plan)
	// Default, if not nil, replaces the recipe of the default model of the task.
	Default *kge.Recipe
}

// State is a search in progress, as its stages see it. They do not change it.
type State struct {
	Problem // with the settings of the plan, if there is one
	// Requested are the settings without the plan.
	Requested Settings
	// Trials and Rounds are in the order of their numbers.
	Trials []task.Trial
	Rounds []Round
	// Plan is the plan that the search follows, nil without one. Previous is a stored plan for a
	// shorter time limit.
	Plan, Previous *Plan

	before time.Duration // used by earlier processes
}

// follow applies a plan.
func (s *State) follow(p *Plan) {
	s.Plan, s.Settings = p, p.Apply(s.Requested)
}

// endShare of the time limit is reserved for selecting an ensemble, for the last ranking and for
// saving; saveShare is for saving alone.
const (
	endShare  = 0.06
	saveShare = 0.02
)

// Used returns the time that all processes have used so far, up to the last change that each stored.
func (s *State) Used() time.Duration { return s.before + time.Since(s.Began) }

// TimeLimit returns the search time at which training ends, 0 without a limit. The limit of a plan
// covers all processes; otherwise each process has its own.
func (s *State) TimeLimit() time.Duration {
	switch {
	case s.Plan != nil:
		return s.Plan.Limit - seconds(endShare*s.Plan.Limit.Seconds())
	case s.Settings.TimeLimit > 0 && s.Settings.Planned != nil:
		return s.before + seconds((1-endShare)*s.Settings.TimeLimit.Seconds())
	case s.Settings.TimeLimit > 0:
		return s.before + s.Settings.TimeLimit
	}
	return 0
}

// SavingLimit returns the search time at which everything but saving ends, 0 without a plan.
func (s *State) SavingLimit() time.Duration {
	if s.Plan == nil {
		return 0
	}
	return seconds((1 - saveShare) * s.Plan.Limit.Seconds())
}

// TimeIsUp returns true once the time limit is reached.
func (s *State) TimeIsUp() bool {
	limit := s.TimeLimit()
	return limit > 0 && s.Used() >= limit
}

// HasTimeFor returns true if a training that takes some seconds fits into the time limit.
func (s *State) HasTimeFor(seconds float64) bool {
	limit := s.TimeLimit()
	return limit == 0 || (s.Used().Seconds()+1.1*seconds) < limit.Seconds()
}

// End returns the time of day at which the limit of the search ends, the zero time without one.
func (s *State) End() time.Time {
	switch {
	case s.Plan != nil:
		return s.deadline(s.Plan.Limit)
	case s.Settings.TimeLimit > 0:
		return s.Began.Add(s.Settings.TimeLimit)
	}
	return time.Time{}
}

// deadline returns the time of day of a search time.
func (s *State) deadline(at time.Duration) time.Time { return s.Began.Add(at - s.before) }

// InStage returns the trials of a stage.
func (s *State) InStage(stage task.Stage) []task.Trial { return task.InStage(stage, s.Trials) }

// Numbered returns new trials of a stage with their numbers.
func (s *State) Numbered(stage task.Stage, trials []task.Trial) []task.Trial {
	for i := range trials {
		trials[i].Number = len(s.Trials) + i + 1
		trials[i].Stage, trials[i].State = stage, task.Running
	}
	return trials
}

// Population returns the running trials of a stage that train next: at most limit of them, with the
// same training settings, split, form and number of chunks. If same is not nil, it must also return
// true for any two of them.
func (s *State) Population(
	stage task.Stage, limit int, same func(a, b task.Trial) bool,
) []task.Trial {
	running := slices.DeleteFunc(s.InStage(stage), func(t task.Trial) bool {
		return t.State != task.Running
	})
	size := 0
	for size < min(len(running), limit) {
		a, b := running[0], running[size]
		if !TrainTogether(a, b) || same != nil && !same(a, b) {
			break
		}
		size++
	}
	return running[:size]
}

// TrainTogether reports whether two trials can be members of one population.
func TrainTogether(a, b task.Trial) bool {
	return a.Recipe.Training == b.Recipe.Training && a.Split == b.Split && a.Form == b.Form &&
		a.Structure.K() == b.Structure.K()
}

// MaxPopulation returns the maximum number of trials that train together.
func (s *State) MaxPopulation() int { return max(s.Settings.RoundSize, s.Settings.Parents) }

// TaskSize returns the size of the task. A task of unknown size counts as one step per epoch.
func (s *State) TaskSize() task.Size {
	if size := s.Task.Size(); size != (task.Size{}) {
		return size
	}
	return task.Size{Examples: s.Settings.Training.Batch}
}

// taskFor returns the task for the trials of a step, with the split of the trials and the ranking
// limits of the plan.
func (s *State) taskFor(step Step) task.Task {
	t := s.Task
	if split := step.Train[0].Split; split > 0 && t.Supports().Resplits {
		t = t.Resplit(split)
	}
	if s.Plan == nil {
		return LimitRanking(t, step.Ranked, step.TestSample)
	}
	return LimitRanking(t, s.Plan.Ranked, step.TestSample)
}

// LimitRanking returns the task with a limit on the ranked examples, 0 for none. The limit applies
// to test examples too if test is true; otherwise they are not ranked.
func LimitRanking(t task.Task, ranked int, test bool) task.Task {
	if ranked == 0 {
		return t
	}
	limits := eval.Limits{Valid: ranked, Test: eval.None}
	if test {
		limits.Test = ranked
	}
	if limited := t.Limit(limits); limited != nil {
		return limited
	}
	return t
}

// CheckEngine returns [kge.ErrOtherEngine] if new trials would differ from those so far in
// rounding.
func (s *State) CheckEngine() error {
	if s.MixEngines {
		return nil
	}
	var here task.Trial
	for _, t := range s.Trials {
		here.Engine, here.Backend = s.Task.Arithmetic(t.Recipe.Training.Precision)
		if here.Engine == "" {
			return nil
		}
		if t.Engine != "" &&
			(t.Engine != here.Engine || t.Backend != "" && t.Backend != here.Backend) {
			return fmt.Errorf("%w: engine %s trained its trials, and the results of %s differ in "+
				"rounding; resume with the first engine, or begin another study",
				kge.ErrOtherEngine, t.EngineName(), here.EngineName())
		}
	}
	return nil
}

// Artifact returns the stored artifact of a trial.
func (s *State) Artifact(number int) (task.Artifact, error) {
	a, err := s.Store.Artifact(number)
	if err == nil && a == nil {
		err = fmt.Errorf("the study has lost the artifact of trial %d: begin another study", number)
	}
	return a, err
}

// Proposed returns the trials of the rounds, round by round. For a structure on several rungs, it
// returns the trial on the highest rung with a result. A lost promotion has none.
func Proposed(trials []task.Trial) []task.Trial {
	var rounds []task.Trial
	onRungs := map[task.Model]int{}
	for _, t := range trials { // promotions have higher numbers
		if t.Round == 0 {
			continue
		}
		if i, known := onRungs[t.Model()]; known {
			if t.State != task.Running && t.State != task.Lost {
				rounds[i] = t
			}
			continue
		}
		if t.Stage == task.HalvingRung {
			onRungs[t.Model()] = len(rounds)
		}
		rounds = append(rounds, t)
	}
	slices.SortStableFunc(rounds, func(a, b task.Trial) int { return a.Round - b.Round })
	return rounds
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// withDeadline returns a context for a step.
func (s *State) withDeadline(ctx context.Context, step Step) (context.Context, context.CancelFunc) {
	switch {
	case step.Deadline == 0:
		return context.WithCancel(ctx)
	case step.StopEarly:
		return context.WithCancel(task.StopAt(ctx, s.deadline(step.Deadline)))
	}
	return context.WithDeadlineCause(ctx, s.deadline(step.Deadline), task.ErrDeadlineExceeded)
}
