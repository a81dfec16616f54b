package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.TransH, arithmetic{
	newHop:     func(k *kernel.Set, _ structure.Structure, _ int) hop { return projection{k} },
	newMeasure: func(dim int) tiles.Measure { return tiles.NewHyperplanes(dim) },
})

// projection computes q - (wᵀq)w ± r, and w, from the first row of a state. A relation has the rows
// r and n, and w is n/‖n‖.
type projection struct{ kernels *kernel.Set }

func (h projection) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	for i := range n {
		after, w := tiles.PaddedRow(to, 2*i), tiles.PaddedRow(to, 2*i+1)
		x, normal := tiles.PaddedRow(from, 2*i), tiles.PaddedRow(relations[0], 2*i+1)
		h.kernels.ScaleAdd(w, normal, perNorm(normal))
		copy(after, x)
		h.kernels.ScaleAdd(after, w, -float32(tiles.Dot(w, x)))
		h.kernels.ScaleAdd(after, tiles.PaddedRow(relations[0], 2*i), negateIf(transposed))
	}
}

// Back uses the gradients g after the hop and v of w. Those of x and r are g - (wᵀg)w and ±g. To v
// the projection adds -(wᵀx)g - (wᵀg)x, and n has (v - (wᵀv)w)/‖n‖.
func (h projection) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	for i := range n {
		g, v := tiles.PaddedRow(gradient, 2*i), tiles.PaddedRow(gradient, 2*i+1)
		x, normal := tiles.PaddedRow(from, 2*i), tiles.PaddedRow(relations[0], 2*i+1)
		per := perNorm(normal)
		along := func(row []float32) float32 { return per * float32(tiles.Dot(normal, row)) }
		gAlong, xAlong := along(g), along(x)
		byX := tiles.PaddedRow(to.from, 2*i)
		h.kernels.ScaleAdd(byX, g, 1)
		h.kernels.ScaleAdd(byX, normal, -gAlong*per)
		h.kernels.ScaleAdd(tiles.PaddedRow(to.relations[0], 2*i), g, negateIf(transposed))

		vAlong := along(v) - 2*xAlong*gAlong
		byNormal := tiles.PaddedRow(to.relations[0], 2*i+1)
		h.kernels.ScaleAdd(byNormal, v, per)
		h.kernels.ScaleAdd(byNormal, g, -xAlong*per)
		h.kernels.ScaleAdd(byNormal, x, -gAlong*per)
		h.kernels.ScaleAdd(byNormal, normal, -vAlong*per*per)
	}
}

// perNorm returns 1/‖x‖, or 0 if x is 0.
func perNorm(x []float32) float32 {
	if squares := tiles.Dot(x, x); squares > 0 {
		return float32(1 / math.Sqrt(squares))
	}
	return 0
}
