package autodiff

import (
	"context"
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// ranker ranks and scores with models of one shape.
type ranker struct {
	compiler  Compiler
	models    []*stored
	relations int                 // without reverses
	progress  func(share float64) // nil if not reported
}

// NewRanker copies models of one shape to the device.
func NewRanker(c Compiler, parameters []kge.Parameters) (kge.Ranker, error) {
	r := &ranker{compiler: c}
	for _, p := range parameters {
		if err := SupportsForm(p.Form); err != nil {
			return nil, err
		}
		r.models = append(r.models, store(p))
	}
	first := parameters[0]
	table := first.Specs()[0]
	r.relations = len(first.Relations) / table.Rows / table.Columns
	if first.Reciprocal {
		r.relations /= 2
	}
	return r, nil
}

// OnProgress implements [progress.Reporter].
func (r *ranker) OnProgress(report func(share float64)) { r.progress = report }

func (r *ranker) report(share float64) {
	if r.progress != nil {
		r.progress(share)
	}
}

// Models implements [kge.Ranker].
func (r *ranker) Models() int { return len(r.models) }

// Close implements [kge.Ranker].
func (r *ranker) Close() {
	for _, m := range r.models {
		m.close()
	}
}

// Scores implements [kge.Ranker].
func (r *ranker) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	return r.scores(ctx, r.models[model], questions, visit)
}

// Rank implements [kge.Ranker].
func (r *ranker) Rank(
	ctx context.Context, triples []datasets.Triple, known *datasets.Known,
) ([][]eval.Ranked, error) {
	var questions []kge.Question
	for _, t := range triples {
		questions = append(questions,
			kge.Question{Anchor: t.Head, Path: []int32{2 * t.Relation}},
			kge.Question{Anchor: t.Tail, Path: []int32{2*t.Relation + 1}})
	}
	ranks := make([][]eval.Ranked, len(r.models))
	for i, m := range r.models {
		ranks[i] = make([]eval.Ranked, len(triples))
		err := r.scores(ctx, m, questions, func(question int, scores []float32) {
			t, ranked := triples[question/2], &ranks[i][question/2]
			if question%2 == 0 {
				ranked.Tail = rankOf(scores, t.Tail, knownTails(known, t))
			} else {
				ranked.Head = rankOf(scores, t.Head, knownHeads(known, t))
			}
		})
		if err != nil {
			return nil, fmt.Errorf("rank: %w", err)
		}
	}
	return ranks, nil
}

func knownTails(known *datasets.Known, t datasets.Triple) []int32 {
	if known == nil {
		return nil
	}
	return known.Tails(t.Head, t.Relation)
}

func knownHeads(known *datasets.Known, t datasets.Triple) []int32 {
	if known == nil {
		return nil
	}
	return known.Heads(t.Relation, t.Tail)
}

// rankOf counts the entities that score at least as high as the truth, without the known answers. A
// truth with score NaN ranks last.
func rankOf(scores []float32, truth int32, known []int32) (rank eval.Rank) {
	score := scores[truth]
	isLast := math.IsNaN(float64(score))
	count := func(x float32, change int32) {
		switch {
		case isLast || x > score:
			rank.Better += change
		case x == score:
			rank.Equal += change
		}
	}
	for _, x := range scores {
		count(x, 1)
	}
	count(score, -1)
	for _, entity := range known {
		if entity != truth {
			count(scores[entity], -1)
		}
	}
	return rank
}
