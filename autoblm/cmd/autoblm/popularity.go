package main

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/table"
)

// popularity holds the metrics of [completion.Popularity] by split.
type popularity map[string]completion.Evaluation

// add evaluates the baseline on triples of a split.
func (p popularity) add(
	ctx context.Context, g *datasets.Graph, split string, triples []datasets.Triple,
) error {
	if len(triples) == 0 || len(g.Train) == 0 {
		return nil
	}
	ranks, err := completion.Popularity(ctx, g, triples)
	if err == nil {
		// Many counts are equal, so pessimistic ties would not measure popularity.
		p[split] = completion.Summarize(ranks, eval.Realistic)
	}
	return err
}

// popularityRanks holds the ranks of the baseline by split.
type popularityRanks map[string][]eval.Ranked

// rankPopularity ranks samples of valid and test with the baseline. It returns nil once ctx has
// ended, which the training reports.
func rankPopularity(ctx context.Context, g *datasets.Graph, limits eval.Limits) popularityRanks {
	if len(g.Train) == 0 {
		return nil
	}
	valid, test := eval.Sample(g.Valid, limits.Valid), eval.Sample(g.Test, limits.Test)
	ranks, err := completion.Popularity(ctx, g, slices.Concat(valid, test))
	if err != nil {
		return nil
	}
	return popularityRanks{"valid": ranks[:len(valid)], "test": ranks[len(valid):]}
}

// addRanked evaluates the baseline on those triples of a sample that a ranking with a deadline has
// reached; nil for none.
func (p popularity) addRanked(ranks popularityRanks, split string, ranked *completion.Evaluation) {
	if ranked != nil && len(ranks[split]) > 0 {
		p[split] = completion.Summarize(eval.Sample(ranks[split], ranked.Triples), eval.Realistic)
	}
}

// trainLonger is the advice for a training that was not limited by a deadline.
const trainLonger = "train for more epochs, or with another --lr or --dim"

// warn warns if a model is worse than the baseline, with an advice.
func (p popularity) warn(o *output, split string, model *completion.Evaluation, advice string) {
	if e, ok := p[split]; ok && model.Both.MRR < e.Both.MRR {
		o.Message("autoblm: warning: %s MRR %.3f is below that of popularity, %.3f",
			split, model.Both.MRR, e.Both.MRR)
		o.Message("autoblm: %s", advice)
	}
}

// addTo adds the metrics of a split to a table, if there are any.
func (p popularity) addTo(t *table.Table, split string) {
	if e, ok := p[split]; ok {
		e.AddTo(t, "  popularity", false)
	}
}

// addRow adds the metrics of the first of the splits that was ranked.
func (p popularity) addRow(b *cli.Block, splits ...string) {
	for _, split := range splits {
		if e, ok := p[split]; ok {
			addMetrics(b, "popularity", e.Both, 0)
			b.Note("Popularity ranks first what occurs most often with the relation.")
			return
		}
	}
}
