package reproduce

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Compare returns a table of reported and reproduced results by benchmark. It has the results of
// the paper, the best other result, those of the recipes in use, and those of the trainings.
func Compare(all []Repeats) *table.Table {
	t := table.New("graph", "model, recipe", "by", "d", "batch", "rate", "weights", "softmax over",
		"epochs", "test MRR", "H@1", "H@10", "an epoch takes")
	for _, graph := range graphs(all) {
		here := on(graph, all)
		addReported(t, graph, here)
		for _, r := range here {
			addReproduced(t, graph, r)
		}
		if len(here) == 0 {
			t.Add(graph, "not run yet", "here", nil, nil, nil, nil, nil, nil, nil, nil, nil, nil)
		}
	}
	return t
}

// addReported adds the reported results on a graph.
func addReported(t *table.Table, graph string, here []Repeats) {
	hasBest := false
	for _, r := range recipe.ReportedOn(graph) {
		reproduced := slices.ContainsFunc(here, func(h Repeats) bool {
			return r.Recipe != "" && h.first().Final.Recipe == r.Recipe
		})
		if !r.Paper && hasBest && !reproduced {
			continue
		}
		by := "published"
		switch {
		case r.Paper:
			by = "the paper"
		case r.Claimed:
			by = "claimed"
		default:
			hasBest = true
		}
		model, over := titleOf(r.Model, r.Recipe), any(nil)
		if r.Paper || r.Recipe != "" {
			over = softmax(kge.Settings{})
		}
		if r.Paper {
			model = r.Model
		}
		t.Add(graph, model, by, known(r.Dim), known(r.Batch), nil, nil, over, known(r.Epochs),
			known(r.MRR), known(r.Hits1), known(r.Hits10), epochTime(r.EpochSeconds, r.GPU))
	}
}

// addReproduced adds the results of our trainings.
func addReproduced(t *table.Table, graph string, r Repeats) {
	s := r.first().Final.Training.Settings
	hits1 := r.Mean(func(t *Trained) float64 { return t.Test.Both.Hits1 })
	hits10 := r.Mean(func(t *Trained) float64 { return t.Test.Both.Hits10 })
	seconds := r.Mean(func(t *Trained) float64 { return t.Seconds.Train / float64(t.Epochs) })
	threads := format.Count(r.Documents[0].Threads(), "thread")
	t.Add(graph, r.title(), "here, "+r.seeds(), s.Dim, s.Batch, r.rate(), r.weights(), softmax(s),
		r.epochs(), r.spread(testMRR), hits1, hits10, epochTime(seconds, threads))
}

// softmax describes the softmax: the number of entities, of sparse gradients, and of answers per
// query.
func softmax(s kge.Settings) string {
	text := sampled(s)
	if s.SparseGradients > 0 {
		text += fmt.Sprintf(", %s moved", format.Int(s.SparseGradients))
	}
	if s.AnswersPerQuery > 0 {
		text += fmt.Sprintf(", %d answers per query", s.AnswersPerQuery)
	}
	return text
}

// sampled describes the number of entities in the softmax.
func sampled(s kge.Settings) string {
	if s.SampledSoftmax == 0 {
		return "all"
	}
	return format.Int(s.SampledSoftmax)
}

// known returns a number, or nil for 0, which stands for an unknown number.
func known[N int | float64](x N) any {
	if x == 0 {
		return nil
	}
	return x
}

// epochTime describes the time of an epoch, nil if it is unknown.
func epochTime(seconds float64, device string) any {
	if seconds == 0 {
		return nil
	}
	return fmt.Sprintf("%.1f s, %s", seconds, device)
}

// curveEpochs lists the epochs in a table of learning curves.
var curveEpochs = []int{5, 10, 20, 30, 40, 50, 60, 80, 100, 150, 200, 300, 400, 500}

// Curves returns a table of the validation MRR by epoch.
func Curves(all []Repeats) *table.Table {
	shown := slices.DeleteFunc(slices.Clone(curveEpochs), func(epoch int) bool {
		return !slices.ContainsFunc(all, func(r Repeats) bool { _, ok := r.validMRR(epoch); return ok })
	})
	t := table.New("graph", "model, recipe", "d", "batch", "rate", "weights", "softmax over", "epochs")
	for _, epoch := range shown {
		t.Header = append(t.Header, fmt.Sprintf("epoch %d", epoch))
	}
	t.Header = append(t.Header, "best")
	for _, graph := range graphs(all) {
		for _, r := range on(graph, all) {
			f := r.first().Final
			s := f.Training.Settings
			row := []any{
				graph, r.title(), s.Dim, s.Batch, r.rate(), r.weights(), softmax(s), r.epochs(),
			}
			for _, epoch := range shown {
				if mrr, ok := r.validMRR(epoch); ok {
					row = append(row, mrr)
				} else {
					row = append(row, "")
				}
			}
			mean := r.Mean(func(t *Trained) float64 { return t.Valid.Both.MRR })
			best := fmt.Sprintf("%.3f", mean)
			if len(r.Documents) == 1 {
				best += fmt.Sprintf(", epoch %d", f.BestEpoch)
			}
			t.Add(append(row, best)...)
		}
	}
	return t
}
