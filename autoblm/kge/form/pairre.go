package form

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
)

// PairRE scores by -‖h∘r_H - t∘r_T‖₁, where h and t are rows of entities divided by their norms
// (Chao et al., 2021). On paths, it multiplies the vectors r_H of all hops, and those r_T. A relation
// with r_H = ±r_T is symmetric, one with the two vectors of another swapped is its inverse, and
// products of relations compose.
var PairRE = register(pairRE{noStructure{"pairre"}})

// pairRE has states of two rows: the head times r_H, and r_T. The second row is 0 only before the
// first hop.
type pairRE struct{ noStructure }

// LeastNorm is the least number by which PairRE divides an entity's row.
const LeastNorm = 1e-12

// Tables has r_H and r_T as two rows of a relation, [2·relations, d].
func (pairRE) Tables(dim int) []Table {
	return []Table{{Name: relationsTable, Rows: 2, Columns: dim}}
}

func (pairRE) Capabilities() Capabilities { return Capabilities{StateRows: 2} }

// normalized returns x/‖x‖ and the divisor, which is at least LeastNorm.
func normalized(x []float64) (unit []float64, norm float64) {
	norm = max(floats.Norm(x, 2), LeastNorm)
	return floats.ScaleTo(make([]float64, len(x)), 1/norm, x), norm
}

// throughNorm returns the gradient of x, given that of x/‖x‖.
func throughNorm(x, gradient []float64) []float64 {
	unit, norm := normalized(x)
	by := floats.ScaleTo(make([]float64, len(x)), 1/norm, gradient)
	if norm > LeastNorm {
		floats.AddScaled(by, -floats.Dot(unit, by), unit)
	}
	return by
}

// vectors returns r_H and r_T, or the other way round for the transpose.
func (pairRE) vectors(relation []float64, transposed bool) (ofHead, ofTail []float64) {
	d := len(relation) / 2
	if transposed {
		return relation[d:], relation[:d]
	}
	return relation[:d], relation[d:]
}

func (f pairRE) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	d := len(state) / 2
	ofHead, ofTail := f.vectors(relations[0], transposed)
	after := append([]float64(nil), state...)
	if floats.Norm(state[d:], math.Inf(1)) == 0 { // the first hop
		unit, _ := normalized(state[:d])
		copy(after, unit)
		copy(after[d:], ofTail)
	} else {
		floats.Mul(after[d:], ofTail)
	}
	floats.Mul(after[:d], ofHead)
	return after
}

func (pairRE) DefineScore(state, row []float64) float64 {
	d := len(row)
	unit, _ := normalized(row)
	return -floats.Distance(state[:d], floats.MulTo(unit, unit, state[d:]), 1)
}

func (pairRE) DefineGradients(state, row []float64) (byState, byRow []float64) {
	d := len(row)
	unit, _ := normalized(row)
	byState, byUnit := make([]float64, d), make([]float64, d)
	for i, w := range state[d:] {
		byState[i] = math.Copysign(1, unit[i]*w-state[i])
		byUnit[i] = -byState[i] * w
	}
	return byState, throughNorm(row, byUnit)
}

// DefineAnchorGradient implements [AnchorDifferentiator].
func (f pairRE) DefineAnchorGradient(
	anchor []float64, relations [][]float64, transposed bool, byState []float64,
) []float64 {
	ofHead, _ := f.vectors(relations[0], transposed)
	return throughNorm(anchor, floats.MulTo(make([]float64, len(anchor)), byState, ofHead))
}
