package query

import "github.com/autoblm/autoblm-go/internal/words"

// NewTable is a table for evaluations.
func NewTable() *words.Table {
	return words.NewTable("", "queries", "answers", "MRR", "H@1", "H@3", "H@10")
}

// AddTo adds the metrics to a table. There are none where the evaluation is nil.
func (e *Evaluation) AddTo(t *words.Table, name string) {
	if e != nil {
		t.Add(name, e.Queries, e.Answers, e.MRR, e.Hits1, e.Hits3, e.Hits10)
	}
}
