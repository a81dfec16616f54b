package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// gqe scores by e0ᵀ R1 … RL e with a d×d matrix for each relation (Hamilton et al.,
// 2018); on triples that is RESCAL (Nickel et al., 2011).
type gqe struct{ bilinear }

func (gqe) Name() string { return "gqe" }

func (f gqe) Structure(asked structure.Structure) (structure.Structure, error) {
	return none(f.Name(), asked)
}

// Tables has matrices whose rows keep lengths on average.
func (gqe) Tables(dim int) []Table {
	return []Table{{Name: Relations, Rows: dim, Columns: dim, Draw: func(rng *rand.Rand, _ int, _ float64) float64 {
		return rng.NormFloat64() / math.Sqrt(float64(dim))
	}}}
}

func (gqe) Hop(k *kernel.Set, _ structure.Structure, dim int) Hop { return matrix{k, dim} }

func (gqe) DefineHop(_ structure.Structure, state []float64, relations [][]float64, transposed bool) []float64 {
	d := len(state)
	after := make([]float64, d)
	for i := range d {
		for j := range d {
			if x := relations[0][i*d+j]; transposed {
				after[i] += x * state[j]
			} else {
				after[j] += state[i] * x
			}
		}
	}
	return after
}

// matrix is qᵀR, with a matrix R of d rows.
type matrix struct {
	kernels *kernel.Set
	dim     int
}

func (h matrix) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	for i := range n {
		x, y := tiles.WholeRow(from, i), tiles.WholeRow(to, i)
		for row := range h.dim {
			r := tiles.WholeRow(relations[0], i*h.dim+row)
			if transposed {
				y[row] = float32(tiles.Dot(r, x))
			} else {
				h.kernels.ScaleAdd(y, r, x[row])
			}
		}
	}
}

func (h matrix) Back(gradient, from kernel.Table, relations []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool) {
	for i := range n {
		g, x, gradX := tiles.WholeRow(gradient, i), tiles.WholeRow(from, i), tiles.WholeRow(gradFrom, i)
		for row := range h.dim {
			r, gradR := tiles.WholeRow(relations[0], i*h.dim+row), tiles.WholeRow(gradRelations[0], i*h.dim+row)
			if transposed {
				h.kernels.ScaleAdd(gradX, r, g[row])
				h.kernels.ScaleAdd(gradR, x, g[row])
			} else {
				gradX[row] += float32(tiles.Dot(r, g))
				h.kernels.ScaleAdd(gradR, g, x[row])
			}
		}
	}
}
