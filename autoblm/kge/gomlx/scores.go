package gomlx

import (
	"context"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/autodiff"
)

// scoringRanker ranks triples with the package's own graphs, and scores questions with those of
// package autodiff, which has a copy of the models once questions are asked.
type scoringRanker struct {
	*ranker
	parameters []kge.Parameters

	mu     sync.Mutex
	scorer kge.Ranker
}

// Scores implements [kge.Ranker].
func (r *scoringRanker) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	scorer, err := r.open()
	if err != nil {
		return err
	}
	return scorer.Scores(ctx, model, questions, visit)
}

// open returns the scorer, and creates it first if necessary.
func (r *scoringRanker) open() (kge.Ranker, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.scorer == nil {
		scorer, err := autodiff.NewRanker(compiler{r.engine}, r.parameters)
		if err != nil {
			return nil, err
		}
		r.scorer = scorer
	}
	return r.scorer, nil
}

// Close implements [kge.Ranker].
func (r *scoringRanker) Close() {
	r.ranker.Close()
	if r.scorer != nil {
		r.scorer.Close()
	}
}

// Scores implements [kge.Ranker].
func (p *population) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	parameters, err := p.Parameters(model)
	if err != nil {
		return err
	}
	scorer, err := autodiff.NewRanker(compiler{p.groups[0].engine}, []kge.Parameters{parameters})
	if err != nil {
		return err
	}
	defer scorer.Close()
	return scorer.Scores(ctx, 0, questions, visit)
}
