package search

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
)

// Store keeps the trials of one study. Package study beside this one keeps
// them in a file.
type Store interface {
	// Trials returns all trials, by number.
	Trials() ([]Trial, error)
	// Put adds trials or, by number, replaces them, all or none of them. best,
	// when not nil, is the model of one of them and replaces the best model.
	Put(trials []Trial, best *completion.Model) error
	// Best returns the best model, nil when there is none yet.
	Best() (*completion.Model, error)
}

// Memory is a Store that is gone with its process.
type Memory struct {
	trials []Trial
	best   *completion.Model
}

// Trials implements [Store].
func (m *Memory) Trials() ([]Trial, error) { return slices.Clone(m.trials), nil }

// Put implements [Store].
func (m *Memory) Put(trials []Trial, best *completion.Model) error {
	for _, t := range trials {
		if i := slices.IndexFunc(m.trials, func(old Trial) bool { return old.Number == t.Number }); i >= 0 {
			m.trials[i] = t
		} else {
			m.trials = append(m.trials, t)
		}
	}
	if best != nil {
		m.best = best
	}
	return nil
}

// Best implements [Store].
func (m *Memory) Best() (*completion.Model, error) { return m.best, nil }
