package search

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search/controller"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Reinforce has an LSTM write the entries row by row and reinforces it by the
// score of what it wrote, 0 where training failed (paper, Section V-A,
// ablation 1; Zoph and Le 2017). It reads the trials of all earlier rounds again
// each time. The filter takes away from what the LSTM writes, which its gradient
// knows nothing of.
type Reinforce struct{}

const (
	// policyStream: the first weights are the same in all rounds.
	policyStream = 1 << 62
	// reinforceBatch structures are drawn at once.
	reinforceBatch = 32
	// reinforceMisses is how many in a row may fail the filter; then the policy has
	// settled on what is known.
	reinforceMisses = 64 * reinforceBatch
)

// Name is "reinforce".
func (Reinforce) Name() string { return "reinforce" }

// Propose implements [Strategy].
func (Reinforce) Propose(s Settings, _ int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error) {
	policy, err := reinforced(s, history)
	if err != nil {
		return Proposal{}, err
	}
	sieve := newSieve(s.Filter, history)
	want = min(want, s.P)
	var p Proposal
	for misses := 0; len(p.Structures) < want && misses < reinforceMisses; {
		drawn, err := policy.Sample(reinforceBatch, rng)
		if err != nil {
			return Proposal{}, err
		}
		for _, symbols := range drawn {
			a := fromEntries(s.K, func(cell int) int { return symbols[cell] - s.K })
			if misses++; sieve.pass(a) {
				p.Structures, misses = append(p.Structures, a), 0
			}
			if len(p.Structures) == want {
				break
			}
		}
	}
	if len(p.Structures) == 0 {
		p.Why = fmt.Sprintf("%d structures in a row that the LSTM wrote were not new", reinforceMisses)
	}
	return p, nil
}

// reinforced is the policy after the rounds of the history.
func reinforced(s Settings, history []task.Trial) (*controller.Controller, error) {
	policy := controller.New(s.K*s.K, 2*s.K+1, rand.New(rand.NewPCG(s.Seed, policyStream)))
	var written [][]int
	var rewards []float64
	for i, t := range history {
		symbols := make([]int, s.K*s.K)
		for cell := range symbols {
			symbols[cell] = t.Structure.At(cell/s.K, cell%s.K) + s.K
		}
		written, rewards = append(written, symbols), append(rewards, t.ScoreOrZero())
		if i+1 < len(history) && history[i+1].Round == t.Round {
			continue
		}
		if err := policy.Learn(written, rewards); err != nil {
			return nil, err
		}
		written, rewards = nil, nil
	}
	return policy, nil
}
