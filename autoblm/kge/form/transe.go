package form

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TransE scores by -‖e - (e0 + r1 + … + rL)‖₁ (Bordes et al., 2013; on paths TransE-Comp,
// Guu et al., 2015).
var TransE = register(transE{noStructure{"transe"}})

type transE struct{ noStructure }

func (transE) Tables(dim int) []Table { return oneRow(dim) }

func (transE) Capabilities() Capabilities { return Capabilities{StateRows: 1} }

func (transE) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	after := make([]float64, len(state))
	for i, x := range state {
		after[i] = x + sign(transposed)*relations[0][i]
	}
	return after
}

func (transE) DefineScore(state, row []float64) (score float64) {
	for i, x := range row {
		score -= math.Abs(x - state[i])
	}
	return score
}

func (transE) DefineGradients(state, row []float64) (byState, byRow []float64) {
	byRow = make([]float64, len(row))
	for i, x := range row {
		byRow[i] = -math.Copysign(1, x-state[i])
	}
	return ofDistance(byRow)
}
