package ablation

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// given is a strategy that proposes the structures of a list, no two of them the
// same, P at a time.
type given []structure.Structure

// Name tells one list from another, so that a study goes on with its own.
func (g given) Name() string {
	hash := fnv.New64a()
	for _, a := range g {
		fmt.Fprintln(hash, a)
	}
	return fmt.Sprintf("given %016x", hash.Sum64())
}

// Propose implements [search.Strategy].
func (g given) Propose(s search.Settings, _ int, history []task.Trial, want int, _ *rand.Rand) (search.Proposal, error) {
	rest := g[len(history):]
	if len(rest) == 0 {
		return search.Proposal{Why: fmt.Sprintf("all %d structures of the list are trained", len(g))}, nil
	}
	return search.Proposal{Structures: rest[:min(len(rest), s.P, want)]}, nil
}
