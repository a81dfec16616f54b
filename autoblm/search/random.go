package search

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Random draws each entry independently and uniformly (paper, Section V-A,
// ablation 1); only the filter makes its proposals differ from that.
type Random struct{}

// Name is "random".
func (Random) Name() string { return "random" }

// Propose implements [Strategy].
func (Random) Propose(s Settings, _ int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error) {
	structures := collect(min(want, s.P), newSieve(s.Filter, history), func() structure.Structure {
		return fromEntries(s.K, func(int) int { return rng.IntN(2*s.K+1) - s.K })
	})
	if len(structures) == 0 {
		return Proposal{Why: fmt.Sprintf("%d random structures in a row were not new", mostMisses)}, nil
	}
	return Proposal{Structures: structures}, nil
}

// fromEntries is the structure whose cells, row by row, have the given entries.
func fromEntries(k int, entry func(cell int) int) structure.Structure {
	a := structure.Zero(k)
	for cell := range k * k {
		a = a.With(cell/k, cell%k, entry(cell))
	}
	return a
}
