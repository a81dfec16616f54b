package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// RotatE scores by -‖e - e0 ∘ exp(i(r1 + … + rL))‖, the sum of the moduli of d/2 complex
// numbers (Sun et al., 2019). The first half of a row has their real parts, the second half
// their imaginary parts.
var RotatE = register(rotatE{noStructure{"rotate"}})

type rotatE struct{ noStructure }

func (rotatE) Multiple() int { return 2 }

// Tables has an angle per complex number.
func (rotatE) Tables(dim int) []Table {
	draw := func(rng *rand.Rand, _ int, _ float64) float64 {
		return math.Pi * (2*rng.Float64() - 1)
	}
	return []Table{{Name: relationsTable, Rows: 1, Columns: dim / 2, Draw: draw}}
}

func (rotatE) Capabilities() Capabilities { return Capabilities{StateRows: 1} }

func (rotatE) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	after, half := append([]float64(nil), state...), len(state)/2
	for i := range half {
		sin, cos := math.Sincos(sign(transposed) * relations[0][i])
		after[i] = cos*state[i] - sin*state[half+i]
		after[half+i] = sin*state[i] + cos*state[half+i]
	}
	return after
}

func (rotatE) DefineScore(state, row []float64) (score float64) {
	half := len(row) / 2
	for i := range half {
		score -= math.Hypot(row[i]-state[i], row[half+i]-state[half+i])
	}
	return score
}

func (rotatE) DefineGradients(state, row []float64) (byState, byRow []float64) {
	byRow = make([]float64, len(row))
	half := len(row) / 2
	for i := range half {
		x, y := row[i]-state[i], row[half+i]-state[half+i]
		if modulus := math.Hypot(x, y); modulus > 0 {
			byRow[i], byRow[half+i] = -x/modulus, -y/modulus
		}
	}
	return ofDistance(byRow)
}
