package strategy

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Progressive is AutoBLM (paper, Algorithm 3): each round adds one nonzero to the best structures
// of the previous round. A search has at most K²-b0+1 rounds and may end below its budget. With
// messages, the nonzero is in the structure or in that of the messages.
type Progressive struct{}

// Name returns "autoblm".
func (Progressive) Name() string { return "autoblm" }

// Propose implements [Strategy].
func (Progressive) Propose(
	o Options, round int, history []task.Trial, want int, rng *rand.Rand,
) (Proposal, error) {
	if round == 1 {
		return firstRound(o, history, want, rng), nil
	}
	nonzeros := o.firstNonzeros() + round - 1
	if o.Messages {
		nonzeros += o.firstNonzeros()
	}
	if nonzeros > o.cells() {
		return Proposal{Reason: fmt.Sprintf("all %d cells of the matrix are filled", o.cells())}, nil
	}
	var parents []task.Trial
	for _, t := range task.BestFirst(history) {
		if pairOf(o, t).nonzeros() == nonzeros-1 {
			parents = append(parents, t)
		}
	}
	if len(parents) == 0 {
		return Proposal{Reason: fmt.Sprintf(
			"no structure with %d nonzeros finished training", nonzeros-1)}, nil
	}
	parents = parents[:min(o.Parents, len(parents))]
	candidates := extensions(o, parents, newSieve(o, history), rng)
	if len(candidates) == 0 {
		return Proposal{Reason: fmt.Sprintf(
			"no new structure with %d nonzeros extends the best ones", nonzeros)}, nil
	}
	return pick(o, history, candidates, want, rng)
}

// extensions returns up to o.Candidates structures with one more nonzero than a parent, in random
// order. It tries all of them; there are at most I·K²·2K, and twice as many with messages.
func extensions(
	o Options, parents []task.Trial, sieve *sieve, rng *rand.Rand,
) []pair {
	var all []pair
	for _, p := range pairs(o, parents) {
		for cell := range o.cells() {
			if p.at(cell) != 0 {
				continue
			}
			for value := 1; value <= o.K; value++ {
				all = append(all, p.with(cell, value), p.with(cell, -value))
			}
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var passed []pair
	for _, candidate := range all {
		if len(passed) == o.Candidates {
			break
		}
		if sieve.pass(candidate) {
			passed = append(passed, candidate)
		}
	}
	return passed
}
