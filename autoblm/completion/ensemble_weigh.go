package completion

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// maxWeighedPairs limits the pairs of a triple and an entity for [WeighByRelation], which scores
// them once.
const maxWeighedPairs = 1 << 27

// WeighByRelation returns an ensemble of models of one graph with weights for each relation, learned
// from the validation triples of g, and a report of the weights. The members are all models, or those
// of e if there are more than s.Size. If the cross-validated MRR is not above that of e, which is an
// ensemble of some of the models with equal weights, it returns e.
//
// If there are too many pairs of validation triples and entities, a fixed sample of the triples is
// used. The result depends on the models, not on their order.
func WeighByRelation(
	ctx context.Context, engine kge.Engine, e *Ensemble, models []*kge.Model, g *datasets.Graph,
	s EnsembleSettings,
) (*Ensemble, *RelationWeights, error) {
	if err := settings.Check(s); err != nil {
		return nil, nil, err
	}
	members, _, err := Deduplicate(models)
	if err != nil {
		return nil, nil, err
	}
	if len(members) > s.Size {
		members = e.Members
	}
	if g, err = Align(members[0], g); err != nil {
		return nil, nil, err
	}
	triples, err := splitOf(members, g, "valid", 0)
	if err != nil {
		return nil, nil, fmt.Errorf("weights are learned from validation: %w", err)
	}
	triples = eval.Sample(triples, max(minTriples, maxWeighedPairs/max(1, len(g.Entities))))
	folds := foldCount(len(triples), s.Folds)
	if folds == 0 {
		return nil, nil, errors.New("weights by relation need at least 2 validation triples: " +
			"use equal weights")
	}
	r, err := newRivals(ctx, engine, members, triples, g)
	if err != nil {
		return nil, nil, err
	}
	f := weightFit{rivals: r, triples: triples, folds: folds}
	w := &RelationWeights{Triples: len(triples), ByRelation: map[string][]float64{}}
	weights, shrinkage, heldOut, err := f.learn(ctx)
	if err != nil {
		return nil, nil, err
	}
	w.Shrinkage, w.HeldOut = shrinkage, heldOut
	for relation, weights := range weights {
		if relation == allRelations {
			w.Shared = weights
		} else {
			w.ByRelation[g.Relations[relation]] = weights
		}
	}
	equal := make([]float64, len(members)) // of e
	for i, m := range members {
		if slices.ContainsFunc(e.Members, func(o *kge.Model) bool { return m.Compare(o.Parameters) == 0 }) {
			equal[i] = 1 / float64(len(e.Members))
		}
	}
	w.Equal = f.mrr(func(int) []float64 { return equal })
	if unseen := e.Choice.Unseen(); unseen != nil && e.Choice.Triples == 0 { // on the same triples
		w.Equal = max(w.Equal, *unseen)
	}
	if w.HeldOut <= w.Equal {
		w.Shared, w.ByRelation = nil, nil
		return e, w, nil
	}
	return &Ensemble{Members: members, Weights: w}, w, nil
}
