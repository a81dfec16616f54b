package form

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"

	"gonum.org/v1/gonum/floats"
)

// TestConvENames checks that names with sizes are read as they are written, and that others are
// refused.
func TestConvENames(t *testing.T) {
	for name, want := range map[string]ConvE{
		"conve": DefaultConvE, "conve-8-16-2": {Height: 8, Filters: 16, Size: 2},
	} {
		var f Form
		if err := f.UnmarshalText([]byte(name)); err != nil || f.String() != name || f != want.Form() {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
	for _, name := range []string{"conve-", "conve-8", "conve-8-16", "conve-0-16-3", "conve-8-16-3-1",
		"conve-20-32-3", "conve-08-16-3", "conve-8-16-3-", "conve-normalized"} {
		var f Form
		if f.UnmarshalText([]byte(name)) == nil {
			t.Errorf("%s is read as %v", name, f)
		}
	}
	small := ConvE{Height: 4, Filters: 2, Size: 3}.Form()
	for dim, valid := range map[int]bool{12: true, 8: false, 13: false} {
		if err := small.CheckDim(dim); (err == nil) != valid {
			t.Errorf("dim %d: %v", dim, err)
		}
	}
	require.Error(t, DefaultConvE.Form().CheckDim(7), "multiple of 20, such as 60")
	require.Error(t, DefaultConvE.Form().CheckDim(20), "choose a dim of at least 60")
	require.Error(t, ConvE{Height: 1, Filters: 2, Size: 3}.Form().CheckDim(9), "choose other sizes")
	require.Error(t, small.UnmarshalText([]byte("conve-2")), "such as conve-8-32-3")
}

// TestConvEGradient compares the gradient of a head with difference quotients.
func TestConvEGradient(t *testing.T) {
	const dim = 12
	c := ConvE{Height: 4, Filters: 3, Size: 2}
	rng := rand.New(rand.NewPCG(1, 1))
	draw := func(n int) []float64 {
		x := make([]float64, n)
		for i := range x {
			x[i] = rng.NormFloat64()
		}
		return x
	}
	var globals [][]float32
	for _, table := range c.Form().Spec().Tables(dim)[1:] {
		numbers := make([]float32, table.Rows*table.Columns)
		for i := range numbers {
			numbers[i] = float32(table.Draw(rng, i/table.Columns, 1) + 0.1*rng.NormFloat64())
		}
		globals = append(globals, numbers)
	}
	head, relation, weights := draw(dim), draw(dim), draw(dim)
	got := c.AnchorGradient(head, relation, false, globals, weights)
	for i := range head {
		const width = 1e-6
		at := func(step float64) float64 {
			moved := append([]float64(nil), head...)
			moved[i] += step
			return floats.Dot(weights, c.Hops([][]float64{moved}, [][]float64{relation}, false, globals)[0])
		}
		want := (at(width) - at(-width)) / (2 * width)
		if math.Abs(got[i]-want) > 1e-6*max(1, math.Abs(want)) {
			t.Errorf("coordinate %d: %v, want %v", i, got[i], want)
		}
	}
	if floats.Norm(got, 2) == 0 {
		t.Error("all gradients are 0, so they were not tested")
	}
}
