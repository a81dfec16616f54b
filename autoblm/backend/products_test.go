package backend

import (
	"testing"

	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// TestManyProducts runs independent products that are each divided among threads. Run at once,
// they can stop GoMLX's own backend for ever.
func TestManyProducts(t *testing.T) {
	b, err := Open(Go)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Finalize()
	products, err := graph.NewExec(b, func(x *graph.Node) *graph.Node {
		sum := graph.ReduceAllSum(x)
		for i := range 32 {
			y := graph.AddScalar(x, float64(i))
			sum = graph.Add(sum, graph.ReduceAllSum(graph.Einsum("bik,bjk->bij", y, y)))
		}
		return sum
	})
	if err != nil {
		t.Fatal(err)
	}
	x := tensors.FromShape(shapes.Make(dtypes.Float32, 90, 20, 8))
	for range 200 {
		if _, err := products.Call(x); err != nil {
			t.Fatal(err)
		}
	}
}
