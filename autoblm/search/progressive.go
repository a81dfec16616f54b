package search

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Progressive is AutoBLM (paper, Algorithm 3): each round adds one nonzero to
// the best structures of the round before, so a search has K²-b0+1 rounds at
// most and may end below its budget.
type Progressive struct{}

// Name is "autoblm".
func (Progressive) Name() string { return "autoblm" }

// Propose implements [Strategy].
func (Progressive) Propose(s Settings, round int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error) {
	if round == 1 {
		return firstRound(s, history, want, rng), nil
	}
	nonzeros := s.firstNonzeros() + round - 1
	if nonzeros > s.K*s.K {
		return Proposal{Why: fmt.Sprintf("all %d cells of the matrix are filled", s.K*s.K)}, nil
	}
	var before []task.Trial
	for _, t := range bestFirst(history) {
		if t.Structure.Nonzeros() == nonzeros-1 {
			before = append(before, t)
		}
	}
	if len(before) == 0 {
		return Proposal{Why: fmt.Sprintf("no structure with %d nonzeros was trained to its end", nonzeros-1)}, nil
	}
	candidates := extensions(s, before[:min(s.I, len(before))], newSieve(s.Filter, history), rng)
	if len(candidates) == 0 {
		return Proposal{Why: fmt.Sprintf("no new structure with %d nonzeros extends the best ones", nonzeros)}, nil
	}
	return pick(s, history, candidates, want, rng)
}

// extensions lists up to N structures that have one more nonzero than a
// parent, in random order. There are at most I·K²·2K, so all can be tried.
func extensions(s Settings, parents []task.Trial, sieve *sieve, rng *rand.Rand) []structure.Structure {
	var all []structure.Structure
	for _, parent := range parents {
		for cell := range s.K * s.K {
			row, column := cell/s.K, cell%s.K
			if parent.Structure.At(row, column) != 0 {
				continue
			}
			for value := 1; value <= s.K; value++ {
				all = append(all, parent.Structure.With(row, column, value), parent.Structure.With(row, column, -value))
			}
		}
	}
	rng.Shuffle(len(all), func(i, j int) { all[i], all[j] = all[j], all[i] })
	var passed []structure.Structure
	for _, candidate := range all {
		if len(passed) == s.N {
			break
		}
		if sieve.pass(candidate) {
			passed = append(passed, candidate)
		}
	}
	return passed
}
