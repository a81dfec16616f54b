package strategy

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Random draws each entry independently and uniformly (paper, Section V-A, ablation 1). Only the
// filter changes that distribution.
type Random struct{}

// Name returns "random".
func (Random) Name() string { return "random" }

// Propose implements [Strategy].
func (Random) Propose(
	o Options, _ int, history []task.Trial, want int, rng *rand.Rand,
) (Proposal, error) {
	draw := func() structure.Structure {
		return fromEntries(o.K, func(int) int { return rng.IntN(2*o.K+1) - o.K })
	}
	candidates := collect(min(want, o.RoundSize), newSieve(o, history), func() pair {
		return drawPair(o, draw)
	})
	if len(candidates) == 0 {
		return Proposal{Reason: fmt.Sprintf("%d random structures in a row were not new", maxMisses)}, nil
	}
	return proposalOf(candidates), nil
}
