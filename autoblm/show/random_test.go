package show

import (
	"math/rand/v2"
	"testing"
)

// TestRandomStructure checks the numbers of nonzeros, and that all places and values occur.
func TestRandomStructure(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	seen := map[[3]int]bool{}
	for range 2000 {
		s := RandomStructure(rng, 3, 4)
		if s.Nonzeros() != 4 {
			t.Fatalf("%v has %d nonzeros, want 4", s, s.Nonzeros())
		}
		for i := range 3 {
			for j := range 3 {
				seen[[3]int{i, j, s.At(i, j)}] = true
			}
		}
	}
	if len(seen) != 3*3*7 {
		t.Errorf("%d places and values occur, want %d", len(seen), 3*3*7)
	}
}
