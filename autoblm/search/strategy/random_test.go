package strategy

import (
	"math/rand/v2"
	"testing"

	"gonum.org/v1/gonum/stat/distuv"
)

// farFromUniform tests counts against equal probabilities.
func farFromUniform(counts []float64) bool {
	total, distance := 0.0, 0.0
	for _, n := range counts {
		total += n
	}
	expected := total / float64(len(counts))
	for _, n := range counts {
		distance += (n - expected) * (n - expected) / expected
	}
	return (distuv.ChiSquared{K: float64(len(counts) - 1)}).Survival(distance) < 1e-4
}

func TestRandomEntriesAreUniform(t *testing.T) {
	s := paperOptions()
	s.K, s.RoundSize, s.Filter = 3, 6000, NoFilter
	p, err := Random{}.Propose(s, 1, nil, s.RoundSize, rand.New(rand.NewPCG(1, 1)))
	if err != nil || len(p.Structures) != s.RoundSize {
		t.Fatalf("%d structures, %v", len(p.Structures), err)
	}
	pairs := make([]float64, 49) // of neighbours, which would show if cells depended on each other
	for cell := range 9 {
		counts := make([]float64, 7)
		for _, a := range p.Structures {
			counts[a.At(cell/3, cell%3)+3]++
		}
		if farFromUniform(counts) {
			t.Errorf("cell %d has the entries -3…3 so many times: %v", cell, counts)
		}
	}
	for _, a := range p.Structures {
		pairs[7*(a.At(1, 1)+3)+a.At(1, 2)+3]++
	}
	if farFromUniform(pairs) {
		t.Errorf("pairs of entries so many times: %v", pairs)
	}
}
