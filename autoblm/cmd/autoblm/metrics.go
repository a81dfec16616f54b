package main

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// last is the last loss, where there is one.
func last(loss []float64) string {
	if len(loss) == 0 {
		return missing
	}
	return fmt.Sprintf("%.4f", loss[len(loss)-1])
}

func metricsTable(first string) table {
	return table{header: []string{first, "MRR", "H@1", "H@3", "H@10", "mean rank"}}
}

func addMetrics(t *table, name string, m kge.Metrics) {
	t.add(name, number(m.MRR), number(m.Hits1), number(m.Hits3), number(m.Hits10), fmt.Sprintf("%.1f", m.MeanRank))
}

func mrr(e *completion.Evaluation) string {
	if e == nil {
		return missing
	}
	return number(e.Both.MRR)
}

func number(x float64) string { return fmt.Sprintf("%.3f", x) }

// missing stands in a table where a number is not known.
const missing = "–"
