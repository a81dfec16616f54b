package completion

import (
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/words"
)

// Words are those of a task that ranks: MRR decides, and [Evaluations] are
// the details.
func Words() task.Words {
	return task.Words{
		Metric:      "MRR",
		Judging:     "ranking",
		HowMeasured: "MRR, Hits@k and mean rank are filtered: the answers that train, valid and test know are left out of a rank, and entities that score the same as the true one count against it. " + WhatDecides,
		HowToRead:   "A structure says which chunks of the head (rows), the relation (coloured blocks) and the tail (columns) multiply in the score.",
		Chance: task.Chance{
			Valid: [2]string{"validation triple", "validation triples"}, Test: [2]string{"test triple", "test triples"}, Count: countTriples,
		},
		Columns: slices.Concat(columns("valid", valid), columns("test", test)),
		Fields:  slices.Concat(fields("valid", valid), fields("test", test)),
		Metrics: func(trials []task.Named) []page.Part {
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
	count := func(e *Evaluation) int {
		if e == nil {
			return 0
		}
		return e.Triples
	}
	e := EvaluationsOf(details)
	return count(e.Valid), count(e.Test)
}

// split is one of the evaluations of a trial, nil where there is none.
type split func(Evaluations) *Evaluation

var (
	valid split = func(e Evaluations) *Evaluation { return e.Valid }
	test  split = func(e Evaluations) *Evaluation { return e.Test }
)

// side is what is asked for.
type side struct {
	name, field string
	of          func(*Evaluation) kge.Metrics
}

var (
	both  = side{"both", "", func(e *Evaluation) kge.Metrics { return e.Both }}
	heads = side{"heads", "head_", func(e *Evaluation) kge.Metrics { return e.Head }}
	tails = side{"tails", "tail_", func(e *Evaluation) kge.Metrics { return e.Tail }}
)

// metric is one of the numbers of a side.
type metric struct {
	title, field string
	of           func(kge.Metrics) float64
	cell         func(float64) any // in a table
}

var (
	mrr      = metric{"MRR", "mrr", func(m kge.Metrics) float64 { return m.MRR }, func(x float64) any { return page.Bar(x) }}
	hits1    = metric{"H@1", "hits1", func(m kge.Metrics) float64 { return m.Hits1 }, plain}
	hits3    = metric{"H@3", "hits3", func(m kge.Metrics) float64 { return m.Hits3 }, plain}
	hits10   = metric{"H@10", "hits10", func(m kge.Metrics) float64 { return m.Hits10 }, plain}
	meanRank = metric{"mean rank", "mean_rank", func(m kge.Metrics) float64 { return m.MeanRank }, func(x float64) any { return fmt.Sprintf("%.1f", x) }}

	metrics = []metric{mrr, hits1, hits3, hits10, meanRank}
)

func plain(x float64) any { return x }

// columns are those of a split in a table of trials; only the first has its name.
func columns(name string, of split) []task.Column {
	return []task.Column{of.column(name+" "+mrr.title, both, mrr), of.column(hits1.title, both, hits1), of.column(hits10.title, both, hits10)}
}

func (s split) column(name string, of side, value metric) task.Column {
	return task.Column{Name: name, Of: func(t task.Trial) *float64 {
		e := s(EvaluationsOf(t.Details))
		if e == nil {
			return nil
		}
		m := of.of(e)
		if m.MeanRank == 0 { // nothing was ranked
			return nil
		}
		x := value.of(m)
		return &x
	}}
}

// fields are all numbers of a split, of both sides together and then of each.
func fields(name string, s split) []task.Column {
	all := []task.Column{{Name: name + "_triples", Of: func(t task.Trial) *float64 {
		e := s(EvaluationsOf(t.Details))
		if e == nil {
			return nil
		}
		triples := float64(e.Triples)
		return &triples
	}}}
	for _, of := range []side{both, heads, tails} {
		for _, m := range metrics {
			all = append(all, s.column(name+"_"+of.field+m.field, of, m))
		}
	}
	return all
}

// CompareMetrics compares trials over the test split, or over the validation split where that is
// the only one; the caption has a verb for the name of it.
func CompareMetrics(caption string, trials []task.Named) *page.Table {
	return metricsOf(caption, trials, both)
}

// metricsOf does so by side, if there are several.
func metricsOf(caption string, trials []task.Named, sides ...side) *page.Table {
	type row struct {
		model, side string
		kge.Metrics
	}
	name, of := "validation", valid
	if slices.ContainsFunc(trials, func(t task.Named) bool { return EvaluationsOf(t.Details).Test != nil }) {
		name, of = "test", test
	}
	var rows []row
	for _, t := range trials {
		if e := of(EvaluationsOf(t.Details)); e != nil {
			for _, s := range sides {
				rows = append(rows, row{t.Name, s.name, s.of(e)})
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
	return "models " + words.List(kinds, "and") + " relations"
}
