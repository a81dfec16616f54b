package gomlx

import (
	"context"
	"fmt"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/autodiff"
	"github.com/dustin/go-humanize"
)

// scoringRanker ranks triples with the package's own graphs, and scores questions with those of
// package autodiff, which has a copy of each model that is asked.
type scoringRanker struct {
	*ranker
	parameters []kge.Parameters // without tables

	mu      sync.Mutex
	scorers []kge.Ranker // by model, nil before its first question
}

// newScoringRanker creates a ranker of models.
func newScoringRanker(r *ranker, models []kge.Parameters) *scoringRanker {
	s := &scoringRanker{ranker: r, scorers: make([]kge.Ranker, len(models))}
	for _, p := range models {
		p.Tables = kge.Tables{}
		s.parameters = append(s.parameters, p)
	}
	return s
}

// Scores implements [kge.Ranker].
func (r *scoringRanker) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	scorer, err := r.open(model)
	if err != nil {
		return err
	}
	return scorer.Scores(ctx, 0, questions, visit)
}

// open returns the scorer of a model, and creates it first if necessary.
func (r *scoringRanker) open(model int) (kge.Ranker, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.scorers[model] == nil {
		scorer, err := r.scorer(model, r.parameters[model])
		if err != nil {
			return nil, err
		}
		r.scorers[model] = scorer
	}
	return r.scorers[model], nil
}

// Close implements [kge.Ranker].
func (r *scoringRanker) Close() {
	r.ranker.Close()
	for _, s := range r.scorers {
		if s != nil {
			s.Close()
		}
	}
}

// scorer returns a ranker of package autodiff with a copy of a model, whose tables it adds. It returns
// an error for a sharded model that does not fit on one device.
func (r *ranker) scorer(model int, p kge.Parameters) (kge.Ranker, error) {
	relations := r.shards[0].tables[1].Shape().Size() / r.models
	bytes, limit := 4*int64(r.entities*r.dim+relations), r.engine.settings.Memory
	if len(r.shards) > 1 && bytes > limit {
		return nil, fmt.Errorf("score questions: the model needs %s on one device, more than the limit of %s: "+
			"use engine cpu", humanize.IBytes(uint64(bytes)), humanize.IBytes(uint64(limit)))
	}
	var err error
	if p.Tables, err = r.numbers(model, 0); err != nil {
		return nil, err
	}
	return autodiff.NewRanker(compiler{r.engine}, []kge.Parameters{p})
}

// Scores implements [kge.Ranker].
func (p *population) Scores(
	ctx context.Context, model int, questions []kge.Question,
	visit func(question int, scores []float32),
) error {
	g, i := p.groupOf(model)
	scorer, err := g.scorer(i, g.parameters(i))
	if err != nil {
		return err
	}
	defer scorer.Close()
	return scorer.Scores(ctx, 0, questions, visit)
}
