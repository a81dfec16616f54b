package form

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"gonum.org/v1/gonum/floats"
)

// TransH scores by -‖(h - (wᵀh)w) + r - (t - (wᵀt)w)‖², where w = n/‖n‖ is the normal of the
// relation's hyperplane (Wang et al., 2014). On paths, each hop projects and translates in turn. It
// has no soft constraint that r is in the hyperplane.
var TransH = register(transH{noStructure{"transh"}})

// transH has states of two rows: the translated projection, and the normal w.
type transH struct{ noStructure }

// Tables has r and n as two rows of a relation, [2·relations, d].
func (transH) Tables(dim int) []Table {
	return []Table{{Name: relationsTable, Rows: 2, Columns: dim}}
}

func (transH) Capabilities() Capabilities { return Capabilities{StateRows: 2} }

func (transH) DefineHop(
	_ structure.Structure, state []float64, relations [][]float64, transposed bool,
) []float64 {
	d := len(state) / 2
	normal := append([]float64(nil), relations[0][d:2*d]...)
	if norm := floats.Norm(normal, 2); norm > 0 {
		floats.Scale(1/norm, normal)
	}
	after := project(state[:d], normal)
	floats.AddScaled(after, sign(transposed), relations[0][:d])
	return append(after, normal...)
}

// project returns x - (wᵀx)w for a normal w.
func project(x, w []float64) []float64 {
	projected := append([]float64(nil), x...)
	floats.AddScaled(projected, -floats.Dot(w, x), w)
	return projected
}

func (transH) DefineScore(state, row []float64) float64 {
	d := len(row)
	distance := floats.Distance(state[:d], project(row, state[d:]), 2)
	return -math.Pow(distance, 2)
}

func (transH) DefineGradients(state, row []float64) (byState, byRow []float64) {
	d := len(row)
	byState = project(row, state[d:])
	floats.Sub(byState, state[:d])
	floats.Scale(2, byState)
	byRow = project(byState, state[d:])
	floats.Scale(-1, byRow)
	return byState, byRow
}
