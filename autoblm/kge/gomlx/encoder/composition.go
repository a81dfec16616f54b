package encoder

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	. "github.com/gomlx/gomlx/core/graph"
)

// composition combines entities with relations: after(compose(before(e), before(r))), where before and
// after are linear maps of rows, so that they need not be applied to each edge.
type composition struct {
	before, after func(x *Node) *Node
	compose       func(entities, relations *Node) *Node
}

// composition returns the φ of the encoder for rows of a dimension.
func (l layer) composition(dim int) composition {
	same := func(x *Node) *Node { return x }
	switch l.settings.Encoder {
	case kge.CompGCNSub:
		return composition{same, same, Sub}
	case kge.CompGCNMult:
		return composition{same, same, Mul}
	case kge.CompGCNCorr:
		return correlation(dim)
	}
	return composition{same, same, mixing(l.message)}
}

// mixing returns g(A, r) e: chunk i is the sum over j of sign(A_ij) r_|A_ij| ⊙ e_j.
func mixing(a structure.Structure) func(entities, relations *Node) *Node {
	return func(entities, relations *Node) *Node {
		width := entities.Shape().Dim(1) / a.K()
		chunk := func(x *Node, i int) *Node {
			return Slice(x, AxisRange(), AxisRange(i*width, (i+1)*width))
		}
		var chunks []*Node
		for i := range a.K() {
			sum := ZerosLike(chunk(entities, i))
			for j := range a.K() {
				switch block := a.At(i, j); {
				case block > 0:
					sum = Add(sum, Mul(chunk(relations, block-1), chunk(entities, j)))
				case block < 0:
					sum = Sub(sum, Mul(chunk(relations, -block-1), chunk(entities, j)))
				}
			}
			chunks = append(chunks, sum)
		}
		return Concatenate(chunks, 1)
	}
}

// correlation returns the circular correlation. By the convolution theorem its discrete Fourier
// transform is the product of the conjugate transform of e with that of r. Real rows need the first
// n/2+1 frequencies only. A transformed row has their real parts, and then the imaginary ones.
func correlation(n int) composition {
	frequencies := n/2 + 1
	forward, back := make([][]float32, n), make([][]float32, 2*frequencies)
	for i := range forward {
		forward[i] = make([]float32, 2*frequencies)
	}
	for f := range frequencies {
		back[f], back[frequencies+f] = make([]float32, n), make([]float32, n)
		weight := 2 / float64(n) // of a frequency and its negative
		if f == 0 || 2*f == n {
			weight = 1 / float64(n)
		}
		for i := range n {
			sin, cos := math.Sincos(2 * math.Pi * float64(f*i%n) / float64(n))
			forward[i][f], forward[i][frequencies+f] = float32(cos), float32(-sin)
			back[f][i], back[frequencies+f][i] = float32(weight*cos), float32(-weight*sin)
		}
	}
	parts := func(x *Node) (re, im *Node) {
		return Slice(x, AxisRange(), AxisRange(0, frequencies)), Slice(x, AxisRange(), AxisRange(frequencies))
	}
	return composition{
		before: func(x *Node) *Node { return product(x, Const(x.Graph(), forward)) },
		after:  func(x *Node) *Node { return product(x, Const(x.Graph(), back)) },
		compose: func(entities, relations *Node) *Node {
			a, b := parts(entities)
			c, d := parts(relations)
			return Concatenate([]*Node{
				Add(Mul(a, c), Mul(b, d)), Sub(Mul(a, d), Mul(b, c)),
			}, 1)
		},
	}
}
