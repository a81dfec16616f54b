package task

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Presentation describes the results of a task in tables, sentences and reports. It needs no
// data, only the task settings that a study stores. [Presentation.WithDefaults] fills empty
// fields up to SamplingError; what a task leaves empty after that is not shown.
type Presentation struct {
	// Metric is the metric of the score, such as "MRR".
	Metric string
	// Valid and Test are short names of score and test score, such as "valid MRR".
	Valid, Test string
	// ScoreField and TestField are their names in JSON and CSV, such as "valid_mrr".
	ScoreField, TestField string
	// Validation is the name of the score in a sentence, such as "validation MRR", and
	// OnValidation a phrase such as "on validation".
	Validation, OnValidation string
	// ScoredBy names how a trained structure gets its scores, such as "ranking". HowMeasured
	// defines the scores in a few sentences.
	ScoredBy, HowMeasured string
	// HowToRead explains rows, blocks and columns of a structure in a sentence.
	HowToRead string
	// SamplingError describes how exact a score is.
	SamplingError SamplingError

	// Purpose names the goal of the search, such as "classes of nodes"; "" if the name of the data
	// says enough.
	Purpose string
	// Columns are the columns of a table of trials; the scores if empty.
	Columns []Column
	// Fields are all fields of trial details, with their names in JSON and CSV.
	Fields []Column
	// Metrics compares trials by everything in their details; nil if there are only scores.
	Metrics func(trials []LabeledTrial) []page.Part
	// Breakdown is the unit by which metrics of the best model are listed if the data are
	// available, such as "relation".
	Breakdown string
	// Formula returns the function that a structure computes, and Computes names it; the scoring
	// function if nil.
	Formula  func(structure.Structure) string
	Computes string
	// Models returns what a structure can model, such as "models symmetric relations".
	Models func(structure.Structure) string
	// ByRecipe is true if trials use their recipes. Otherwise only the seed of a recipe counts,
	// and Training summarizes the task settings that determine the rest.
	ByRecipe bool
	Training string
	// Settings are the task settings, and Defaults their default values.
	Settings, Defaults []Setting
}

// Setting is a task setting with its name and value.
type Setting = settings.Setting

// SamplingError describes how exact a score is. The score is a mean of numbers from 0 to 1 over
// sampled examples.
type SamplingError struct {
	// Valid and Test name the examples of either split in singular and plural, such as
	// "validation triple" and "validation triples".
	Valid, Test [2]string
	// Count returns the numbers of examples from the details of a trial. It is nil if they
	// depend on the data.
	Count func(details json.RawMessage) (valid, test int)
	// ExtremesAreCommon is true if scores of exactly 0 or 1 are common, for example because
	// there are few nodes. Their standard error then seems to be 0.
	ExtremesAreCommon bool
	// Assuming is the assumption of the standard error, such as "as if queries shared no edge".
	Assuming string
}

// Column is a number that a table shows for each trial. Value returns nil for a trial without it.
type Column struct {
	Name  string
	Value func(Trial) *float64
}

// LabeledTrial is a trial with a label for readers, such as "Best found".
type LabeledTrial struct {
	Label string
	Trial
}

// ScoreColumns returns Columns, or the scores if there are none.
func (p Presentation) ScoreColumns() []Column {
	if len(p.Columns) > 0 {
		return p.Columns
	}
	return []Column{
		{p.Valid, func(t Trial) *float64 { return t.Score }},
		{p.Test, func(t Trial) *float64 { return t.TestScore }},
	}
}

// WithDefaults fills the fields that a task leaves empty.
func (p Presentation) WithDefaults() Presentation {
	p.Metric = cmp.Or(p.Metric, "score")
	p.Valid = cmp.Or(p.Valid, "valid "+p.Metric)
	p.Test = cmp.Or(p.Test, "test "+p.Metric)
	p.Validation = cmp.Or(p.Validation, "validation "+p.Metric)
	field := strings.ReplaceAll(strings.ToLower(p.Metric), " ", "_")
	p.ScoreField = cmp.Or(p.ScoreField, "valid_"+field)
	p.TestField = cmp.Or(p.TestField, "test_"+field)
	p.OnValidation = cmp.Or(p.OnValidation, "on validation")
	p.ScoredBy = cmp.Or(p.ScoredBy, "testing")
	p.HowMeasured = cmp.Or(p.HowMeasured,
		"The search selects by "+p.Validation+"; the "+p.Test+" is only reported.")
	p.HowToRead = cmp.Or(p.HowToRead, "A structure says which chunks of an entity (rows), "+
		"of a relation (coloured blocks) and of another entity (columns) multiply.")
	if p.SamplingError.Valid[0] == "" {
		p.SamplingError.Valid = [2]string{"validation example", "validation examples"}
		p.SamplingError.Test = [2]string{"test example", "test examples"}
	}
	return p
}

// Examples are sample predictions of an artifact.
type Examples struct {
	Queries []Example
	// Note explains the answers.
	Note string
}

const (
	// ShownAnswers is the number of the best answers of an example.
	ShownAnswers = 5
	mostMissed   = 2
)

// Example is a query with its answers.
type Example struct {
	Question string `json:"question"`
	// Answers are the best answers, and then the correct answers that are not among them.
	Answers []ExampleAnswer `json:"answers"`
}

// ExampleAnswer is an answer with its rank from 1.
type ExampleAnswer struct {
	Name    string `json:"name"`
	Rank    int    `json:"rank"`
	Correct bool   `json:"correct,omitempty"`
}

// NewExample returns an example of the names of all answers, best first. It keeps the best ones
// and at most mostMissed correct ones below.
func NewExample(question string, names []string, isCorrect func(name string) bool) Example {
	e := Example{Question: question, Answers: []ExampleAnswer{}}
	for i, name := range names {
		correct := isCorrect(name)
		if i < ShownAnswers || correct && len(e.Answers) < ShownAnswers+mostMissed {
			e.Answers = append(e.Answers, ExampleAnswer{name, i + 1, correct})
		}
	}
	return e
}

// String returns the best answers in a line, with a mark at the correct ones.
func (e Example) String() string {
	var names []string
	for _, a := range e.Answers {
		switch {
		case a.Rank > ShownAnswers:
		case a.Correct:
			names = append(names, "✓ "+a.Name)
		default:
			names = append(names, a.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Map places entities on a plane, with equal ones close together.
type Map struct {
	Places []Place
	// Note says what the plane is.
	Note string
}

// Place is the place of an entity with the group that colours it, "" for none.
type Place struct {
	Name, Group string
	X, Y        float64
}

// Best is the best trial of a study.
type Best struct {
	// Dataset is the name of the data.
	Dataset string
	// Trial is the best trial, and Artifact its artifact; nil if the study stores none.
	Trial    LabeledTrial
	Artifact Artifact
}

// Measures are the statistics of a study that need the data.
type Measures struct {
	// Data describes the data.
	Data []page.Part
	// Best evaluates the best trial on parts of the data; see Presentation.Breakdown.
	Best []page.Part
	// Examples are predictions of the best trial, and Map places its embeddings; nil for none.
	Examples Examples
	Map      *Map
}
