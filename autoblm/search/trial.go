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

// Stage is the part of the full procedure that a trial belongs to (paper,
// Algorithm 5).
type Stage string

const (
	// Searching trials compare structures, all trained by one recipe.
	Searching Stage = "search"
	// Tuning trials compare recipes, before the search.
	Tuning Stage = "tune"
	// Final trials train the best structures by other recipes, after the search.
	Final Stage = "final"
)

// Recipe is how a structure is trained: with the structure, all that a result
// depends on beside the data.
type Recipe struct {
	Training completion.Settings `json:"training"`
	// Seed decides the initial embeddings.
	Seed uint64 `json:"seed"`
	// LearningRate and Weights are as in [completion.Member].
	LearningRate float64 `json:"learning_rate"`
	completion.Weights
}

func (r Recipe) member(a structure.Structure) completion.Member {
	return completion.Member{Structure: a, Seed: r.Seed, LearningRate: r.LearningRate, Weights: r.Weights}
}

// Trial is the training of one structure by one recipe. A stage of a study has no
// two trials with the same of both.
type Trial struct {
	// Number counts the trials of a study from 1.
	Number int   `json:"number"`
	Stage  Stage `json:"stage"`
	// Round counts the rounds of the strategy from 1. It is 0 for what no
	// strategy proposed, which is no part of the history that one sees.
	Round int `json:"round"`
	// Name is set for a named model that is trained for comparison. If the
	// strategy proposes it too, it is in a round as well.
	Name      string              `json:"name,omitempty"`
	Structure structure.Structure `json:"structure"`
	Recipe    Recipe              `json:"recipe"`
	// Guess is the predictor's, nil where there was none.
	Guess *float64 `json:"guess,omitempty"`
	State State    `json:"state"`
	// Error says why a trial failed.
	Error string `json:"error,omitempty"`
	// Valid decides; Test is only reported, and nil where the graph has no test triples.
	Valid *completion.Evaluation `json:"valid,omitempty"`
	Test  *completion.Evaluation `json:"test,omitempty"`
	// Objective decides where the validation MRR does not, as an accuracy; higher is
	// better.
	Objective *float64 `json:"objective,omitempty"`
	// TestObjective is the same of the test data. It is only reported, and nil where
	// nothing was tested.
	TestObjective *float64 `json:"test_objective,omitempty"`
	// Loss is the mean loss per triple of each epoch, and Validations has the
	// validation MRR of epochs, when the recipe validates.
	Loss        []float64               `json:"loss,omitempty"`
	Validations []completion.Validation `json:"validations,omitempty"`
	// Seconds is the trial's share of the time that its population took.
	Seconds float64 `json:"seconds"`
	// Engine and Backend did the arithmetic.
	Engine  string `json:"engine,omitempty"`
	Backend string `json:"backend,omitempty"`
}

// Canonical is the representative of the structure's class under the full group.
func (t Trial) Canonical() structure.Structure { return t.Structure.Canonical(structure.Full) }

// Score is what decides between trials: Objective where a task has one, else MRR.
func (t Trial) Score() float64 {
	if t.Objective != nil {
		return *t.Objective
	}
	return t.MRR()
}

// TestScore is the same on the test part, false where nothing was tested.
func (t Trial) TestScore() (score float64, tested bool) {
	switch {
	case t.TestObjective != nil:
		return *t.TestObjective, true
	case t.Objective == nil && t.Test != nil:
		return t.Test.Both.MRR, true
	}
	return 0, false
}

// Metric is the name of what decides: "MRR", or "accuracy" where a task has an
// Objective.
func (t Trial) Metric() string {
	if t.Objective != nil {
		return "accuracy"
	}
	return "MRR"
}

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
	slices.SortStableFunc(complete, func(a, b Trial) int { return cmp.Compare(b.Score(), a.Score()) })
	return complete
}

// proposed are the trials of the rounds, round by round.
func proposed(trials []Trial) []Trial {
	rounds := slices.DeleteFunc(slices.Clone(trials), func(t Trial) bool { return t.Round == 0 })
	slices.SortStableFunc(rounds, func(a, b Trial) int { return cmp.Compare(a.Round, b.Round) })
	return rounds
}
