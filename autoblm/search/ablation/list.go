package ablation

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search/strategy"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// list is a strategy that proposes its structures in order, at most RoundSize per round. They must
// be distinct.
type list []structure.Structure

// Name includes a hash, so that a study is resumed only with the same list.
func (l list) Name() string {
	hash := fnv.New64a()
	for _, a := range l {
		fmt.Fprintln(hash, a)
	}
	return fmt.Sprintf("list %016x", hash.Sum64())
}

// Propose implements [strategy.Strategy].
func (l list) Propose(
	s strategy.Options, _ int, history []task.Trial, want int, _ *rand.Rand,
) (strategy.Proposal, error) {
	rest := l[len(history):]
	if len(rest) == 0 {
		why := fmt.Sprintf("all %d structures of the list are trained", len(l))
		return strategy.Proposal{Reason: why}, nil
	}
	return strategy.Proposal{Structures: rest[:min(len(rest), s.RoundSize, want)]}, nil
}
