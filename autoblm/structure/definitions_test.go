package structure

import (
	"math"
	"math/cmplx"
	"testing"

	"pgregory.net/rapid"
)

// TestHolE compares the structure with HolE's rᵀ(h ⋆ t), where the circular correlation has
// Σ_i h_i t_{i+k} at coordinate k (Nickel et al., 2016). Its model has discrete
// Fourier transforms for embeddings, and those of relations divided by the number of coordinates.
func TestHolE(t *testing.T) {
	hole := MustParse("hole")
	rapid.Check(t, func(t *rapid.T) {
		d := 2 * rapid.IntRange(1, 5).Draw(t, "half of the coordinates")
		embedding := anyEmbedding(d)
		h, r, tail := embedding.Draw(t, "head"), embedding.Draw(t, "relation"),
			embedding.Draw(t, "tail")
		want := 0.0
		for k := range d {
			for i := range d {
				want += r[k] * h[i] * tail[(i+k)%d]
			}
		}
		scaled := make([]float64, d)
		for i, x := range r {
			scaled[i] = x / float64(d)
		}
		got := hole.Score(transform(h), transform(scaled), transform(tail))
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("hole scores %v, its definition %v", got, want)
		}
	})
}

// transform returns the real parts of a discrete Fourier transform, and then its imaginary parts.
func transform(x []float64) []float64 {
	d := len(x)
	parts := make([]float64, 2*d)
	for k := range d {
		sum := complex(0, 0)
		for i, a := range x {
			sum += complex(a, 0) * cmplx.Exp(complex(0, -2*math.Pi*float64(i*k)/float64(d)))
		}
		parts[k], parts[d+k] = real(sum), imag(sum)
	}
	return parts
}

// TestCP compares structures with CP's Σ_i u_i r_i v_i, where u is the vector of the head as a head,
// and v that of the tail as a tail (Hitchcock, 1927; Lacroix et al., 2018). The name cp is
// CP with a vector of its own for the reverse of a relation, which asks for heads.
func TestCP(t *testing.T) {
	direct, both := MustParse("0,1;0,0"), MustParse("cp")
	rapid.Check(t, func(t *rapid.T) {
		width := 2 * rapid.IntRange(1, 4).Draw(t, "half of the width")
		vectors := anyEmbedding(width)
		draw := func(name string) []float64 { return vectors.Draw(t, name) }
		headAsHead, headAsTail, r := draw("head as head"), draw("head as tail"), draw("relation")
		tailAsHead, tailAsTail, reverse := draw("tail as head"), draw("tail as tail"), draw("reverse")
		forward, backward := 0.0, 0.0
		for i := range width {
			forward += headAsHead[i] * r[i] * tailAsTail[i]
			backward += tailAsHead[i] * reverse[i] * headAsTail[i]
		}
		join := func(a, b []float64) []float64 { return append(append([]float64(nil), a...), b...) }
		h, tail := join(headAsHead, headAsTail), join(tailAsHead, tailAsTail)
		if got := direct.Score(h, join(r, reverse), tail); got != forward {
			t.Errorf("%s scores %v, its definition %v", direct, got, forward)
		}
		got, want := both.Score(h, join(r, reverse), tail), forward+backward
		if math.Abs(got-want) > 1e-9*(1+math.Abs(want)) {
			t.Errorf("cp scores %v, its definition %v", got, want)
		}
	})
}
