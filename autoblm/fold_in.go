package autoblm

import (
	"cmp"
	"context"
	"errors"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// FoldIn returns a predictor that also has the entities and relations of the training triples of g
// that p lacks. It learns only their embeddings, and all others stay. That takes seconds, but
// minutes for a neural form without XLA. The result has no probabilities; [Calibrate] adds them. It
// is p if that lacks nothing.
func FoldIn(ctx context.Context, p Predictor, g *datasets.Graph) (Predictor, error) {
	own, is := ownPredictor(p)
	if !is {
		return nil, errors.New("only models and ensembles of this package can learn new labels")
	}
	if err := g.Validate(); err != nil {
		return nil, err
	}
	compute := Compute{}.ForFoldIn(p.Models())
	compute.Engine = cmp.Or(compute.Engine, kge.NativeEngine)
	engine, err := compute.Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	folded, err := completion.FoldIn(ctx, engine, own.Predictor, g, nil)
	switch {
	case err != nil:
		return nil, err
	case folded == own.Predictor:
		return p, nil
	}
	return predictor{folded}, nil
}
