package structure

import (
	"math/rand/v2"
	"testing"
)

// BenchmarkCandidate measures what a search computes for each candidate with eight chunks: the
// filter's two tests, and the predictor's features.
func BenchmarkCandidate(b *testing.B) {
	random := rand.New(rand.NewPCG(1, 8))
	latin := Zero(MaxK)
	for i := range MaxK {
		for j := range MaxK {
			latin = latin.With(i, j, (i+j)%MaxK+1)
		}
	}
	structures := map[string][]Structure{"latin": {latin}}
	for _, model := range BaselinesWith(MaxK) {
		structures[model.Name] = []Structure{model.Structure}
	}
	for name, nonzeros := range map[string]int{"8 cells": 8, "16 cells": 16, "32 cells": 32} {
		for range 100 {
			structures[name] = append(structures[name], withNonzeros(random, MaxK, nonzeros))
		}
	}
	for range 100 {
		structures["all cells"] = append(structures["all cells"], withNonzeros(random, MaxK, 64))
		structures["two mutations of bique"] = append(structures["two mutations of bique"],
			MustParse("bique").With(random.IntN(MaxK), random.IntN(MaxK), random.IntN(17)-8).
				With(random.IntN(MaxK), random.IntN(MaxK), random.IntN(17)-8))
	}
	for name, all := range structures {
		b.Run(name, func(b *testing.B) {
			for n := 0; b.Loop(); n++ {
				s := all[n%len(all)]
				s.Degenerate()
				s.Canonical(Full)
				s.SRF()
			}
		})
	}
}

// withNonzeros draws a structure with a number of nonzeros, each in a random cell.
func withNonzeros(random *rand.Rand, k, nonzeros int) Structure {
	s := Zero(k)
	for _, cell := range random.Perm(k * k)[:nonzeros] {
		s = s.With(cell/k, cell%k, (random.IntN(k)+1)*(1-2*random.IntN(2)))
	}
	return s
}
