package report

import "github.com/autoblm/autoblm-go/autoblm/search/study"

// Summary describes a study in a line of a list.
type Summary struct {
	Dataset   string `json:"dataset"`
	Task      string `json:"task"`
	Algorithm string `json:"algorithm"`
	K         int    `json:"k"`
	Dim       int    `json:"dim"` // of the structures of the search
	// Trained counts the trained structures, of Budget in total. Amount says it in words. Trials
	// counts the trials of all stages.
	Trained int    `json:"trained"`
	Budget  int    `json:"budget"`
	Amount  string `json:"amount"`
	Trials  int    `json:"trials"`
	// Kept names the kept model as its headline does, "" for none. Valid and Test are its scores,
	// for a retrained model the means over the seeds; nil if there are none.
	Metric string   `json:"metric"`
	Kept   string   `json:"kept"`
	Valid  *float64 `json:"valid"`
	Test   *float64 `json:"test"`
}

// Summary returns the line of the study in a list.
func (d Data) Summary() *Summary {
	a := newAnalysis(d)
	s := &Summary{
		Dataset: d.About.Dataset, Task: d.About.Task, Algorithm: d.About.Algorithm,
		K: d.About.Settings.K, Dim: d.About.Settings.Training.Dim,
		Trained: a.trained, Budget: d.About.Settings.Budget, Amount: study.Amount(a.Result()),
		Trials: len(d.Trials), Metric: a.Presentation.Metric,
	}
	if a.kept != nil {
		m := a.keptModel(*a.kept)
		s.Kept, s.Valid, s.Test = m.Name, m.mean.Score, m.mean.TestScore
	}
	return s
}
