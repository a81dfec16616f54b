package search

import (
	"maps"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Round records one call of a strategy. With the settings and the trials of earlier rounds, the
// strategy makes the same proposals again.
type Round struct {
	// Number counts from 1.
	Number int `json:"number"`
	// RandomState is the state of the PCG source that the strategy received.
	RandomState []byte `json:"random_state"`
	// Proposed counts the structures, and Repeats those of them that already had a trial.
	Proposed int `json:"proposed"`
	Repeats  int `json:"repeats"`
	// Seconds is the time of the strategy, the filter and the predictor.
	Seconds float64 `json:"seconds"`
}

// Change is a change that a store makes atomically.
type Change struct {
	// Trials are added, or replace those with the same number.
	Trials []task.Trial
	// Round is added if it is not nil.
	Round *Round
	// Best is the artifact of one of the trials. It replaces the best artifact if it is not nil.
	Best task.Artifact
	// Plan replaces the plan if it is not nil.
	Plan *Plan
	// Artifacts are further artifacts by the numbers of their trials.
	Artifacts map[int]task.Artifact
	// Stopped is the reason why the search ended, "" while it runs.
	Stopped Stop
}

// Store keeps the trials of a study. Package study keeps them in a file.
type Store interface {
	// Trials returns all trials by number.
	Trials() ([]task.Trial, error)
	// Rounds returns all rounds by number.
	Rounds() ([]Round, error)
	// Plan returns the plan, nil if there is none.
	Plan() (*Plan, error)
	// Put makes a change. Nothing depends on the change before Put returns.
	Put(Change) error
	// Best returns the best artifact, nil if there is none.
	Best() (task.Artifact, error)
	// Artifact returns the artifact of a trial, nil if it is not stored.
	Artifact(trial int) (task.Artifact, error)
}

// Memory is a store in memory.
type Memory struct {
	trials    []task.Trial
	rounds    []Round
	best      task.Artifact
	plan      *Plan
	artifacts map[int]task.Artifact
}

// Trials implements [Store].
func (m *Memory) Trials() ([]task.Trial, error) { return slices.Clone(m.trials), nil }

// Rounds implements [Store].
func (m *Memory) Rounds() ([]Round, error) { return slices.Clone(m.rounds), nil }

// Plan implements [Store].
func (m *Memory) Plan() (*Plan, error) { return m.plan, nil }

// Put implements [Store].
func (m *Memory) Put(c Change) error {
	m.trials = WithTrials(m.trials, c.Trials)
	if c.Round != nil {
		m.rounds = append(m.rounds, *c.Round)
	}
	if c.Best != nil {
		m.best = c.Best
	}
	if c.Plan != nil {
		m.plan = c.Plan
	}
	if m.artifacts == nil {
		m.artifacts = map[int]task.Artifact{}
	}
	maps.Copy(m.artifacts, c.Artifacts)
	return nil
}

// Best implements [Store].
func (m *Memory) Best() (task.Artifact, error) { return m.best, nil }

// Artifact implements [Store].
func (m *Memory) Artifact(trial int) (task.Artifact, error) { return m.artifacts[trial], nil }

// WithTrials returns a copy of the trials in which changed ones are added or, by number, replaced.
func WithTrials(trials, changed []task.Trial) []task.Trial {
	all := slices.Clone(trials)
	for _, t := range changed {
		i := slices.IndexFunc(all, func(old task.Trial) bool { return old.Number == t.Number })
		if i >= 0 {
			all[i] = t
		} else {
			all = append(all, t)
		}
	}
	return all
}
