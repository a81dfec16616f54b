package completion

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/words"
)

// NewTable is a table for evaluations.
func NewTable() *words.Table {
	return words.NewTable("", "MRR", "H@1", "H@3", "H@10", "mean rank")
}

// AddTo adds the metrics to a table, and with sides those of each side. There are none
// where the evaluation is nil.
func (e *Evaluation) AddTo(t *words.Table, name string, sides bool) {
	add := func(name string, m kge.Metrics) {
		t.Add(name, m.MRR, m.Hits1, m.Hits3, m.Hits10, fmt.Sprintf("%.1f", m.MeanRank))
	}
	if e != nil {
		add(name, e.Both)
	}
	if e != nil && sides {
		add("  heads", e.Head)
		add("  tails", e.Tail)
	}
}
