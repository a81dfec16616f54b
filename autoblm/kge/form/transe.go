package form

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// transE scores by -‖e - (e0 + r1 + … + rL)‖₁ (Bordes et al., 2013; on paths TransE-Comp,
// Guu et al., 2015).
type transE struct{}

func (transE) Name() string { return "transe" }

func (f transE) Structure(asked structure.Structure) (structure.Structure, error) {
	return none(f.Name(), asked)
}

func (transE) Tables(dim int) []Table { return plain(dim) }

func (transE) Hop(k *kernel.Set, _ structure.Structure, _ int) Hop { return shift{k} }

func (transE) Measure(dim int) tiles.Measure { return tiles.Distances{Dim: dim} }

func (transE) DefineHop(_ structure.Structure, state []float64, relations [][]float64, transposed bool) []float64 {
	after := make([]float64, len(state))
	for i, x := range state {
		after[i] = x + float64(sign(transposed))*relations[0][i]
	}
	return after
}

func (transE) DefineScore(query, row []float64) (score float64) {
	for i, x := range row {
		score -= math.Abs(x - query[i])
	}
	return score
}

// shift is q + r, and q - r through the transpose.
type shift struct{ kernels *kernel.Set }

func (h shift) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	copy(first(to, n), first(from, n))
	h.kernels.ScaleAdd(first(to, n), first(relations[0], n), sign(transposed))
}

func (h shift) Back(gradient, _ kernel.Table, _ []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool) {
	h.kernels.ScaleAdd(first(gradFrom, n), first(gradient, n), 1)
	h.kernels.ScaleAdd(first(gradRelations[0], n), first(gradient, n), sign(transposed))
}
