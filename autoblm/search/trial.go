package search

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// State is how far a trial is.
type State string

const (
	// Running trials were proposed and have no result yet.
	Running State = "running"
	// Complete trials have metrics.
	Complete State = "complete"
	// Failed trials diverged; they are never proposed again.
	Failed State = "failed"
)

// Trial is the training of one structure.
type Trial struct {
	// Number counts the trials of a study from 1.
	Number int `json:"number"`
	// Round counts from 1; the named models are in round 0.
	Round int `json:"round"`
	// Name is set for a named model, which is trained for comparison and is
	// no part of the history that a strategy sees.
	Name      string              `json:"name,omitempty"`
	Structure structure.Structure `json:"structure"`
	// Guess is the predictor's, nil where there was none.
	Guess *float64 `json:"guess,omitempty"`
	State State    `json:"state"`
	// Error says why a trial failed.
	Error string `json:"error,omitempty"`
	// Valid decides; Test is only reported, and nil where the graph has no test triples.
	Valid *completion.Evaluation `json:"valid,omitempty"`
	Test  *completion.Evaluation `json:"test,omitempty"`
	// Loss is the mean loss per triple of each epoch.
	Loss []float64 `json:"loss,omitempty"`
	// Seconds is the trial's share of the time that its population took.
	Seconds float64 `json:"seconds"`
	// Engine and Backend did the arithmetic.
	Engine  string `json:"engine,omitempty"`
	Backend string `json:"backend,omitempty"`
}

// Canonical is the representative of the structure's class under the full group.
func (t Trial) Canonical() structure.Structure { return t.Structure.Canonical(structure.Full) }

// MRR is the filtered validation MRR, or 0 without a result.
func (t Trial) MRR() float64 {
	if t.Valid == nil {
		return 0
	}
	return t.Valid.Both.MRR
}

// bestFirst returns the complete trials, the highest validation MRR first and
// equals in the order of their numbers.
func bestFirst(trials []Trial) []Trial {
	complete := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.State != Complete })
	slices.SortStableFunc(complete, func(a, b Trial) int { return cmp.Compare(b.MRR(), a.MRR()) })
	return complete
}

// proposed leaves out the named models.
func proposed(trials []Trial) []Trial {
	return slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Name != "" })
}
