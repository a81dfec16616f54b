package surrogate

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"pgregory.net/rapid"
)

// TestDistinctKeepsTheSquareError checks that the errors over all structures and over the
// distinct ones differ by a constant, for any outputs that depend on the features only.
func TestDistinctKeepsTheSquareError(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		features := rapid.SampledFrom([]Features{SRF, OneHot}).Draw(t, "features")
		n := rapid.IntRange(1, 30).Draw(t, "n")
		structures, scores := make([]structure.Structure, n), make([]float64, n)
		for i := range structures {
			structures[i] = structure.Zero(2).With(0, 0, rapid.IntRange(-2, 2).Draw(t, "first")).With(1, 0,
				rapid.IntRange(-1, 1).Draw(t, "second"))
			scores[i] = rapid.Float64Range(-1, 1).Draw(t, "score")
		}
		given := features.of(structures, nil)
		kept, means, shares := distinct(given, scores)
		difference := func(output func(features []uint8) float64) float64 {
			square := func(x float64) float64 { return x * x }
			all, distinct, total := 0.0, 0.0, 0.0
			for i, s := range given {
				all += square(output(s)-scores[i]) / float64(n)
			}
			for i, s := range kept {
				distinct += shares[i] * square(output(s)-means[i])
				total += shares[i]
			}
			if math.Abs(total-1) > 1e-12 {
				t.Fatalf("the shares sum to %v", total)
			}
			return all - distinct
		}
		constant := difference(func([]uint8) float64 { return 0 })
		other := difference(func(features []uint8) float64 {
			sum := 0.0
			for i, x := range features {
				sum += float64(x) * math.Sin(float64(i+1))
			}
			return sum
		})
		if math.Abs(constant-other) > 1e-9 {
			t.Fatalf("the errors differ by %v for outputs of 0 and by %v for others", constant, other)
		}
		seen := map[string]bool{}
		for _, features := range kept {
			if seen[string(features)] {
				t.Fatalf("%v are kept twice", features)
			}
			seen[string(features)] = true
		}
	})
}
