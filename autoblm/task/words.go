package task

// Words are how the results of a task are told.
type Words struct {
	// Metric is what decides, as "MRR".
	Metric string
	// Valid and Test are what score and test score are called where there is little
	// room, as "valid MRR" and "test MRR".
	Valid, Test string
	// ScoreField and TestField are their names for programs, as "valid_mrr" and
	// "test_mrr".
	ScoreField, TestField string
	// Columns are what a table of trials shows of each; if there are none, the scores.
	Columns []Column
	// Fields are all that there is in the details of trials, by names for programs.
	Fields []Column
	// ByRecipe says that trials are trained by their recipes; else only a recipe's seed
	// counts, and the rest is in the settings that the task has for itself.
	ByRecipe bool
}

// Column is a number of trials. It is nil for a trial that does not have it.
type Column struct {
	Name string
	Of   func(Trial) *float64
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
