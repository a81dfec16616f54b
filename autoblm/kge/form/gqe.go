package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// GQE scores by e0ᵀ R1 … RL e with a d×d matrix per relation (Hamilton et al., 2018). On
// triples that is RESCAL (Nickel et al., 2011).
var GQE = register(gqe{noStructure{"gqe"}}, "rescal")

type gqe struct{ noStructure }

// Tables has matrices that keep the norm of a state on average.
func (gqe) Tables(dim int) []Table {
	draw := func(rng *rand.Rand, _ int, _ float64) float64 {
		return rng.NormFloat64() / math.Sqrt(float64(dim))
	}
	return []Table{{Name: relationsTable, Rows: dim, Columns: dim, Shared: true, Draw: draw}}
}

func (gqe) Capabilities() Capabilities { return Capabilities{StateRows: 1, Products: true} }

func (gqe) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
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

func (gqe) DefineScore(state, row []float64) float64 { return bilinear{}.DefineScore(state, row) }

func (gqe) DefineGradients(state, row []float64) (byState, byRow []float64) {
	return row, state
}
