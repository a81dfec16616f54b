package encoder

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	. "github.com/gomlx/gomlx/core/graph"
)

// composition is the φ of an encoder. φ(e, r) is after the sum of terms, where after is a linear map of
// rows, so that it need not be applied to each edge.
type composition struct {
	terms func(entities, relations *Node) []term
	after func(x *Node) *Node
}

// term combines rows of entities and relations, number by number.
type term struct {
	entities, relations *Node // tables with the columns of the result
	combination
}

// combination combines numbers e and r, and returns the gradient of each from the gradient v of the result.
type combination struct {
	of          func(e, r *Node) *Node
	toEntities  func(r, v *Node) *Node
	toRelations func(e, v *Node) *Node
}

var (
	products    = combination{Mul, Mul, Mul}
	differences = combination{
		of:          Sub,
		toEntities:  func(_, v *Node) *Node { return v },
		toRelations: func(_, v *Node) *Node { return Neg(v) },
	}
)

// composition returns the φ of the encoder for rows of a dimension.
func (l layer) composition(dim int) composition {
	same := func(x *Node) *Node { return x }
	switch l.settings.Encoder {
	case kge.CompGCNSub:
		return composition{one(differences), same}
	case kge.CompGCNMult:
		return composition{one(products), same}
	case kge.CompGCNCorr:
		return correlation(dim)
	}
	return composition{mixing(l.message), same}
}

// plus adds x to a sum, which is nil at first.
func plus(sum, x *Node) *Node {
	if sum == nil {
		return x
	}
	return Add(sum, x)
}

// one returns the only term that combines the tables as they are.
func one(c combination) func(entities, relations *Node) []term {
	return func(e, r *Node) []term { return []term{{e, r, c}} }
}

// mixing returns g(A, r) e: chunk i is the sum over j of sign(A_ij) r_|A_ij| ⊙ e_j. Each term has one
// of the products of each chunk.
func mixing(a structure.Structure) func(entities, relations *Node) []term {
	return func(entities, relations *Node) (terms []term) {
		width := entities.Shape().Dim(1) / a.K()
		chunk := func(x *Node, i int) *Node {
			return Slice(x, AxisRange(), AxisRange(i*width, (i+1)*width))
		}
		for n := range mostBlocks(a) {
			var es, rs []*Node
			for _, row := range a.Rows() {
				e, r := ZerosLike(chunk(entities, 0)), chunk(relations, 0)
				if columns := nonzeros(row); n < len(columns) {
					block := row[columns[n]]
					e, r = chunk(entities, columns[n]), chunk(relations, max(block, -block)-1)
					if block < 0 {
						e = Neg(e)
					}
				}
				es, rs = append(es, e), append(rs, r)
			}
			terms = append(terms, term{Concatenate(es, 1), Concatenate(rs, 1), products})
		}
		return terms
	}
}

// mostBlocks returns the largest number of nonzero blocks in a row.
func mostBlocks(a structure.Structure) (most int) {
	for _, row := range a.Rows() {
		most = max(most, len(nonzeros(row)))
	}
	return most
}

// nonzeros returns the columns of the nonzero blocks of a row.
func nonzeros(row []int) (columns []int) {
	for j, block := range row {
		if block != 0 {
			columns = append(columns, j)
		}
	}
	return columns
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
	transformed := func(x *Node) (re, im *Node) {
		x = product(x, Const(x.Graph(), forward))
		return Slice(x, AxisRange(), AxisRange(0, frequencies)), Slice(x, AxisRange(), AxisRange(frequencies))
	}
	pair := func(x, y *Node) *Node { return Concatenate([]*Node{x, y}, 1) }
	return composition{
		terms: func(entities, relations *Node) []term {
			a, b := transformed(entities)
			c, d := transformed(relations)
			return []term{ // ac + bd, ad - bc
				{pair(a, a), pair(c, d), products}, {pair(b, Neg(b)), pair(d, c), products},
			}
		},
		after: func(x *Node) *Node { return product(x, Const(x.Graph(), back)) },
	}
}
