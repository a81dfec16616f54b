package completion

import (
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/internal/format"
)

// RelationWeights are the weights of an ensemble's members for each relation, as Yue et al.
// ("Relation-aware Ensemble Learning for Knowledge Graph Embedding", EMNLP 2023) propose them. Here
// they weigh scores instead of ranks.
type RelationWeights struct {
	// Shrinkage is the strength that pulls the weights of a relation towards those that all relations
	// share. Cross-validation selects it.
	Shrinkage float64 `json:"shrinkage"`
	// HeldOut is the cross-validated MRR: each validation triple is ranked with weights that were
	// learned without its fold. It is biased only by the choice of the shrinkage.
	HeldOut float64 `json:"held_out"`
	// Equal is the MRR of the same triples by the ensemble with equal weights, or the held-out MRR of
	// its selection if that is larger.
	Equal float64 `json:"equal"`
	// Triples is the number of validation triples used.
	Triples int `json:"triples"`
	// Shared are the weights of the members, with sum 1, for relations that ByRelation lacks; these
	// have few validation triples. They are nil if equal weights are better.
	Shared     []float64            `json:"shared"`
	ByRelation map[string][]float64 `json:"by_relation"`
}

// check returns an error if these are not weights of a number of members for some of the relations.
func (w *RelationWeights) check(choice *Choice, members int, relations []string) error {
	if choice != nil {
		return errors.New("it has a choice and weights: remove one of them")
	}
	for relation, weights := range w.ByRelation {
		if !slices.Contains(relations, relation) {
			return fmt.Errorf("weights for %q, which is not a relation of the members: remove them",
				relation)
		}
		if !areWeights(weights, members) {
			return fmt.Errorf("the weights for %q are not those of %s, with sum 1: remove them",
				relation, format.Count(members, "member"))
		}
	}
	if !areWeights(w.Shared, members) {
		return fmt.Errorf("the shared weights are not those of %s, with sum 1: remove all weights",
			format.Count(members, "member"))
	}
	return nil
}

// areWeights reports whether these are weights of a number of members, with sum 1.
func areWeights(weights []float64, members int) bool {
	sum := 0.0
	for _, weight := range weights {
		if !(weight >= 0) {
			return false
		}
		sum += weight
	}
	return len(weights) == members && math.Abs(sum-1) < 1e-6
}

// weights implements [Predictor]. Models of an ensemble with weights are in the order of Members.
func (e *Ensemble) weights(relation int32) []float64 {
	if e.Weights == nil {
		return nil
	}
	if weights := e.Weights.ByRelation[e.Members[0].RelationLabels[relation]]; weights != nil {
		return weights
	}
	return e.Weights.Shared
}
