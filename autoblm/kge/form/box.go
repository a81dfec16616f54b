package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Query2box scores by the distance of an entity to a box whose centre moves and whose sides
// grow along the path (Ren et al., 2020, Equation 3, with their weight of 0.02 for the
// distance inside the box).
var Query2box = register(box{noStructure{"q2b"}})

// box has states of two rows: the centre and half the side lengths.
type box struct{ noStructure }

// Tables has two rows per relation: the first moves the centre, the second grows the sides.
func (box) Tables(dim int) []Table {
	draw := func(rng *rand.Rand, row int, scale float64) float64 {
		x := rng.NormFloat64() * scale
		if row == 1 { // initially all relations grow the sides
			return math.Abs(x)
		}
		return x
	}
	return []Table{{Name: relationsTable, Rows: 2, Columns: dim, Draw: draw}}
}

func (box) Capabilities() Capabilities { return Capabilities{StateRows: 2} }

func (box) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	d, after := len(state)/2, make([]float64, len(state))
	for i := range d {
		after[i] = state[i] + sign(transposed)*relations[0][i]
		after[d+i] = state[d+i] + math.Max(relations[0][d+i], 0)
	}
	return after
}

func (box) DefineScore(state, row []float64) (score float64) {
	for i, x := range row {
		away, half := math.Abs(x-state[i]), state[len(row)+i]
		score -= math.Max(away-half, 0) + 0.02*math.Min(away, half)
	}
	return score
}

func (box) DefineGradients(state, row []float64) (byState, byRow []float64) {
	byRow = make([]float64, len(row))
	for i, x := range row {
		away, slope := x-state[i], 1.0
		if math.Abs(away) < state[len(row)+i] {
			slope = 0.02
		}
		byRow[i] = -math.Copysign(slope, away)
	}
	return ofDistance(byRow)
}
