package search

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Evolutionary is AutoBLM+ (paper, Algorithm 4): each round mutates and
// crosses the I best structures found so far.
type Evolutionary struct{}

// Name is "autoblm+".
func (Evolutionary) Name() string { return "autoblm+" }

// Propose implements [Strategy].
func (Evolutionary) Propose(s Settings, round int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error) {
	if round == 1 {
		return firstRound(s, history, want, rng), nil
	}
	parents := bestFirst(history)
	if len(parents) == 0 {
		return Proposal{Why: "no structure was trained to its end"}, nil
	}
	parents = parents[:min(s.I, len(parents))]
	parent := func() structure.Structure { return parents[rng.IntN(len(parents))].Structure }
	candidates := collect(s.N, newSieve(s.Filter, history), func() structure.Structure {
		if rng.IntN(2) == 0 {
			return crossover(parent(), parent(), rng)
		}
		return mutate(parent(), s.mutationRate(), rng)
	})
	if len(candidates) == 0 {
		return Proposal{Why: fmt.Sprintf("%d mutations and crossovers in a row gave no new structure", mostMisses)}, nil
	}
	return pick(s, history, candidates, want, rng)
}

// mutate changes each entry with the given probability to another value, each
// of the 2K others equally likely.
func mutate(a structure.Structure, rate float64, rng *rand.Rand) structure.Structure {
	k := a.K()
	for cell := range k * k {
		if rng.Float64() >= rate {
			continue
		}
		row, column := cell/k, cell%k
		value := rng.IntN(2*k) - k
		if value >= a.At(row, column) {
			value++
		}
		a = a.With(row, column, value)
	}
	return a
}

// crossover takes each entry from one of the two, equally likely.
func crossover(a, b structure.Structure, rng *rand.Rand) structure.Structure {
	k := a.K()
	for cell := range k * k {
		if rng.IntN(2) == 0 {
			a = a.With(cell/k, cell%k, b.At(cell/k, cell%k))
		}
	}
	return a
}
