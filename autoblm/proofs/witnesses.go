package proofs

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/mat"
)

// NoWitnessError says that the paper's Proposition 1 does not apply: some r̂
// with a symmetric g(A,r̂) ≠ 0, or some r̆ with a skew-symmetric one, is missing.
type NoWitnessError struct {
	Structure       structure.Structure
	Symmetric, Skew []int // the witnesses, nil if there is none
}

func (e *NoWitnessError) Error() string {
	return fmt.Sprintf("the structure %s lacks a witness of Proposition 1: symmetric %v, "+
		"skew-symmetric %v", e.Structure, e.Symmetric, e.Skew)
}

// ExpressByWitnesses returns embeddings with f_A(h,r,t) = G_hrt, up to rounding,
// for a structure that has both witnesses of the paper's Proposition 1, and a
// [NoWitnessError] for any other.
//
// Statement: Proposition 1, where g(A,r̂) and g(A,r̆) must not be 0, which the
// paper does not say.
//
// Idea (the paper's Lemmas on symmetric, skew-symmetric and square matrices): the
// symmetric half of G_r is PᵀΛP, and a nonzero entry of the symmetric g(A,r̂)
// carries it: the rows of P are the entities, Λ goes into the relation. An entry
// (i,j) of the skew-symmetric g(A,r̆) carries the skew half with the unit vectors
// on chunk i and the half itself on chunk j. The entry and its mirror image have
// opposite signs there, so dividing by the entry settles the sign that is printed
// wrongly in the paper.
//
// Dim is K times the sum over relations of the rank of the symmetric half and the
// nonzero rows of the skew half, at most 2KNR for N entities and R relations.
func ExpressByWitnesses(a structure.Structure, g Scores) (*Embeddings, error) {
	if err := checkScores(g); err != nil {
		return nil, err
	}
	symmetricWitness, skewWitness := a.SymmetricWitness(), a.SkewSymmetricWitness()
	if symmetricWitness == nil || skewWitness == nil {
		return nil, &NoWitnessError{Structure: a, Symmetric: symmetricWitness, Skew: skewWitness}
	}
	symmetricEntry, skewEntry := entryOf(a, symmetricWitness), entryOf(a, skewWitness)
	var positions [][]position
	for _, scores := range relationMatrices(g) {
		var own []position
		symmetric, skew := halves(scores)
		for _, term := range eigenTerms(symmetric) {
			weight := term.value / symmetricEntry.at
			if symmetricEntry.i != symmetricEntry.j {
				weight /= 2 // the mirror image adds the same once more
			}
			own = append(own, position{symmetricEntry, term.vector, term.vector, weight})
		}
		for h := range g {
			row := mat.Row(nil, h, skew)
			if slices.ContainsFunc(row, func(v float64) bool { return v != 0 }) {
				own = append(own, position{skewEntry, unit(len(g), h), row, 1 / (2 * skewEntry.at)})
			}
		}
		positions = append(positions, own)
	}
	return embeddings(a.K(), len(g), positions), nil
}

// entryOf returns a nonzero entry of g(A,r) ≠ 0, on the diagonal if possible:
// then the entry stands alone, and otherwise no square disturbs it.
func entryOf(a structure.Structure, r []int) *entry {
	relation := make([]float64, len(r))
	for k, x := range r {
		relation[k] = float64(x)
	}
	var found *entry
	for i := range a.K() {
		for j := range a.K() {
			at := operatorAt(a, relation, i, j)
			if at != 0 && (found == nil || i == j && found.i != found.j) {
				found = &entry{i: i, j: j, relation: relation, at: at}
			}
		}
	}
	return found
}
