package task

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// State is the state of a trial.
type State string

const (
	// Running trials are proposed and have no result yet.
	Running State = "running"
	// Complete trials have a score.
	Complete State = "complete"
	// Diverged trials have no finite loss. Means count them as 0. They are never proposed again.
	Diverged State = "diverged"
	// Lost trials have no result for another reason, such as workers that were lost. Means leave them
	// out. They are never proposed again.
	Lost State = "lost"
)

// Stage is the stage of a search that a trial belongs to (paper, Algorithm 5).
type Stage string

const (
	// Default trials train baselines as a training without a search does.
	Default Stage = "default"
	// Searching trials compare structures, all trained with one recipe.
	Searching Stage = "search"
	// HalvingRung trials train structures for part of the epochs (successive halving).
	HalvingRung Stage = "rung"
	// Tuning trials compare recipes before the search.
	Tuning Stage = "tune"
	// TuningEach trials compare recipes for each of the best structures and each baseline.
	TuningEach Stage = "tune each"
	// Sizing trials compare dimensions for retraining.
	Sizing Stage = "size"
	// Retraining trials train the best structures with other seeds after the search.
	Retraining Stage = "retrain"
	// EnsembleSelection is the stage of one trial without training: an ensemble selected from
	// the artifacts of Retraining.
	EnsembleSelection Stage = "ensemble"
	// Resplit trials retrain structures on other splits of training and validation data.
	Resplit Stage = "resplit"
	// Final trials train the best structures with random recipes after the search.
	Final Stage = "final"
)

// Recipe holds everything that the result of a structure depends on, apart from the data.
type Recipe struct {
	kge.Recipe
	// Seed determines the initial embeddings.
	Seed uint64 `json:"seed"`
}

// Member returns the member of a population that trains a structure with the recipe.
func (r Recipe) Member(a structure.Structure) kge.Member {
	return r.For(form.Bilinear, a, r.Seed)
}

// Terms lists the weights of the penalties and of relation prediction, translation, batch
// normalization and binary cross entropy, such as "n3 0.02, n3-block 2, translate".
func (r Recipe) Terms() string {
	terms := settings.Set(r.Weights)
	if r.Training.Translate {
		terms += ", translate"
	}
	if r.Training.BatchNorm {
		terms += ", batch-norm"
	}
	if r.Training.Loss == kge.BCE {
		terms += ", bce"
	}
	return cmp.Or(strings.TrimPrefix(terms, ", "), "no penalty")
}

// Trial is one training of a model with a recipe. No two trials of a stage have the same form,
// structure and recipe.
type Trial struct {
	// Number counts the trials of a study from 1.
	Number int   `json:"number"`
	Stage  Stage `json:"stage"`
	// Round counts the rounds of the strategy from 1. It is 0 for a trial that the strategy did
	// not propose; such a trial is not part of the history.
	Round int `json:"round"`
	// Name is the name of a baseline. If the strategy proposes its structure too, the trial also
	// has a round.
	Name string `json:"name,omitempty"`
	// Form is the form of the model. Only bilinear models have a structure.
	Form      form.Form           `json:"form,omitzero"`
	Structure structure.Structure `json:"structure,omitzero"`
	Recipe    Recipe              `json:"recipe"`
	// Prediction is the score that the predictor expects, nil without a predictor.
	Prediction *float64 `json:"prediction,omitempty"`
	State      State    `json:"state"`
	// Error is the reason why a trial failed.
	Error string `json:"error,omitempty"`
	// Score selects between trials; higher is better, and nil means no result. The
	// [Presentation] of the task defines it. TestScore is the score on test data, which is only
	// reported; nil without a test.
	Score     *float64 `json:"score,omitempty"`
	TestScore *float64 `json:"test_score,omitempty"`
	// Details is a JSON object of further results, such as the metrics of both splits.
	Details json.RawMessage `json:"details,omitempty"`
	// Loss is the mean loss of each epoch, and Validations are the validations during training.
	Loss        []float64        `json:"loss,omitempty"`
	Validations []kge.Validation `json:"validations,omitempty"`
	// TimeShare is the share of the time limit for which the default model was planned, 0 for
	// other trials.
	TimeShare float64 `json:"time_share,omitempty"`
	// Seconds is the trial's share of the time of its population.
	Seconds float64 `json:"seconds"`
	// Engine and Backend trained the trial.
	Engine  string `json:"engine,omitempty"`
	Backend string `json:"backend,omitempty"`
	// Split is the number of the split of a Resplit trial.
	Split int `json:"split,omitempty"`
	// StoppedEarly is true if the time limit ended the training, so that the result depends on
	// the time too.
	StoppedEarly bool `json:"stopped_early,omitempty"`
	// Kept is true if the study stores or stored the artifact of the trial as its best.
	Kept bool `json:"kept,omitempty"`
	// Ensemble is the selection of an EnsembleSelection trial. That trial has no structure, and
	// its score is on data that were not used for the selection.
	Ensemble *Selection `json:"ensemble,omitempty"`
}

