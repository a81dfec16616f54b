package proofs

import (
	"fmt"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Response completes an embedding x to a triple with a positive score. It returns h, r and t,
// with x in the given mode, or ok = false if x scores 0 with all others. It panics unless the
// length of x is a multiple of K.
//
// Statement: a mode of A does not fail exactly when the unfolding of its sign
// tensor in that mode has rank K, so A is not degenerate exactly when the tensor
// has multilinear rank (K,K,K). New: the paper's Proposition 2 asks for rank(A) = K,
// and forgets the tails.
//
// Idea: the score is linear in x, and each number of the unfolding's product with
// x is its score with one unit vector in each of the other two places. So either
// one of them is not 0 and gives the answer, or x scores 0 with everything; if the
// rank is K that is x = 0, and if not, [structure.Structure.Witness] is such an x.
func Response(a structure.Structure, mode structure.Mode, x []float64) (h, r, t []float64,
	ok bool) {
	k := a.K()
	if len(x)%k != 0 {
		panic(fmt.Sprintf("proofs: an embedding of length %d does not have %d equal chunks", len(x), k))
	}
	width := len(x) / k
	best := 0.0
	var first, second int // the places of the two ones
	signs := a.SignTensor()
	at := func(own, one, other int) float64 {
		place := [3]int{own, one, other}
		switch mode {
		case structure.Relation:
			place = [3]int{one, own, other}
		case structure.Tail:
			place = [3]int{one, other, own}
		}
		return float64(signs[(place[0]*k+place[1])*k+place[2]])
	}
	for one := range k {
		for other := range k {
			for n := range width {
				score := 0.0
				for own := range k {
					score += at(own, one, other) * x[own*width+n]
				}
				if math.Abs(score) > math.Abs(best) {
					best, first, second = score, one*width+n, other*width+n
				}
			}
		}
	}
	if best == 0 {
		return nil, nil, nil, false
	}
	y, z := unit(len(x), first), scaled(math.Copysign(1, best), unit(len(x), second))
	switch mode {
	case structure.Head:
		return x, y, z, true
	case structure.Relation:
		return y, x, z, true
	default:
		return y, z, x, true
	}
}

// Rejection is a reason for which the paper's test calls a structure degenerate.
type Rejection struct {
	// Mode is the failing mode it comes from.
	Mode structure.Mode
	// Missing is a value 1…K that never occurs in A, when the mode is
	// [structure.Relation]; else 0.
	Missing int
	// Vector is a nonzero w with wᵀA = 0 when the mode is [structure.Head], and
	// with Aw = 0 when it is [structure.Tail]; else nil.
	Vector []int64
}

// Rejections returns a reason of the paper's test for each failing mode of A. So a structure
// that passes the test is not degenerate.
//
// Statement: rank(A) = K with all values 1…K present implies that A is not
// degenerate, in heads, relations and tails. This is the half of the paper's
// Proposition 2 that holds; tails are new. The other half does not: -1,-1;-2,-2 has
// rank 1 and is degenerate in the tails only, and 1,-1,-3;-1,-2,-3;-3,-3,-3 has
// rank 2 and is not degenerate at all.
//
// Idea: A = Σ_k k·D_k. So a w with wᵀD_k = 0 for all k has wᵀA = 0, and likewise
// D_k w = 0 gives Aw = 0; a relation fails only with some D_k = 0.
func Rejections(a structure.Structure) []Rejection {
	var reasons []Rejection
	for _, mode := range a.DegenerateModes() {
		reason := Rejection{Mode: mode}
		witness := a.Witness(mode)
		if mode == structure.Relation {
			for k, w := range witness {
				if w != 0 {
					reason.Missing = k + 1
				}
			}
		} else {
			reason.Vector = witness
		}
		reasons = append(reasons, reason)
	}
	return reasons
}
