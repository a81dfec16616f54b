package structure

import (
	"math"
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/floats"
)

// TestBiQUE compares the structure with the product of biquaternions, quaternions over the complex
// numbers, that defines it: the score is the sum over the eight real parts of (h ⊗ r)·t.
func TestBiQUE(t *testing.T) {
	s := MustParse("bique")
	if s.K() != 8 || s.Degenerate() || !s.FullyExpressive() || s.Name() != "bique" {
		t.Fatalf("%v: %d chunks, degenerate %v, fully expressive %v, name %q",
			s, s.K(), s.Degenerate(), s.FullyExpressive(), s.Name())
	}
	random := rand.New(rand.NewPCG(1, 1))
	const width = 3
	draw := func() []float64 {
		x := make([]float64, 8*width)
		for i := range x {
			x[i] = random.NormFloat64()
		}
		return x
	}
	for range 20 {
		h, r, tail := draw(), draw(), draw()
		want := 0.0
		for n := range width {
			product := hamilton(biquaternion(h, n, width), biquaternion(r, n, width))
			for i, x := range biquaternion(tail, n, width) {
				want += real(product[i])*real(x) + imag(product[i])*imag(x)
			}
		}
		if got := s.Score(h, r, tail); math.Abs(got-want) > 1e-9 {
			t.Fatalf("score %v, the product of biquaternions gives %v", got, want)
		}
	}
}

// biquaternion returns the coefficients of 1, i, j and k at a position. Chunks alternate between
// their real and imaginary parts.
func biquaternion(x []float64, position, width int) (q []complex128) {
	for i := range 4 {
		q = append(q, complex(x[2*i*width+position], x[(2*i+1)*width+position]))
	}
	return q
}

// TestBaselinesOfAnyK checks that a baseline has the same scores with any number of chunks.
func TestBaselinesOfAnyK(t *testing.T) {
	random := rand.New(rand.NewPCG(2, 2))
	vectors := make([][]float64, 3)
	for i := range vectors {
		for range 8 * 3 {
			vectors[i] = append(vectors[i], random.NormFloat64())
		}
	}
	h, r, tail := vectors[0], vectors[1], vectors[2]
	scores := map[string][]float64{}
	for _, k := range []int{1, 2, 4, 6, 8} {
		for _, model := range BaselinesWith(k) {
			scores[model.Name] = append(scores[model.Name], model.Structure.Score(h, r, tail))
			if got := model.Structure.Name(); got != model.Name {
				t.Errorf("%s with %d chunks has the name %q", model.Name, k, got)
			}
		}
	}
	for name, count := range map[string]int{
		"distmult": 5, "simple": 4, "complex": 4, "analogy": 2, "quate": 2, "bique": 1,
	} {
		same := scores[name]
		if len(same) != count || floats.Max(same)-floats.Min(same) > 1e-9 {
			t.Errorf("%s: scores %v, want %d equal ones", name, same, count)
		}
	}
}
