package kge

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Ranker ranks and scores with models of one shape. It may also implement Reporter of package
// internal/progress.
type Ranker interface {
	// Rank returns [models][triples] ranks of the true entities of triples among all entities,
	// without other known answers. With known nil, no answers are known.
	Rank(
		ctx context.Context, triples []datasets.Triple, known *datasets.Known,
	) ([][]eval.Ranked, error)
	// Scores calls visit for each question with one model's scores of all entities. The calls
	// come from several goroutines in any order. A slice of scores is valid until visit
	// returns. If ctx is cancelled, Scores soon returns its error.
	Scores(
		ctx context.Context, model int, questions []Question,
		visit func(question int, scores []float32),
	) error
	// Models returns the number of models.
	Models() int
	// Close frees the ranker's resources. It cannot be used afterwards.
	Close()
}

// Restricter is a [Ranker] that can score some entities only.
type Restricter interface {
	// Restrict returns a scorer of some entities, in their order. It is valid until the ranker is
	// closed.
	Restrict(entities []int32) EntityScorer
}

// EntityScorer scores entities; see [Ranker].
type EntityScorer interface {
	Scores(
		ctx context.Context, model int, questions []Question,
		visit func(question int, scores []float32),
	) error
}
