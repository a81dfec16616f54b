package correlation_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/internal/correlation"
)

// TestSpearman has a case from Wikipedia (IQ and hours of television), -29/165, and one computed
// by hand from the ranks 1.5, 1.5, 3 and 4.
func TestSpearman(t *testing.T) {
	for _, c := range []struct {
		x, y []float64
		want float64
	}{
		{[]float64{1, 2, 30}, []float64{-1, 5, 5.5}, 1},
		{
			[]float64{106, 100, 86, 101, 99, 103, 97, 113, 112, 110},
			[]float64{7, 27, 2, 50, 28, 29, 20, 12, 6, 17}, -29.0 / 165,
		},
		{[]float64{1, 1, 2, 3}, []float64{4, 3, 2, 1}, -4.5 / math.Sqrt(4.5*5)},
		{[]float64{2, 1}, []float64{1, 2}, -1},
	} {
		if got := correlation.Spearman(c.x, c.y); math.Abs(got-c.want) > 1e-12 {
			t.Errorf("Spearman(%v, %v) = %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if got := correlation.Spearman([]float64{1, 1}, []float64{1, 2}); !math.IsNaN(got) {
		t.Errorf("a constant list correlates: %v", got)
	}
}