// ModelName names the model of the trial, such as "ComplEx", "ensemble of 3" or "structure found".
func (t Trial) ModelName() string {
	switch {
	case t.Ensemble != nil:
		return "ensemble of " + format.Int(len(t.Ensemble.Members))
	case t.Name != "":
		return structure.TitleOf(t.Name)
	case t.Form != form.Bilinear:
		return t.Form.String()
	case t.Stage == Tuning: // recipes are tried on one given structure
		if name := t.Structure.Name(); name != "" {
			return structure.TitleOf(name)
		}
		return t.Structure.String()
	}
	return "structure found"
}

// HasBlocks reports whether a penalty of blocks tells equivalent structures apart; see N3Block of
// [kge.Weights].
func (t Trial) HasBlocks() bool {
	return 1 < t.Recipe.N3Block && t.Recipe.N3Block < t.Structure.K()
}

// TrainsLike returns the name of the baseline that trains like the structure of the trial, or "". It is
// equivalent and, with blocks, has the same chunks in each.
func (t Trial) TrainsLike() string {
	name := t.Structure.Name()
	if name == "" || !t.HasBlocks() {
		return name
	}
	inBlocks := func(s structure.Structure) structure.Structure {
		return s.CanonicalInBlocks(structure.Full, t.Recipe.N3Block)
	}
	for _, b := range structure.BaselinesWith(t.Structure.K()) {
		if b.Name == name && inBlocks(b.Structure) == inBlocks(t.Structure) {
			return name
		}
	}
	return ""
}

// Equivalent returns the title of the baseline to which a structure that was found is equivalent,
// or "". With an encoder's message of its own, it is equivalent to none. It says if the chunks are in
// other blocks.
func (t Trial) Equivalent() string {
	message := t.Message()
	if t.Name != "" || t.Stage == Tuning || t.Structure.K() == 0 ||
		message.K() > 0 && message != t.Structure {
		return ""
	}
	title := structure.TitleOf(t.Structure.Name())
	if title != "" && t.TrainsLike() == "" {
		title += " in other blocks"
	}
	return title
}

// Member returns the member of a population that trains the trial.
func (t Trial) Member() kge.Member {
	return t.Recipe.For(t.Form, t.Structure, t.Recipe.Seed)
}

// Model is what a trial trains, apart from its recipe.
type Model struct {
	Form      form.Form
	Structure structure.Structure
	// Message is the structure of the messages of an encoder, the zero value without one.
	Message structure.Structure
}

// Model returns the model of the trial.
func (t Trial) Model() Model { return Model{t.Form, t.Structure, t.Message()} }

// Message returns the structure of the messages of the trial's encoder, the zero value without one.
func (t Trial) Message() structure.Structure {
	e := t.Recipe.Training.Encoding
	if e.Encoder != kge.BLM {
		return structure.Structure{}
	}
	return e.MessageOf(t.Structure)
}

// WithMessage returns the trial with another structure of the messages of its encoder.
func (t Trial) WithMessage(message structure.Structure) Trial {
	if message == t.Structure { // which has one form, so that no trial is there twice
		message = structure.Structure{}
	}
	t.Recipe.Training.Message = message
	return t
}

// Canonical returns the representative of the structure's class under the full group.
func (t Trial) Canonical() structure.Structure { return t.Structure.Canonical(structure.Full) }

// IsEquivalent reports whether two trials train equivalent models, apart from their recipes.
func (t Trial) IsEquivalent(other Trial) bool {
	if t.Model() == other.Model() {
		return true
	}
	canonical := func(s structure.Structure) structure.Structure { return s.Canonical(structure.Full) }
	return t.Form == other.Form && t.Structure.K() == other.Structure.K() &&
		canonical(t.Message()) == canonical(other.Message()) && t.Canonical() == other.Canonical()
}

// EngineName names the engine and backend that trained the trial, such as "cpu (avx512)"; "" if
// unknown.
func (t Trial) EngineName() string {
	return strings.TrimSuffix(t.Engine+" ("+t.Backend+")", " ()")
}

// Engines returns the names of all engines that trained the trials.
func Engines(trials []Trial) []string {
	names := []string{}
	for _, t := range trials {
		if name := t.EngineName(); name != "" && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// MixedEnginesWarning returns a warning if there are several engines, else "".
func MixedEnginesWarning(engines []string) string {
	if len(engines) < 2 {
		return ""
	}
	return fmt.Sprintf("The trials come from several engines, %s, whose results differ in "+
		"rounding: small differences in score may be due to that.", format.List(engines, "and"))
}

// HasFailed reports whether the trial diverged or was lost.
func (t Trial) HasFailed() bool { return t.State == Diverged || t.State == Lost }

// ScoreOrZero returns the score, or 0 without a result.
func (t Trial) ScoreOrZero() float64 {
	if t.Score == nil {
		return 0
	}
	return *t.Score
}
