package main

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/words"
)

// metricsTable is one of the metrics of triples.
func metricsTable() *words.Table {
	return words.NewTable("", "MRR", "H@1", "H@3", "H@10", "mean rank")
}

// addMetrics adds those of a split, if there are any, of each side too if that is wanted.
func addMetrics(t *words.Table, name string, e *completion.Evaluation, sides bool) {
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
