package strategy

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Evolutionary is AutoBLM+ (paper, Algorithm 4): each round mutates and crosses the best
// structures so far.
type Evolutionary struct{}

// Name returns "autoblm+".
func (Evolutionary) Name() string { return "autoblm+" }

// Propose implements [Strategy].
func (Evolutionary) Propose(
	o Options, round int, history []task.Trial, want int, rng *rand.Rand,
) (Proposal, error) {
	if round == 1 {
		return firstRound(o, history, want, rng), nil
	}
	parents := task.BestFirst(history)
	if len(parents) == 0 {
		return Proposal{Reason: "no structure finished training"}, nil
	}
	parents = parents[:min(o.Parents, len(parents))]
	parent := func() pair { return pairOf(o, parents[rng.IntN(len(parents))]) }
	candidates := collect(o.Candidates, newSieve(o, history), func() pair {
		if rng.IntN(2) == 0 {
			return crossPairs(o, parent(), parent(), rng)
		}
		return mutatePair(o, parent(), rng)
	})
	if len(candidates) == 0 {
		return Proposal{Reason: fmt.Sprintf(
			"%d mutations and crossovers in a row gave no new structure", maxMisses)}, nil
	}
	return pick(o, history, candidates, want, rng)
}

// mutate changes each entry with the given probability to one of the 2K other values, drawn
// uniformly.
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

// crossover takes each entry from one of two structures with equal probability.
func crossover(a, b structure.Structure, rng *rand.Rand) structure.Structure {
	k := a.K()
	for cell := range k * k {
		if rng.IntN(2) == 0 {
			a = a.With(cell/k, cell%k, b.At(cell/k, cell%k))
		}
	}
	return a
}
