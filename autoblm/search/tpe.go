package search

import (
	"cmp"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// TPE is the tree-structured Parzen estimator (Bergstra et al., Algorithms for
// Hyper-Parameter Optimization, NeurIPS 2011; the paper's Bayes), with each entry
// a categorical parameter and the constants of hyperopt. What differs from
// hyperopt:
//   - A round proposes P structures from one pair of estimates.
//   - A candidate is drawn and judged as a whole, by the sum of its entries' log
//     ratios; hyperopt takes the best of 24 draws for each entry.
//   - Only candidates that pass the filter are compared.
//   - The prior counts as one trial in all, not as one of each entry, which with
//     2K+1 entries and two or three good trials would leave little to learn.
//   - Old trials do not fade.
type TPE struct{}

const (
	// tpeRandom is how many trials there must be before any is learnt from.
	tpeRandom = 20
	// The best ⌈tpeGood·√n⌉ of n trials are good, at most tpeMostGood.
	tpeGood     = 0.25
	tpeMostGood = 25
	// tpeCandidates are drawn for each proposal.
	tpeCandidates = 24
)

// Name is "tpe".
func (TPE) Name() string { return "tpe" }

// Propose implements [Strategy].
func (TPE) Propose(s Settings, round int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error) {
	if len(history) < tpeRandom {
		return Random{}.Propose(s, round, history, want, rng)
	}
	good, bad := goodAndBad(history)
	likely, unlikely := estimateEntries(s.K, good), estimateEntries(s.K, bad)
	ratio := func(a structure.Structure) float64 { return likely.logProbability(a) - unlikely.logProbability(a) }
	known := newSieve(s.Filter, history)
	var p Proposal
	for range min(want, s.P) {
		fresh := &sieve{filter: known.filter, seen: maps.Clone(known.seen)}
		candidates := collect(tpeCandidates, fresh, func() structure.Structure { return likely.draw(rng) })
		if len(candidates) == 0 {
			break
		}
		best := slices.MaxFunc(candidates, func(a, b structure.Structure) int { return cmp.Compare(ratio(a), ratio(b)) })
		known.pass(best)
		p.Structures = append(p.Structures, best)
	}
	if len(p.Structures) == 0 {
		p.Why = fmt.Sprintf("%d structures in a row, drawn like the good ones, were not new", mostMisses)
	}
	return p, nil
}

// goodAndBad divides trials by their scores; failed ones have 0.
func goodAndBad(trials []task.Trial) (good, bad []task.Trial) {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b task.Trial) int { return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero()) })
	n := min(int(math.Ceil(tpeGood*math.Sqrt(float64(len(sorted))))), tpeMostGood)
	return sorted[:n], sorted[n:]
}

// entryDistribution has the probabilities of -K…K for each cell, row by row.
type entryDistribution struct {
	k             int
	probabilities [][]float64
}

// estimateEntries counts the entries of each cell. One trial more, spread evenly
// over the entries, leaves none impossible.
func estimateEntries(k int, trials []task.Trial) entryDistribution {
	values := 2*k + 1
	share := 1 / float64(len(trials)+1)
	d := entryDistribution{k: k}
	for cell := range k * k {
		probabilities := slices.Repeat([]float64{share / float64(values)}, values)
		for _, t := range trials {
			probabilities[t.Structure.At(cell/k, cell%k)+k] += share
		}
		d.probabilities = append(d.probabilities, probabilities)
	}
	return d
}

func (d entryDistribution) logProbability(a structure.Structure) float64 {
	sum := 0.0
	for cell, probabilities := range d.probabilities {
		sum += math.Log(probabilities[a.At(cell/d.k, cell%d.k)+d.k])
	}
	return sum
}

func (d entryDistribution) draw(rng *rand.Rand) structure.Structure {
	return fromEntries(d.k, func(cell int) int {
		left := rng.Float64()
		for i, probability := range d.probabilities[cell] {
			if left -= probability; left < 0 {
				return i - d.k
			}
		}
		return d.k // the probabilities add up to a little less than 1
	})
}
