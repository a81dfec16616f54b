package form

import (
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// rotatE scores by -‖e - e0 ∘ exp(i(r1 + … + rL))‖, the sum of the moduli of d/2 complex
// numbers, whose real parts are the first half of a row, and whose imaginary parts the
// second (Sun et al., 2019). An odd last number is not turned.
type rotatE struct{}

func (rotatE) Name() string { return "rotate" }

func (f rotatE) Structure(asked structure.Structure) (structure.Structure, error) {
	return none(f.Name(), asked)
}

// Tables has an angle for each complex number.
func (rotatE) Tables(dim int) []Table {
	return []Table{{Name: Relations, Rows: 1, Columns: max(1, dim/2), Draw: func(rng *rand.Rand, _ int, _ float64) float64 {
		return math.Pi * (2*rng.Float64() - 1)
	}}}
}

func (rotatE) Hop(_ *kernel.Set, _ structure.Structure, dim int) Hop { return turn{dim / 2} }

func (rotatE) Measure(dim int) tiles.Measure { return tiles.Pairwise{Pair: moduli{dim}} }

func (rotatE) DefineHop(_ structure.Structure, state []float64, relations [][]float64, transposed bool) []float64 {
	after, half := append([]float64(nil), state...), len(state)/2
	for i := range half {
		sin, cos := math.Sincos(float64(sign(transposed)) * relations[0][i])
		after[i], after[half+i] = cos*state[i]-sin*state[half+i], sin*state[i]+cos*state[half+i]
	}
	return after
}

func (rotatE) DefineScore(query, row []float64) (score float64) {
	half := len(row) / 2
	for i := range half {
		score -= math.Hypot(row[i]-query[i], row[half+i]-query[half+i])
	}
	if last := len(row) - 1; last == 2*half {
		score -= math.Abs(row[last] - query[last])
	}
	return score
}

// turn turns complex numbers by angles, and back through the transpose.
type turn struct{ half int }

func (h turn) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	copy(first(to, n), first(from, n))
	for path := range n {
		x, y, angles := tiles.WholeRow(from, path), tiles.WholeRow(to, path), tiles.WholeRow(relations[0], path)
		for i := range h.half {
			sin, cos := sincos(angles[i], transposed)
			y[i], y[h.half+i] = cos*x[i]-sin*x[h.half+i], sin*x[i]+cos*x[h.half+i]
		}
	}
}

func (h turn) Back(gradient, from kernel.Table, relations []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool) {
	for path := range n {
		g, x, angles := tiles.WholeRow(gradient, path), tiles.WholeRow(from, path), tiles.WholeRow(relations[0], path)
		gradX, gradAngles := tiles.WholeRow(gradFrom, path), tiles.WholeRow(gradRelations[0], path)
		for i := range h.half {
			sin, cos := sincos(angles[i], transposed)
			re, im, gRe, gIm := x[i], x[h.half+i], g[i], g[h.half+i]
			gradX[i] += cos*gRe + sin*gIm
			gradX[h.half+i] += cos*gIm - sin*gRe
			gradAngles[i] += sign(transposed) * (gIm*(cos*re-sin*im) - gRe*(sin*re+cos*im))
		}
		for i := 2 * h.half; i < len(x); i++ {
			gradX[i] += g[i]
		}
	}
}

func sincos(angle float32, transposed bool) (sin, cos float32) {
	s, c := math.Sincos(float64(sign(transposed) * angle))
	return float32(s), float32(c)
}

// moduli are the sums of moduli of differences, taken from 0.
type moduli struct{ dim int }

// Score implements [tiles.Pair].
func (m moduli) Score(query, row []float32) (score float64) {
	half := m.dim / 2
	for i := range half {
		re, im := row[i]-query[i], row[half+i]-query[half+i]
		score -= math.Sqrt(float64(re*re + im*im))
	}
	for i := 2 * half; i < m.dim; i++ {
		score -= math.Abs(float64(row[i] - query[i]))
	}
	return score
}

// AddGradQuery implements [tiles.Pair].
func (m moduli) AddGradQuery(_ *kernel.Set, gradient, query, row []float32, slope float32) {
	half := m.dim / 2
	for i := range half {
		re, im := row[i]-query[i], row[half+i]-query[half+i]
		if modulus := float32(math.Sqrt(float64(re*re + im*im))); modulus > 0 {
			gradient[i] += slope * re / modulus
			gradient[half+i] += slope * im / modulus
		}
	}
	for i := 2 * half; i < m.dim; i++ {
		if d := row[i] - query[i]; d > 0 {
			gradient[i] += slope
		} else if d < 0 {
			gradient[i] -= slope
		}
	}
}

// AddGradRow implements [tiles.Pair].
func (m moduli) AddGradRow(k *kernel.Set, gradient, query, row []float32, slope float32) {
	m.AddGradQuery(k, gradient, query, row, -slope)
}
