package strategy

import (
	"fmt"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/search/controller"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Reinforce trains an LSTM that writes the entries row by row; the reward is the score, 0 for a
// failed trial (paper, Section V-A, ablation 1; Zoph and Le 2017). Each proposal replays all
// earlier rounds. The gradient ignores the filter.
type Reinforce struct{}

const (
	// policyStream makes the initial weights equal in all rounds.
	policyStream = 1 << 62
	// reinforceBatch structures are sampled at once.
	reinforceBatch = 32
	// reinforceMisses consecutive rejected structures mean that the policy has converged on
	// known ones.
	reinforceMisses = 64 * reinforceBatch
)

// Name returns "reinforce".
func (Reinforce) Name() string { return "reinforce" }

// Propose implements [Strategy].
func (Reinforce) Propose(
	o Options, _ int, history []task.Trial, want int, rng *rand.Rand,
) (Proposal, error) {
	policy, err := trainPolicy(o, history)
	if err != nil {
		return Proposal{}, err
	}
	sieve := newSieve(o, history)
	want = min(want, o.RoundSize)
	var chosen []pair
	for misses := 0; len(chosen) < want && misses < reinforceMisses; {
		samples, err := policy.Sample(reinforceBatch, rng)
		if err != nil {
			return Proposal{}, err
		}
		for _, symbols := range samples {
			first := 0
			candidate := drawPair(o, func() structure.Structure {
				a := fromEntries(o.K, func(cell int) int { return symbols[first+cell] - o.K })
				first += o.K * o.K
				return a
			})
			if misses++; sieve.pass(candidate) {
				chosen, misses = append(chosen, candidate), 0
			}
			if len(chosen) == want {
				break
			}
		}
	}
	p := proposalOf(chosen)
	if len(p.Structures) == 0 {
		p.Reason = fmt.Sprintf("%d structures in a row from the LSTM were not new", reinforceMisses)
	}
	return p, nil
}

// trainPolicy trains the policy on the rounds of the history.
func trainPolicy(o Options, history []task.Trial) (*controller.Controller, error) {
	policy := controller.New(o.cells(), 2*o.K+1, rand.New(rand.NewPCG(o.Seed, policyStream)))
	var samples [][]int
	var rewards []float64
	for i, t := range history {
		symbols, p := make([]int, o.cells()), pairOf(o, t)
		for cell := range symbols {
			symbols[cell] = p.at(cell) + o.K
		}
		samples, rewards = append(samples, symbols), append(rewards, t.ScoreOrZero())
		if i+1 < len(history) && history[i+1].Round == t.Round {
			continue
		}
		if err := policy.Learn(samples, rewards); err != nil {
			return nil, err
		}
		samples, rewards = nil, nil
	}
	return policy, nil
}
