package task

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
)

// State is how far a trial is.
type State string

const (
	// Running trials were proposed and have no result yet.
	Running State = "running"
	// Complete trials have a score.
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
	// Rung trials train structures of a search for a part of the epochs, to see which are
	// worth all of them.
	Rung Stage = "rung"
	// Tuning trials compare recipes, before the search.
	Tuning Stage = "tune"
	// Sizing trials compare dimensions for the models that are trained again.
	Sizing Stage = "size"
	// Again trials train the best structures by the recipe of the search with other seeds,
	// after it.
	Again Stage = "again"
	// Ensembling is the one trial that trains nothing: an ensemble chosen among what those of Again
	// have left.
	Ensembling Stage = "ensemble"
	// Resplit trials train these by other splits of the training and the validation data.
	Resplit Stage = "resplit"
	// Final trials train the best structures by other recipes, after the search.
	Final Stage = "final"
)

// Recipe is how a structure is trained: with the structure, all that a result
// depends on beside the data.
type Recipe struct {
	kge.Recipe
	// Seed decides the initial embeddings.
	Seed uint64 `json:"seed"`
}

// Member is a structure that is trained by the recipe.
func (r Recipe) Member(a structure.Structure) kge.Member {
	return r.For(form.Bilinear, a, r.Seed)
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
	Name string `json:"name,omitempty"`
	// Form is that of the model. Only bilinear ones have a structure.
	Form      form.Form           `json:"form,omitzero"`
	Structure structure.Structure `json:"structure,omitzero"`
	Recipe    Recipe              `json:"recipe"`
	// Guess is the predictor's, nil where there was none.
	Guess *float64 `json:"guess,omitempty"`
	State State    `json:"state"`
	// Error says why a trial failed.
	Error string `json:"error,omitempty"`
	// Score decides between trials, and higher is better; nil without a result. What it
	// is, the Words of the task say. TestScore is the same of the test data, which is only
	// reported, and nil where nothing was tested.
	Score     *float64 `json:"score,omitempty"`
	TestScore *float64 `json:"test_score,omitempty"`
	// Details is a JSON object of what the task tells of the trial beside that, as the
	// metrics of both splits. Its fields stand among those of the trial in JSON.
	Details json.RawMessage `json:"-"`
	// Loss is the mean loss of each epoch, and Validations has the validated ones.
	Loss        []float64        `json:"loss,omitempty"`
	Validations []kge.Validation `json:"validations,omitempty"`
	// Seconds is the trial's share of the time that its population took.
	Seconds float64 `json:"seconds"`
	// Engine and Backend did the arithmetic.
	Engine  string `json:"engine,omitempty"`
	Backend string `json:"backend,omitempty"`
	// Split is the number of the split, of a trial of stage Resplit.
	Split int `json:"split,omitempty"`
	// StoppedEarly is set if a deadline has stopped the training early, so that the result
	// depends on the time too.
	StoppedEarly bool `json:"stopped_early,omitempty"`
	// Kept is set where the trial was the best so far, so that what it has left took the
	// place of what was kept before. Trials of earlier versions do not have it.
	Kept bool `json:"kept,omitempty"`
	// Ensemble, of a trial that is Ensembling, says whose; it has no structure, and its score is by
	// what had no part in the choice.
	Ensemble *Chosen `json:"ensemble,omitempty"`
}

// Member is what is trained.
func (t Trial) Member() kge.Member {
	return t.Recipe.For(t.Form, t.Structure, t.Recipe.Seed)
}

// Canonical is the representative of the structure's class under the full group.
func (t Trial) Canonical() structure.Structure { return t.Structure.Canonical(structure.Full) }

// By names what did the arithmetic, as "cpu (avx512)"; "" where that is not known.
func (t Trial) By() string { return strings.TrimSuffix(t.Engine+" ("+t.Backend+")", " ()") }

// Engines names all that did the arithmetic of trials. Where there are several, their results
// differ in rounding.
func Engines(trials []Trial) []string {
	names := []string{}
	for _, t := range trials {
		if by := t.By(); by != "" && !slices.Contains(names, by) {
			names = append(names, by)
		}
	}
	return names
}

// Mixed says what it means that there are several engines, "" where there are not.
func Mixed(engines []string) string {
	if len(engines) < 2 {
		return ""
	}
	return fmt.Sprintf("The trials are of several engines, %s, whose results differ in rounding: close scores do not tell them apart.", format.List(engines, "and"))
}

// ScoreOrZero is the score, or 0 without a result.
func (t Trial) ScoreOrZero() float64 {
	if t.Score == nil {
		return 0
	}
	return *t.Score
}
