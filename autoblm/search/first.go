package search

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// mostMisses is how many candidates in a row may fail the filter before a
// generator takes its classes for exhausted.
const mostMisses = 20_000

// collect draws candidates until limit of them have passed the sieve, or none
// has for too long. What came out is in the order of the draws.
func collect(limit int, s *sieve, draw func() structure.Structure) []structure.Structure {
	var passed []structure.Structure
	for misses := 0; len(passed) < limit && misses < mostMisses; misses++ {
		if candidate := draw(); s.pass(candidate) {
			passed = append(passed, candidate)
			misses = 0
		}
	}
	return passed
}

// firstRound proposes up to I random structures with b0 nonzeros, with which
// both algorithms of the paper begin, beside what is known.
func firstRound(s Settings, known []task.Trial, want int, rng *rand.Rand) Proposal {
	draw := func() structure.Structure { return randomStructure(s.K, s.firstNonzeros(), rng) }
	structures := collect(min(want, s.I), newSieve(s.Filter, known), draw)
	if len(structures) == 0 {
		return Proposal{Why: fmt.Sprintf("the filter lets no structure with %d nonzeros pass", s.firstNonzeros())}
	}
	return Proposal{Structures: structures}
}

// randomStructure has the given number of nonzeros. The first K of them stand
// in different rows and columns and have different values, with random signs:
// with b0 = K nonzeros all others are degenerate, and drawing cells and values
// at random, as Algorithm 3 is printed, would find one in 800 (K=4).
func randomStructure(k, nonzeros int, rng *rand.Rand) structure.Structure {
	a := structure.Zero(k)
	sign := func() int { return 1 - 2*rng.IntN(2) }
	columns, values := rng.Perm(k), rng.Perm(k)
	for row := range min(k, nonzeros) {
		a = a.With(row, columns[row], sign()*(values[row]+1))
	}
	for _, cell := range rng.Perm(k * k) {
		if a.Nonzeros() == nonzeros {
			break
		}
		if a.At(cell/k, cell%k) == 0 {
			a = a.With(cell/k, cell%k, sign()*(rng.IntN(k)+1))
		}
	}
	return a
}
