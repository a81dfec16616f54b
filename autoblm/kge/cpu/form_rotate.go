package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.RotatE, arithmetic{
	newHop:     func(_ *kernel.Set, _ structure.Structure, dim int) hop { return rotation{dim / 2} },
	newMeasure: func(dim int) tiles.Measure { return tiles.Moduli{Half: dim / 2} },
})

// rotation turns complex numbers by angles, and by their negatives through the transpose.
type rotation struct{ half int }

func (h rotation) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	copy(first(to, n), first(from, n))
	for path := range n {
		x, y := tiles.PaddedRow(from, path), tiles.PaddedRow(to, path)
		angles := tiles.PaddedRow(relations[0], path)
		for i := range h.half {
			sin, cos := sincos(angles[i], transposed)
			y[i], y[h.half+i] = cos*x[i]-sin*x[h.half+i], sin*x[i]+cos*x[h.half+i]
		}
	}
}

func (h rotation) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	for path := range n {
		g, x := tiles.PaddedRow(gradient, path), tiles.PaddedRow(from, path)
		angles := tiles.PaddedRow(relations[0], path)
		gradX, gradAngles := tiles.PaddedRow(to.from, path), tiles.PaddedRow(to.relations[0], path)
		for i := range h.half {
			sin, cos := sincos(angles[i], transposed)
			re, im, gRe, gIm := x[i], x[h.half+i], g[i], g[h.half+i]
			gradX[i] += cos*gRe + sin*gIm
			gradX[h.half+i] += cos*gIm - sin*gRe
			gradAngles[i] += negateIf(transposed) * (gIm*(cos*re-sin*im) - gRe*(sin*re+cos*im))
		}
	}
}

func sincos(angle float32, transposed bool) (sin, cos float32) {
	s, c := math.Sincos(float64(negateIf(transposed) * angle))
	return float32(s), float32(c)
}
