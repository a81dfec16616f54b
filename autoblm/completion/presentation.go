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

// NewPresentation returns the presentation of a ranking task, scored by MRR and with [Evaluations]
// as details.
func NewPresentation() task.Presentation {
	return task.Presentation{
		Metric:   "MRR",
		ScoredBy: "ranking",
		HowMeasured: "MRR, Hits@k and mean rank are filtered: known answers in train, valid and test " +
			"do not count in a rank, and ties count against the true entity. " + SelectionNote,
		HowToRead: "A structure says which chunks of the head (rows), the relation (coloured " +
			"blocks) and the tail (columns) multiply in the score.",
		SamplingError: task.SamplingError{
			Valid: [2]string{"validation triple", "validation triples"},
			Test:  [2]string{"test triple", "test triples"}, Count: countTriples,
		},
		Columns: slices.Concat(columns("valid"), columns("test")),
		Fields:  slices.Concat(fields("valid"), fields("test")),
		Metrics: func(trials []task.LabeledTrial) []page.Part {
			const caption = "Metrics over the %s triples: both sides, head queries and tail queries"
			return []page.Part{{Heading: "By side", Table: metricsOf(caption, trials, both, heads, tails)}}
		},
		Breakdown: "relation and relation pattern",
		Models:    func(s structure.Structure) string { return describePatterns(s.Patterns()) },
		ByRecipe:  true,
	}
}

// SelectionNote says which metric selects models.
const SelectionNote = "The validation MRR selects structures and models; the test metrics are " +
	"not used for selection."

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

// side selects the metrics of one side, or of both.
type side struct {
	name, field string
	of          func(*Evaluation) eval.Metrics
}

var (
	both  = side{"both", "", func(e *Evaluation) eval.Metrics { return e.Both }}
	heads = side{"heads", "head_", func(e *Evaluation) eval.Metrics { return e.Head }}
	tails = side{"tails", "tail_", func(e *Evaluation) eval.Metrics { return e.Tail }}
)

// metric selects a metric of a side.
type metric struct {
	title, field string
	of           func(eval.Metrics) float64
	cell         func(float64) any // in a table
}

var (
	mrr      = metric{"MRR", "mrr", func(m eval.Metrics) float64 { return m.MRR }, bar}
	hits1    = metric{"H@1", "hits1", func(m eval.Metrics) float64 { return m.Hits1 }, plain}
	hits3    = metric{"H@3", "hits3", func(m eval.Metrics) float64 { return m.Hits3 }, plain}
	hits10   = metric{"H@10", "hits10", func(m eval.Metrics) float64 { return m.Hits10 }, plain}
	meanRank = metric{
		"mean rank", "mean_rank", func(m eval.Metrics) float64 { return m.MeanRank }, oneDecimal,
	}

	metrics = []metric{mrr, hits1, hits3, hits10, meanRank}
)

// Cells of a metric in a table.
func plain(x float64) any      { return x }
func bar(x float64) any        { return page.Bar(x) }
func oneDecimal(x float64) any { return fmt.Sprintf("%.1f", x) }

// columns returns the columns of a split in a table of trials; only the first names it.
func columns(split string) []task.Column {
	return []task.Column{
		both.column(split, split+" "+mrr.title, mrr),
		both.column(split, hits1.title, hits1),
		both.column(split, hits10.title, hits10),
	}
}

// column returns the column of a metric of a side, empty without ranked triples.
func (s side) column(split, name string, m metric) task.Column {
	return columnOf(split, name, func(e *Evaluation) (float64, bool) {
		return m.of(s.of(e)), s.of(e).MeanRank > 0
	})
}

// columnOf returns the column of a number of an evaluation.
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

// fields returns all numbers of a split, for both sides and then for each.
func fields(split string) []task.Column {
	all := []task.Column{columnOf(split, split+"_triples", func(e *Evaluation) (float64, bool) {
		return float64(e.Triples), true
	})}
	for _, s := range []side{both, heads, tails} {
		for _, m := range metrics {
			all = append(all, s.column(split, split+"_"+s.field+m.field, m))
		}
	}
	return all
}

// CompareMetrics returns a table of the metrics of trials on test, or on valid if nothing was
// ranked on test. The caption has a verb for the name of the split.
func CompareMetrics(caption string, trials []task.LabeledTrial) *page.Table {
	return metricsOf(caption, trials, both)
}

// metricsOf works like CompareMetrics, for several sides.
func metricsOf(caption string, trials []task.LabeledTrial, sides ...side) *page.Table {
	type row struct {
		model, side string
		dim         any // of the embeddings, nil for an ensemble
		eval.Metrics
	}
	split, name := "valid", "validation"
	isTested := func(t task.LabeledTrial) bool { return EvaluationsOf(t.Details).Test != nil }
	if slices.ContainsFunc(trials, isTested) {
		split, name = "test", "test"
	}
	var rows []row
	for _, t := range trials {
		all := EvaluationsOf(t.Details)
		var dim any
		if t.Ensemble == nil {
			dim = t.Recipe.Training.Dim
		}
		if e := *all.of(split); e != nil {
			for _, s := range sides {
				rows = append(rows, row{t.Label, s.name, dim, s.of(e)})
			}
		}
	}
	columns := []page.Column[row]{
		page.Text("model", func(r row) any { return r.model }),
		page.Number("d", func(r row) any { return r.dim }),
	}
	if len(sides) > 1 {
		columns = append(columns, page.Text("side", func(r row) any { return r.side }))
	}
	for _, m := range metrics {
		cell := func(r row) any { return m.cell(m.of(r.Metrics)) }
		columns = append(columns, page.Number(m.title, cell))
	}
	return page.NewTable(fmt.Sprintf(caption, name), rows, columns...)
}

// describePatterns describes the relation patterns that a structure can model.
func describePatterns(p structure.Patterns) string {
	var kinds []string
	for _, kind := range []struct {
		name    string
		witness []int
	}{
		{"symmetric", p.Symmetric}, {"anti-symmetric", p.AntiSymmetric},
		{"general", p.General}, {"inverse", p.Inverse},
	} {
		if kind.witness != nil {
			kinds = append(kinds, kind.name)
		}
	}
	if len(kinds) == 0 {
		return "models no relation pattern"
	}
	return "models " + format.List(kinds, "and") + " relations"
}
