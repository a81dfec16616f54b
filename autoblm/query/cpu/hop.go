package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// hop is what a relation does to the state of a path, which begins as the row of
// the anchor and ends as the query. Tables have the rows of n paths.
type hop interface {
	// step makes the states after a hop, in rows of zeros.
	step(to, from, relations kernel.Table, n int, transposed bool)
	// back adds the gradients by the states before the hop and by the relations, given
	// that by the states after it.
	back(gradient, from, relations, byFrom, byRelations kernel.Table, n int, transposed bool)
}

// mixture is qᵀ g(A,r), with g(A,r) never there as a matrix.
type mixture struct{ mix.Mixer }

func newMixture(k *kernel.Set, p query.Parameters) mixture {
	return mixture{mix.New(k, p.Structure, p.Dim)}
}

// roles are the roles of a state before a hop and after it.
func (mixture) roles(transposed bool) (from, to mix.Role) {
	if transposed {
		return mix.AsTail, mix.AsHead
	}
	return mix.AsHead, mix.AsTail
}

func (h mixture) step(to, from, relations kernel.Table, n int, transposed bool) {
	before, after := h.roles(transposed)
	of := mix.ByRole{mix.AsRelation: relations}
	of[before] = from
	h.Mix(to, after, of, n)
}

func (h mixture) back(gradient, from, relations, byFrom, byRelations kernel.Table, n int, transposed bool) {
	before, after := h.roles(transposed)
	of, to := mix.ByRole{mix.AsRelation: relations}, mix.ByRole{mix.AsRelation: byRelations}
	of[before], to[before] = from, byFrom
	h.MixBack(gradient, after, of, to, n)
}

// matrix is qᵀR, with a matrix R of d rows.
type matrix struct {
	kernels *kernel.Set
	dim     int
}

func (h matrix) step(to, from, relations kernel.Table, n int, transposed bool) {
	for i := range n {
		x, y := tiles.WholeRow(from, i), tiles.WholeRow(to, i)
		for row := range h.dim {
			r := tiles.WholeRow(relations, i*h.dim+row)
			if transposed {
				y[row] = float32(tiles.Dot(r, x))
			} else {
				h.kernels.ScaleAdd(y, r, x[row])
			}
		}
	}
}

func (h matrix) back(gradient, from, relations, byFrom, byRelations kernel.Table, n int, transposed bool) {
	for i := range n {
		g, x, byX := tiles.WholeRow(gradient, i), tiles.WholeRow(from, i), tiles.WholeRow(byFrom, i)
		for row := range h.dim {
			r, byR := tiles.WholeRow(relations, i*h.dim+row), tiles.WholeRow(byRelations, i*h.dim+row)
			if transposed {
				h.kernels.ScaleAdd(byX, r, g[row])
				h.kernels.ScaleAdd(byR, x, g[row])
			} else {
				byX[row] += float32(tiles.Dot(r, g))
				h.kernels.ScaleAdd(byR, g, x[row])
			}
		}
	}
}

// shift is q + r, and q - r through the transpose.
type shift struct{ kernels *kernel.Set }

func (h shift) step(to, from, relations kernel.Table, n int, transposed bool) {
	size := n * from.Stride
	copy(to.Data[:size], from.Data[:size])
	h.kernels.ScaleAdd(to.Data[:size], relations.Data[:size], sign(transposed))
}

func (h shift) back(gradient, _, _, byFrom, byRelations kernel.Table, n int, transposed bool) {
	size := n * gradient.Stride
	h.kernels.ScaleAdd(byFrom.Data[:size], gradient.Data[:size], 1)
	h.kernels.ScaleAdd(byRelations.Data[:size], gradient.Data[:size], sign(transposed))
}

func sign(transposed bool) float32 {
	if transposed {
		return -1
	}
	return 1
}

// growth shifts the centre of a box, the first row of a state, and adds to half
// its sides, the second one, what is positive of the relation's second row.
type growth struct{ kernels *kernel.Set }

func (h growth) step(to, from, relations kernel.Table, n int, transposed bool) {
	size := 2 * n * from.Stride
	copy(to.Data[:size], from.Data[:size])
	for i := range n {
		h.kernels.ScaleAdd(tiles.WholeRow(to, 2*i), tiles.WholeRow(relations, 2*i), sign(transposed))
		half := tiles.WholeRow(to, 2*i+1)
		for column, grow := range tiles.WholeRow(relations, 2*i+1) {
			half[column] += max(grow, 0)
		}
	}
}

func (h growth) back(gradient, _, relations, byFrom, byRelations kernel.Table, n int, transposed bool) {
	size := 2 * n * gradient.Stride
	h.kernels.ScaleAdd(byFrom.Data[:size], gradient.Data[:size], 1)
	for i := range n {
		h.kernels.ScaleAdd(tiles.WholeRow(byRelations, 2*i), tiles.WholeRow(gradient, 2*i), sign(transposed))
		byHalf, byGrow := tiles.WholeRow(gradient, 2*i+1), tiles.WholeRow(byRelations, 2*i+1)
		for column, grow := range tiles.WholeRow(relations, 2*i+1) {
			if grow > 0 {
				byGrow[column] += byHalf[column]
			}
		}
	}
}
