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
