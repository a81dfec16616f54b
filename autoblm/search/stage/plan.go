package stage

import (
	"context"
	"errors"
	"math"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/budget"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// ErrNoTimeLimit means that a search has no plan yet, because an earlier process ended before it
// was made, and no time limit to make one.
var ErrNoTimeLimit = errors.New("the search has no plan yet: set a time limit")

// Plan makes the plan of a search with a time limit. It measures the pace of a few training steps
// and discards what they train.
type Plan struct{ search.StageBase }

// Next implements [search.Stage].
func (Plan) Next(ctx context.Context, s *search.State) (search.Step, error) {
	switch {
	case s.Settings.Planned == nil:
		return done, nil
	case s.Plan != nil && s.Plan.Ended:
		return search.Step{
			Done: true, EndSearch: true, Stopped: s.Plan.Stopped, Note: s.Plan.Note,
		}, nil
	case s.Plan != nil:
		return search.Step{Done: true, AnnouncePlan: true}, nil
	case s.Previous == nil && s.Settings.TimeLimit == 0:
		return done, ErrNoTimeLimit
	}
	extends := s.Previous != nil && !s.Previous.NoSearch
	var paces search.Paces
	if !extends { // a search that has begun goes on
		paces.Default = defaultPace(s)
	}
	m := measurement{State: s, ranked: budget.Sample(s.TaskSize())}
	plan := budget.New(s.Settings, hasFewValidation(s), paces, s.Used())
	if !plan.NoSearch { // whatever the paces are
		measured, err := m.paces(ctx)
		if err != nil {
			return done, err
		}
		measured.Default = paces.Default
		plan = budget.New(s.Settings, hasFewValidation(s), measured, s.Used())
	}
	plan.Ranked = m.ranked
	if extends {
		plan = budget.Extend(*s.Previous, plan, s.Settings, len(search.Proposed(s.Trials)))
	}
	return search.Step{Change: &search.Change{Plan: &plan}}, nil
}

// defaultPace returns the size and the time of the default model, zero without one. The size is one
// of the structures of the search, which may have other chunks.
func defaultPace(s *search.State) search.Pace {
	trials := s.InStage(task.Default)
	if len(trials) == 0 || trials[0].State != task.Complete {
		return search.Pace{}
	}
	dim := trials[0].Recipe.Training.Dim / s.Settings.K * s.Settings.K
	return search.Pace{Dim: dim, End: trials[0].Seconds}
}

// fewValidation is the number of validation examples below which further splits help.
const fewValidation = 1000

// hasFewValidation returns true if the task has few validation examples and can resplit its data.
func hasFewValidation(s *search.State) bool {
	n := s.TaskSize().Validation
	return s.Task.Supports().Resplits && n > 0 && n < fewValidation
}

// Revision revises the plan after tuning by the pace of the chosen recipe.
type Revision struct{ search.StageBase }

// Next implements [search.Stage].
func (Revision) Next(_ context.Context, s *search.State) (search.Step, error) {
	if s.Plan == nil || s.Plan.Tuned {
		return done, nil
	}
	chosen, took := Recipe(s), 0.0
	for _, t := range s.InStage(task.Tuning) {
		r := t.Recipe
		if r.Seed = chosen.Seed; r == chosen && t.Seconds > 0 {
			took = max(took, t.Seconds)
		}
	}
	p := s.Plan
	if took == 0 || len(p.Paces.At) == 0 { // nothing was tuned, or no pace was measured
		plan := updated(s)
		plan.Tuned = true
		return search.Step{Change: &search.Change{Plan: plan}}, nil
	}
	factor := took / p.Paces.Training(p.Dim, p.Epochs, p.MaxSteps)
	proposed := len(search.Proposed(s.Trials))
	plan := budget.Revise(*p, s.Requested, factor, s.Used(), proposed)
	plan.Tuned = true
	return search.Step{Change: &search.Change{Plan: &plan}, AnnouncePlan: true}, nil
}

// updated returns a copy of the plan with the time used so far.
func updated(s *search.State) *search.Plan {
	plan := *s.Plan
	plan.Used = s.Used()
	return &plan
}

const (
	// measureShare of the time limit is for measuring paces.
	measureShare = 0.03
	// Each pace is measured up to maxRepeats times, within repeatShare of the time limit. Other
	// load can only slow a measurement down, so that the fastest is the best estimate.
	maxRepeats  = 5
	repeatShare = 0.005
	// measuredSteps are timed per dimension, or the steps of an epoch if they are fewer.
	measuredSteps = 24
)

// measurement measures the pace of trainings.
type measurement struct {
	*search.State
	ranked int // examples to rank per training, 0 for all
}

// paces times trainings at growing dimensions, as long as that is cheap.
func (m measurement) paces(ctx context.Context) (search.Paces, error) {
	s := m.Settings
	if *s.Planned == (search.Planned{}) { // nothing depends on the paces
		return search.Paces{}, nil
	}
	examples, batch := m.TaskSize().Examples, s.Training.Batch
	p := search.Paces{Steps: max(1, (examples+batch-1)/batch), Every: s.Training.ValidateEvery}
	began := time.Now()
	for dim := min(64, s.Training.Dim); dim <= budget.MaxDim; dim *= 2 {
		if !s.Planned.Dim {
			dim = s.Training.Dim
		}
		at, err := m.pace(ctx, dim/s.K*s.K, p.Steps)
		if err != nil {
			return p, err
		}
		p.At = append(p.At, at)
		enough := measureShare / 3 * s.TimeLimit.Seconds()
		if !s.Planned.Dim || time.Since(began).Seconds() > enough {
			break
		}
	}
	return p, nil
}

// pace times two trainings of different length, or one if an epoch is a single step.
func (m measurement) pace(ctx context.Context, dim, steps int) (search.Pace, error) {
	if steps == 1 {
		whole, err := m.seconds(ctx, dim, 0)
		return search.Pace{Dim: dim, Step: whole}, err
	}
	short, err := m.seconds(ctx, dim, 1)
	if err != nil {
		return search.Pace{}, err
	}
	most := min(steps, measuredSteps+1)
	long, err := m.seconds(ctx, dim, most)
	if err != nil {
		return search.Pace{}, err
	}
	step := max(long-short, long/20) / float64(most-1)
	return search.Pace{Dim: dim, Step: step, End: max(0, short-step)}, nil
}

// seconds returns the time per structure of one epoch with a limit of steps, 0 for none.
func (m measurement) seconds(ctx context.Context, dim, steps int) (float64, error) {
	recipe := m.Settings.TrialRecipe()
	training := &recipe.Training
	training.Dim, training.Epochs, training.MaxSteps = dim, 1, steps
	training.SkipValidation()
	var trials []task.Trial
	for _, a := range []structure.Structure{simple(m.Settings.K), diagonal(m.Settings.K)} {
		trials = append(trials, task.Trial{
			Stage: task.Tuning, Structure: a, Recipe: recipe, State: task.Running,
		})
	}
	on := search.LimitRanking(m.Task, m.ranked, false)
	limit := time.Duration(repeatShare * float64(m.Settings.TimeLimit))
	ctx = task.Measuring(ctx)
	fastest, began := math.Inf(1), time.Now()
	for range maxRepeats {
		start := time.Now()
		if _, err := on.Train(ctx, slices.Clone(trials), func(float64) {}); err != nil {
			return 0, err
		}
		fastest = min(fastest, time.Since(start).Seconds())
		if time.Since(began) > limit {
			break
		}
	}
	return fastest / float64(len(trials)), nil
}

// diagonal returns DistMult with k chunks.
func diagonal(k int) structure.Structure {
	s := structure.Zero(k)
	for i := range k {
		s = s.With(i, i, i+1)
	}
	return s
}

// simple returns SimplE with k chunks: pairs of chunks with each other; the last one of an odd
// number is on the diagonal.
func simple(k int) structure.Structure {
	s := structure.Zero(k)
	for i := range k {
		s = s.With(i, min(i^1, k-1), i+1)
	}
	return s
}
