package completion

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

// NewPresentation are those of a task that ranks: MRR decides, and [Evaluations] are
// the details.
func NewPresentation() task.Presentation {
	return task.Presentation{
		Metric:      "MRR",
		ScoredBy:    "ranking",
		HowMeasured: "MRR, Hits@k and mean rank are filtered: the answers that train, valid and test know are left out of a rank, and entities that score the same as the true one count against it. " + WhatDecides,
		HowToRead:   "A structure says which chunks of the head (rows), the relation (coloured blocks) and the tail (columns) multiply in the score.",
		SamplingError: task.SamplingError{
			Valid: [2]string{"validation triple", "validation triples"}, Test: [2]string{"test triple", "test triples"}, Count: countTriples,
		},
		Columns: slices.Concat(columns("valid"), columns("test")),
		Fields:  slices.Concat(fields("valid"), fields("test")),
		Metrics: func(trials []task.LabeledTrial) []page.Part {
			const caption = "Metrics over the %s triples: of both sides, of the queries for heads and of those for tails"
			return []page.Part{{Heading: "By side", Table: metricsOf(caption, trials, both, heads, tails)}}
		},
		Breakdown: "relation and relation pattern",
		Models:    func(s structure.Structure) string { return models(s.Patterns()) },
		ByRecipe:  true,
	}
}

// WhatDecides ends what is said of how metrics are measured.
const WhatDecides = "The validation MRR decides; the test metrics are only reported."

func countTriples(details json.RawMessage) (valid, test int) {
	e := EvaluationsOf(details)
	if e.Valid != nil {
		valid = e.Valid.Triples
	}
	if e.Test != nil {
		test = e.Test.Triples
	}
	return valid, test
}

// side is what is asked for.
type side struct {
	name, field string
	of          func(*Evaluation) eval.Metrics
}

var (
	both  = side{"both", "", func(e *Evaluation) eval.Metrics { return e.Both }}
	heads = side{"heads", "head_", func(e *Evaluation) eval.Metrics { return e.Head }}
	tails = side{"tails", "tail_", func(e *Evaluation) eval.Metrics { return e.Tail }}
)

// metric is one of the numbers of a side.
type metric struct {
	title, field string
	of           func(eval.Metrics) float64
	cell         func(float64) any // in a table
}

var (
	mrr      = metric{"MRR", "mrr", func(m eval.Metrics) float64 { return m.MRR }, func(x float64) any { return page.Bar(x) }}
	hits1    = metric{"H@1", "hits1", func(m eval.Metrics) float64 { return m.Hits1 }, plain}
	hits3    = metric{"H@3", "hits3", func(m eval.Metrics) float64 { return m.Hits3 }, plain}
	hits10   = metric{"H@10", "hits10", func(m eval.Metrics) float64 { return m.Hits10 }, plain}
	meanRank = metric{"mean rank", "mean_rank", func(m eval.Metrics) float64 { return m.MeanRank }, func(x float64) any { return fmt.Sprintf("%.1f", x) }}

	metrics = []metric{mrr, hits1, hits3, hits10, meanRank}
)

func plain(x float64) any { return x }

// columns are those of a split in a table of trials; only the first has its name.
func columns(split string) []task.Column {
	return []task.Column{both.column(split, split+" "+mrr.title, mrr), both.column(split, hits1.title, hits1), both.column(split, hits10.title, hits10)}
}

// column has a metric of a side, where something was ranked.
func (s side) column(split, name string, m metric) task.Column {
	return columnOf(split, name, func(e *Evaluation) (float64, bool) { return m.of(s.of(e)), s.of(e).MeanRank > 0 })
}

// columnOf has a number of an evaluation, where there is one.
func columnOf(split, name string, of func(*Evaluation) (x float64, measured bool)) task.Column {
	return task.Column{Name: name, Value: func(t task.Trial) *float64 {
		all := EvaluationsOf(t.Details)
		if e := *all.of(split); e != nil {
			if x, measured := of(e); measured {
				return &x
			}
		}
		return nil
	}}
}

// fields are all numbers of a split, of both sides together and then of each.
func fields(split string) []task.Column {
	all := []task.Column{columnOf(split, split+"_triples", func(e *Evaluation) (float64, bool) { return float64(e.Triples), true })}
	for _, s := range []side{both, heads, tails} {
		for _, m := range metrics {
			all = append(all, s.column(split, split+"_"+s.field+m.field, m))
		}
	}
	return all
}

// CompareMetrics compares trials over the test split, or over the validation split where that is
// the only one; the caption has a verb for the name of it.
func CompareMetrics(caption string, trials []task.LabeledTrial) *page.Table {
	return metricsOf(caption, trials, both)
}

// metricsOf does so by side, if there are several.
func metricsOf(caption string, trials []task.LabeledTrial, sides ...side) *page.Table {
	type row struct {
		model, side string
		eval.Metrics
	}
	split, name := "valid", "validation"
	if slices.ContainsFunc(trials, func(t task.LabeledTrial) bool { return EvaluationsOf(t.Details).Test != nil }) {
		split, name = "test", "test"
	}
	var rows []row
	for _, t := range trials {
		all := EvaluationsOf(t.Details)
		if e := *all.of(split); e != nil {
			for _, s := range sides {
				rows = append(rows, row{t.Label, s.name, s.of(e)})
			}
		}
	}
	columns := []page.Column[row]{page.Text("model", func(r row) any { return r.model })}
	if len(sides) > 1 {
		columns = append(columns, page.Text("side", func(r row) any { return r.side }))
	}
	for _, m := range metrics {
		columns = append(columns, page.Number(m.title, func(r row) any { return m.cell(m.of(r.Metrics)) }))
	}
	return page.NewTable(fmt.Sprintf(caption, name), rows, columns...)
}

// models are the relation patterns that a structure can model.
func models(p structure.Patterns) string {
	var kinds []string
	for _, kind := range []struct {
		name    string
		witness []int
	}{{"symmetric", p.Symmetric}, {"anti-symmetric", p.AntiSymmetric}, {"general", p.General}, {"inverse", p.Inverse}} {
		if kind.witness != nil {
			kinds = append(kinds, kind.name)
		}
	}
	if len(kinds) == 0 {
		return "models no relation pattern"
	}
	return "models " + format.List(kinds, "and") + " relations"
}
