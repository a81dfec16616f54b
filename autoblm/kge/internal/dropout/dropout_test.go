package dropout

import (
	"math"
	"math/bits"
	"testing"

	"pgregory.net/rapid"
)

// TestShare checks the share of dropped coordinates in every query and every coordinate, within
// four standard deviations.
func TestShare(t *testing.T) {
	const queries, dim = 512, 128
	for _, share := range []float64{0, 0.1, 0.5, 0.9} {
		for step := range 3 {
			key := Key(7, step+1)
			byQuery, byCoordinate, all := make([]int, queries), make([]int, dim), 0
			for q := range queries {
				for c := range dim {
					if Dropped(key, q, c, dim, share) {
						byQuery[q]++
						byCoordinate[c]++
						all++
					}
				}
			}
			near := func(what string, got, of int, deviations float64) {
				t.Helper()
				if off := math.Abs(float64(got) - share*float64(of)); off > deviations*math.Sqrt(float64(of)*share*(1-share)) {
					t.Errorf("share %v, step %d, %s: %d of %d are dropped", share, step, what, got, of)
				}
			}
			near("all", all, queries*dim, 4)
			for _, n := range byQuery {
				near("a query", n, dim, 5)
			}
			for _, n := range byCoordinate {
				near("a coordinate", n, queries, 5)
			}
		}
	}
}

// TestKeys checks that neighbouring seeds and steps have independent keys.
func TestKeys(t *testing.T) {
	seen := map[uint32]bool{}
	for seed := range uint64(100) {
		for step := 1; step <= 100; step++ {
			seen[Key(seed, step)] = true
			seen[Key(seed<<32, step)] = true
		}
	}
	if len(seen) < 19_890 { // 19,900 pairs differ; a collision or two is chance
		t.Errorf("%d different keys of 19,900", len(seen))
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Uint32().Draw(t, "x")
		bit := rapid.IntRange(0, 31).Draw(t, "bit")
		if moved := bits.OnesCount32(Scramble(x) ^ Scramble(x^1<<bit)); moved < 3 {
			t.Fatalf("a bit of %#x moves %d bits of the hash", x, moved)
		}
	})
}
