package form

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// bilinear scores by e0ᵀ g(A,r1) … g(A,rL) e with a structure A (paper, Equations 4 and 7).
type bilinear struct{}

func (bilinear) Name() string { return "bilinear" }

func (bilinear) Structure(requested structure.Structure) (structure.Structure, error) {
	if requested.K() == 0 {
		return requested, errors.New("the structure is missing: give one, such as complex")
	}
	return requested, nil
}

func (bilinear) Tables(dim int) []Table { return oneRow(dim) }

func (bilinear) Multiple() int { return 1 }

func (bilinear) Capabilities() Capabilities {
	return Capabilities{StateRows: 1, Products: true, RelationPrediction: true}
}

func (bilinear) DefineHop(
	a structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	after := make([]float64, len(state))
	for i := range after {
		unit := make([]float64, len(state))
		unit[i] = 1
		if transposed {
			after[i] = a.Score(unit, relations[0], state)
		} else {
			after[i] = a.Score(state, relations[0], unit)
		}
	}
	return after
}

func (bilinear) DefineScore(state, row []float64) (score float64) {
	for i, x := range row {
		score += state[i] * x
	}
	return score
}

func (bilinear) DefineGradients(state, row []float64) (byState, byRow []float64) {
	return row, state
}

// Diag is Diag-Comp, e0ᵀ diag(r1) … diag(rL) e (Guu et al., 2015): the bilinear form whose
// structure has one cell.
var Diag = register(diag{})

type diag struct{ bilinear }

var oneCell = structure.MustParse("1")

func (diag) Name() string { return "diag" }

func (diag) Structure(requested structure.Structure) (structure.Structure, error) {
	if requested.K() != 0 && requested != oneCell {
		return requested, fmt.Errorf("diag has no structure but %v: leave it out", oneCell)
	}
	return oneCell, nil
}
