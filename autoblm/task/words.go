package task

import (
	"cmp"
	"encoding/json"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Words are how the results of a task are told, in tables, sentences and on a page. They
// do not need the data, only what a study keeps of the task's own settings. What a task
// leaves out has usual words up to Chance, and is left out behind it; see [Words.Complete].
type Words struct {
	// Metric is what decides, as "MRR".
	Metric string
	// Valid and Test are what score and test score are called where there is little
	// room, as "valid MRR" and "test MRR".
	Valid, Test string
	// ScoreField and TestField are their names for programs, as "valid_mrr" and
	// "test_mrr".
	ScoreField, TestField string
	// Validation is what the score is called in a sentence, as "validation MRR", and
	// OnValidation says where a structure has it, as "on validation".
	Validation, OnValidation string
	// Judging is how a trained structure gets its scores, as "ranking", and HowMeasured
	// defines them, in a few sentences.
	Judging, HowMeasured string
	// Seed is what the seed of a trial decides, as "initial embeddings".
	Seed string
	// HowToRead says what rows, blocks and columns of a structure are, in a sentence.
	HowToRead string
	// Chance is what is known of how much of a score is chance.
	Chance Chance

	// Purpose is what structures are searched for, as "classes of nodes"; "" where the
	// name of the data says it.
	Purpose string
	// Columns are what a table of trials shows of each; if there are none, the scores.
	Columns []Column
	// Fields are all that there is in the details of trials, by names for programs.
	Fields []Column
	// Metrics compare trials in all that their details have; nil where that is nothing
	// but the scores.
	Metrics func(trials []Named) []page.Part
	// Breakdown is what the metrics of the best model are told by where the data are at
	// hand, as "relation".
	Breakdown string
	// Formula is what a structure computes, and Computes says of what that is; if there
	// is none, it is that of the score.
	Formula  func(structure.Structure) string
	Computes string
	// Models says what a structure can model, as "models symmetric relations".
	Models func(structure.Structure) string
	// ByRecipe says that trials are trained by their recipes; else only a recipe's seed
	// counts, and the rest is in the settings that the task has for itself, of which
	// Training tells in short.
	ByRecipe bool
	Training string
	// Settings are those that the task has for itself, and Defaults theirs.
	Settings, Defaults []Setting
}

// Setting is one with its value, as a table has it.
type Setting = settings.Setting

// Chance is what is known of how much of a score is chance: it is a mean, of numbers from
// 0 to 1, over things that were drawn.
type Chance struct {
	// Valid and Test are what these things are in either split, one and many, as
	// "validation triple" and "validation triples".
	Valid, Test [2]string
	// Count is how many they are, by the details of a trial; nil where only the data say
	// that, which the words of a task that has them do.
	Count func(details json.RawMessage) (valid, test int)
	// Shares says that a score of 1 or 0 is no rarity, as that of a share of few nodes,
	// which then seems to have no error: what it is compared with has one.
	Shares bool
	// Assuming is what an error supposes, as "as if no two queries had an edge in common".
	Assuming string
}

// Column is a number of trials. It is nil for a trial that does not have it.
type Column struct {
	Name string
	Of   func(Trial) *float64
}

// Named is a trial with a name for readers, as "Best found".
type Named struct {
	Name string
	Trial
}

// Table is Columns, or the scores.
func (w Words) Table() []Column {
	if len(w.Columns) > 0 {
		return w.Columns
	}
	return []Column{
		{w.Valid, func(t Trial) *float64 { return t.Score }},
		{w.Test, func(t Trial) *float64 { return t.TestScore }},
	}
}

// Complete has usual words for what the task does not say.
func (w Words) Complete() Words {
	w.Metric = cmp.Or(w.Metric, "score")
	w.Valid = cmp.Or(w.Valid, "valid "+w.Metric)
	w.Test = cmp.Or(w.Test, "test "+w.Metric)
	w.Validation = cmp.Or(w.Validation, "validation "+w.Metric)
	field := strings.ReplaceAll(strings.ToLower(w.Metric), " ", "_")
	w.ScoreField = cmp.Or(w.ScoreField, "valid_"+field)
	w.TestField = cmp.Or(w.TestField, "test_"+field)
	w.OnValidation = cmp.Or(w.OnValidation, "on validation")
	w.Judging = cmp.Or(w.Judging, "testing")
	w.HowMeasured = cmp.Or(w.HowMeasured, "The "+w.Validation+" decides; the "+w.Test+" is only reported.")
	w.Seed = cmp.Or(w.Seed, "initial embeddings")
	w.HowToRead = cmp.Or(w.HowToRead, "A structure says which chunks of an entity (rows), of a relation (coloured blocks) and of another entity (columns) multiply.")
	if w.Chance.Valid[0] == "" {
		w.Chance.Valid, w.Chance.Test = [2]string{"validation example", "validation examples"}, [2]string{"test example", "test examples"}
	}
	return w
}
