package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// box is Query2box: the distance of an entity to a box whose centre moves and whose
// sides grow along the path (Ren et al., 2020, Equation 3, with their weight of 0.02
// for the distance inside).
type box struct{}

func (box) Name() string { return "q2b" }

func (f box) Structure(asked structure.Structure) (structure.Structure, error) {
	return none(f.Name(), asked)
}

// Tables has a row that moves the centre, and one that grows the sides, as boxes do at
// first.
func (box) Tables(dim int) []Table {
	return []Table{{Name: Relations, Rows: 2, Columns: dim, Draw: func(rng *rand.Rand, row int, scale float64) float64 {
		x := rng.NormFloat64() * scale
		if row == 1 {
			return math.Abs(x)
		}
		return x
	}}}
}

func (box) Hop(k *kernel.Set, _ structure.Structure, _ int) Hop { return growth{k} }

func (box) Measure(dim int) tiles.Measure { return tiles.BoxDistances{Dim: dim} }

func (box) DefineHop(_ structure.Structure, state []float64, relations [][]float64, transposed bool) []float64 {
	d, after := len(state)/2, make([]float64, len(state))
	for i := range d {
		after[i] = state[i] + float64(sign(transposed))*relations[0][i]
		after[d+i] = state[d+i] + math.Max(relations[0][d+i], 0)
	}
	return after
}

func (box) DefineScore(query, row []float64) (score float64) {
	for i, x := range row {
		away, half := math.Abs(x-query[i]), query[len(row)+i]
		score -= math.Max(away-half, 0) + 0.02*math.Min(away, half)
	}
	return score
}

// growth shifts the centre of a box, the first row of a state, and adds to half
// its sides, the second one, what is positive of the relation's second row.
type growth struct{ kernels *kernel.Set }

func (h growth) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	copy(first(to, 2*n), first(from, 2*n))
	for i := range n {
		h.kernels.ScaleAdd(tiles.WholeRow(to, 2*i), tiles.WholeRow(relations[0], 2*i), sign(transposed))
		half := tiles.WholeRow(to, 2*i+1)
		for column, grow := range tiles.WholeRow(relations[0], 2*i+1) {
			half[column] += max(grow, 0)
		}
	}
}

func (h growth) Back(gradient, _ kernel.Table, relations []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool) {
	h.kernels.ScaleAdd(first(gradFrom, 2*n), first(gradient, 2*n), 1)
	for i := range n {
		h.kernels.ScaleAdd(tiles.WholeRow(gradRelations[0], 2*i), tiles.WholeRow(gradient, 2*i), sign(transposed))
		gradHalf, gradGrow := tiles.WholeRow(gradient, 2*i+1), tiles.WholeRow(gradRelations[0], 2*i+1)
		for column, grow := range tiles.WholeRow(relations[0], 2*i+1) {
			if grow > 0 {
				gradGrow[column] += gradHalf[column]
			}
		}
	}
}
