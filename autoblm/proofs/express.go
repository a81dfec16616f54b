package proofs

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Scores is a tensor G of scores, [entities][relations][entities]: head,
// relation, tail.
type Scores [][][]float64

// Embeddings are rows of Dim numbers, K chunks of Dim/K.
type Embeddings struct {
	Dim                 int
	Entities, Relations [][]float64
}

// InexpressibleError says that no embeddings of any dimension give all scores:
// the structure is symmetric or skew-symmetric, and so are all its score matrices.
type InexpressibleError struct {
	Structure structure.Structure
	// Example is a tensor with two entities and one relation that the structure cannot express.
	Example Scores
}

func (e *InexpressibleError) Error() string {
	return fmt.Sprintf("the structure %s equals its transpose or its negative, so f(h,r,t) and "+
		"f(t,r,h) agree but for a fixed sign: it cannot score (0,0,1) with 1 and (1,0,0) with 0",
		e.Structure)
}

// Express returns embeddings with f_A(h,r,t) = G_hrt, up to rounding, for a
// structure A that is neither symmetric nor skew-symmetric, and an
// [InexpressibleError] for one that is.
//
// Statement: f_A is fully expressive if and only if A ≠ Aᵀ and A ≠ -Aᵀ. New; the
// paper's Proposition 1 asks for two witnesses and is only sufficient.
//
// Idea: a position of the embeddings is one number in each chunk. It holds a
// vector u_e ∈ R^K for each entity and ρ_r for each relation, and adds
// u_hᵀ(Σ_k ρ_k D_k)u_t to the score. With u_e = x_e on chunk i and y_e on chunk j,
// and ρ on |A_ij| alone, that is a quadratic form in x and y (polarization). If
// |A_ij| ≠ |A_ji| it is x yᵀ plus squares; with at most one square the choice of
// y absorbs it, and one position gives any matrix of rank 1. Otherwise one
// position gives any skew x yᵀ - y xᵀ plus something symmetric, which is then put
// right together with the symmetric half of G_r: by a diagonal cell of A, one
// position for each eigenvalue, or by a symmetric pair of cells, one position for
// an eigenvalue of either sign. Such cells exist exactly if A ≠ Aᵀ and A ≠ -Aᵀ.
//
// Dim is K times the number of positions: the sum over relations of rank(G_r), at most N for N
// entities, in the first case, and of half the rank of the skew half plus at most the rank of the
// symmetric half as it is then, together at most N + ⌊N/2⌋, in the second. So Dim ≤ 3/2·K·N·R for
// R relations.
func Express(a structure.Structure, g Scores) (*Embeddings, error) {
	if err := checkScores(g); err != nil {
		return nil, err
	}
	builder, ok := builderFor(a)
	if !ok {
		return nil, &InexpressibleError{Structure: a, Example: Scores{{{0, 1}}, {{0, 0}}}}
	}
	var positions [][]position
	for _, scores := range relationMatrices(g) {
		positions = append(positions, builder.build(scores))
	}
	return embeddings(a.K(), len(g), positions), nil
}

func checkScores(g Scores) error {
	if len(g) == 0 || len(g[0]) == 0 {
		return fmt.Errorf("the scores have %d entities: at least one entity and one relation are needed",
			len(g))
	}
	for h := range g {
		if len(g[h]) != len(g[0]) {
			return fmt.Errorf("entity %d has %d relations and entity 0 has %d: a tensor has one number of "+
				"them", h, len(g[h]), len(g[0]))
		}
		for r := range g[h] {
			if len(g[h][r]) != len(g) {
				return fmt.Errorf("head %d, relation %d has %d tails: it must be %d, the number of entities", h,
					r, len(g[h][r]), len(g))
			}
			for t, score := range g[h][r] {
				if score-score != 0 {
					return fmt.Errorf("the score of head %d, relation %d, tail %d is %v: it must be a number", h,
						r, t, score)
				}
			}
		}
	}
	return nil
}
