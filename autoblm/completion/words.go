package completion

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Words are those of a task that ranks: MRR decides, and [Evaluations] are
// the details.
func Words() task.Words {
	return task.Words{
		Metric: "MRR", Valid: "valid MRR", Test: "test MRR", ScoreField: "valid_mrr", TestField: "test_mrr", ByRecipe: true,
		Columns: []task.Column{
			valid.column("valid MRR", both, mrr), valid.column("H@1", both, hits1), valid.column("H@10", both, hits10),
			test.column("test MRR", both, mrr), test.column("H@1", both, hits1), test.column("H@10", both, hits10),
		},
		Fields: append(fields("valid", valid), fields("test", test)...),
	}
}

// split, side and metric say where a number of the evaluations is.
type (
	split  func(Evaluations) *Evaluation
	side   func(Evaluation) kge.Metrics
	metric func(kge.Metrics) float64
)

var (
	valid split = func(e Evaluations) *Evaluation { return e.Valid }
	test  split = func(e Evaluations) *Evaluation { return e.Test }

	both side = func(e Evaluation) kge.Metrics { return e.Both }
	head side = func(e Evaluation) kge.Metrics { return e.Head }
	tail side = func(e Evaluation) kge.Metrics { return e.Tail }

	mrr      metric = func(m kge.Metrics) float64 { return m.MRR }
	hits1    metric = func(m kge.Metrics) float64 { return m.Hits1 }
	hits3    metric = func(m kge.Metrics) float64 { return m.Hits3 }
	hits10   metric = func(m kge.Metrics) float64 { return m.Hits10 }
	meanRank metric = func(m kge.Metrics) float64 { return m.MeanRank }
)

func (s split) column(name string, of side, value metric) task.Column {
	return task.Column{Name: name, Of: func(t task.Trial) *float64 {
		e := s(EvaluationsOf(t.Details))
		if e == nil {
			return nil
		}
		m := of(*e)
		if m.MeanRank == 0 { // nothing was ranked
			return nil
		}
		x := value(m)
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
	for _, of := range []struct {
		name string
		side side
	}{{"_", both}, {"_head_", head}, {"_tail_", tail}} {
		for _, each := range []struct {
			name  string
			value metric
		}{{"mrr", mrr}, {"hits1", hits1}, {"hits3", hits3}, {"hits10", hits10}, {"mean_rank", meanRank}} {
			all = append(all, s.column(name+of.name+each.name, of.side, each.value))
		}
	}
	return all
}
