package autodiff

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge"
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
