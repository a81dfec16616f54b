package search

import (
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Round is what a strategy was asked once. With the settings and the trials of
// earlier rounds it gives the same proposals again.
type Round struct {
	// Number counts from 1.
	Number int `json:"number"`
	// RandomState is that of the PCG source which the strategy was given.
	RandomState []byte `json:"random_state"`
	// Proposed counts its structures, and Repeats those of them that had a trial
	// already, whose result was taken from there.
	Proposed int `json:"proposed"`
	Repeats  int `json:"repeats"`
	// Seconds is what the filter, the predictor and the strategy took.
	Seconds float64 `json:"seconds"`
}

// Change is what a store takes at once, all of it or nothing.
type Change struct {
	// Trials are added or, by number, replaced.
	Trials []task.Trial
	// Round, when not nil, is added.
	Round *Round
	// Best, when not nil, is what one of the trials has left, and replaces the best one.
	Best task.Artifact
	// Plan, when not nil, replaces the plan.
	Plan *Plan
	// Artifacts are what trials have left, by their numbers, to be kept beside the best.
	Artifacts map[int]task.Artifact
}

// Store keeps the trials of one study. Package study beside this one keeps
// them in a file.
type Store interface {
	// Trials returns all trials, by number.
	Trials() ([]task.Trial, error)
	// Rounds returns all rounds, by number.
	Rounds() ([]Round, error)
	// Plan returns the plan, nil when there is none.
	Plan() (*Plan, error)
	// Put makes a change; nothing depends on it before Put has returned.
	Put(Change) error
	// Best returns what the best trial has left, nil when there is nothing yet.
	Best() (task.Artifact, error)
	// Artifact returns what a trial has left, nil where that is not kept.
	Artifact(trial int) (task.Artifact, error)
}

// Memory is a Store that is gone with its process.
type Memory struct {
	trials []task.Trial
	rounds []Round
	best   task.Artifact
	plan   *Plan
	left   map[int]task.Artifact
}

// Trials implements [Store].
func (m *Memory) Trials() ([]task.Trial, error) { return slices.Clone(m.trials), nil }

// Rounds implements [Store].
func (m *Memory) Rounds() ([]Round, error) { return slices.Clone(m.rounds), nil }

// Plan implements [Store].
func (m *Memory) Plan() (*Plan, error) { return m.plan, nil }

// Put implements [Store].
func (m *Memory) Put(c Change) error {
	for _, t := range c.Trials {
		if i := slices.IndexFunc(m.trials, func(old task.Trial) bool { return old.Number == t.Number }); i >= 0 {
			m.trials[i] = t
		} else {
			m.trials = append(m.trials, t)
		}
	}
	if c.Round != nil {
		m.rounds = append(m.rounds, *c.Round)
	}
	if c.Best != nil {
		m.best = c.Best
	}
	if c.Plan != nil {
		m.plan = c.Plan
	}
	if m.left == nil {
		m.left = map[int]task.Artifact{}
	}
	maps.Copy(m.left, c.Artifacts)
	return nil
}

// Best implements [Store].
func (m *Memory) Best() (task.Artifact, error) { return m.best, nil }

// Artifact implements [Store].
func (m *Memory) Artifact(trial int) (task.Artifact, error) { return m.left[trial], nil }
