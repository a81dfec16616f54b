package classify

import (
	"math"
	"slices"
	"testing"
)

// TestDropoutShare checks the share of dropped coordinates, in each row and each coordinate, and
// that the mean is kept.
func TestDropoutShare(t *testing.T) {
	const rows, d = 600, 20
	for _, share := range []float64{0, 0.1, 0.5} {
		mask := make([]float32, rows*d)
		Member{Dropout: share, Seed: 7}.DropoutMask(mask, integers[int32](0, rows), 3, 1)
		near := func(what string, from, step, of int) {
			t.Helper()
			dropped, sum := 0, 0.0
			for i := range of {
				v := mask[from+i*step]
				sum += float64(v)
				if v == 0 {
					dropped++
				}
			}
			bound := 5 * math.Sqrt(float64(of)*share*(1-share))
			if math.Abs(float64(dropped)-share*float64(of)) > bound {
				t.Errorf("share %v, %s: %d of %d are dropped", share, what, dropped, of)
			}
			if math.Abs(sum-float64(of)) > bound/(1-share)+1e-3 {
				t.Errorf("share %v, %s: the mean is %v", share, what, sum/float64(of))
			}
		}
		near("all", 0, 1, rows*d)
		for row := range rows {
			near("a row", row*d, 1, d)
		}
		for c := range d {
			near("a coordinate", c, d, rows)
		}
	}
}

// TestDropoutOfNode checks that the mask of a node depends on the node, the seed, the step and the
// layer only.
func TestDropoutOfNode(t *testing.T) {
	const d = 6
	mask := func(nodes []int32, seed uint64, step, layer int) []float32 {
		x := make([]float32, len(nodes)*d)
		Member{Dropout: 0.5, Seed: seed}.DropoutMask(x, nodes, step, layer)
		return x
	}
	all := mask(integers[int32](0, 100), 1, 1, 0)
	for node := range 100 {
		if !slices.Equal(mask([]int32{int32(node)}, 1, 1, 0), all[node*d:][:d]) {
			t.Errorf("node %d loses other coordinates alone than among others", node)
		}
	}
	for what, other := range map[string][]float32{"seed": mask(integers[int32](0, 100), 2, 1, 0),
		"step": mask(integers[int32](0, 100), 1, 2, 0), "layer": mask(integers[int32](0, 100), 1, 1, 1)} {
		if slices.Equal(all, other) {
			t.Errorf("another %s drops the same", what)
		}
	}
}
