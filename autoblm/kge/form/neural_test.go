package form

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// TestHops checks that several hops, and none, are those of the definition.
func TestHops(t *testing.T) {
	const dim, hops = 16, 5
	for _, f := range []Form{
		ConvE{Height: 4, Filters: 3, Size: 2}.Form(), RSN, CellFB15k237.Form(),
		Cell{3, 4, 9, 1, 2, 1, 1, 1, 1, 1, 1}.Form(),
	} {
		rng := rand.New(rand.NewPCG(1, 1))
		draw := func(n int) []float64 {
			x := make([]float64, n)
			for i := range x {
				x[i] = float64(float32(rng.NormFloat64()))
			}
			return x
		}
		var globals [][]float32
		var wide [][]float64
		for _, table := range f.Spec().Tables(dim)[1:] {
			numbers := draw(table.Rows * table.Columns)
			wide = append(wide, numbers)
			globals = append(globals, make([]float32, len(numbers)))
			for i, x := range numbers {
				globals[len(globals)-1][i] = float32(x)
			}
		}
		relation := f.Spec().Tables(dim)[0]
		var anchors, relations [][]float64
		for range hops {
			anchors = append(anchors, draw(dim))
			relations = append(relations, draw(relation.Rows*relation.Columns))
		}
		neural, _ := f.Neural()
		if got := neural.Hops(nil, nil, false, globals); len(got) > 0 {
			t.Errorf("%v: %v without hops", f, got)
		}
		for _, transposed := range []bool{false, true} {
			for i, got := range neural.Hops(anchors, relations, transposed, globals) {
				rows := slices.Concat(relations[i:i+1], wide)
				want := f.Spec().DefineHop(structure.Structure{}, anchors[i], rows, transposed)
				if !slices.EqualFunc(got, want, func(x, y float64) bool {
					return math.Abs(x-y) <= 1e-12*max(1, math.Abs(y))
				}) {
					t.Errorf("%v, hop %d: %v, want %v", f, i, got, want)
				}
			}
		}
	}
}
