package strategy

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

// TPE is the tree-structured Parzen estimator (Bergstra et al., Algorithms for Hyper-Parameter
// Optimization, NeurIPS 2011; the paper's Bayes). Each entry is a categorical parameter. The
// constants come from hyperopt; the differences are:
//   - A round proposes several structures from one pair of estimates.
//   - A candidate is drawn and rated as a whole, by the sum of the log ratios of its entries;
//     hyperopt takes the best of 24 draws for each entry.
//   - Only candidates that pass the filter are compared.
//   - The prior counts as one trial in total, not one per value. Otherwise, with 2K+1 values and
//     two or three good trials, it would dominate the estimate.
//   - Old trials keep their weight.
type TPE struct{}

const (
	// tpeRandom is the number of random trials before the first estimate.
	tpeRandom = 20
	// The best ⌈tpeGood·√n⌉ of n trials are good, at most tpeMaxGood.
	tpeGood    = 0.25
	tpeMaxGood = 25
	// tpeCandidates are drawn for each proposed structure.
	tpeCandidates = 24
)

// Name returns "tpe".
func (TPE) Name() string { return "tpe" }

// Propose implements [Strategy].
func (TPE) Propose(
	o Options, round int, history []task.Trial, want int, rng *rand.Rand,
) (Proposal, error) {
	if len(history) < tpeRandom {
		return Random{}.Propose(o, round, history, want, rng)
	}
	good, bad := splitByScore(history)
	likely, unlikely := estimatePairs(o, good), estimatePairs(o, bad)
	logRatio := func(p pair) float64 { return likely.logProbability(p) - unlikely.logProbability(p) }
	known := newSieve(o, history)
	var chosen []pair
	for range min(want, o.RoundSize) {
		fresh := &sieve{filter: known.filter, block: known.block, seen: maps.Clone(known.seen)}
		candidates := collect(tpeCandidates, fresh, func() pair { return likely.draw(rng) })
		if len(candidates) == 0 {
			break
		}
		best := slices.MaxFunc(candidates, func(a, b pair) int {
			return cmp.Compare(logRatio(a), logRatio(b))
		})
		known.pass(best)
		chosen = append(chosen, best)
	}
	p := proposalOf(chosen)
	if len(p.Structures) == 0 {
		p.Reason = fmt.Sprintf("%d structures in a row from the estimate were not new", maxMisses)
	}
	return p, nil
}

// splitByScore divides trials into good and bad ones; failed trials score 0.
func splitByScore(trials []task.Trial) (good, bad []task.Trial) {
	sorted := slices.Clone(trials)
	slices.SortStableFunc(sorted, func(a, b task.Trial) int {
		return cmp.Compare(b.ScoreOrZero(), a.ScoreOrZero())
	})
	n := min(int(math.Ceil(tpeGood*math.Sqrt(float64(len(sorted))))), tpeMaxGood)
	return sorted[:n], sorted[n:]
}

// pairDistribution has the distributions of a structure and, with messages, of that of the messages.
type pairDistribution struct{ structure, message *entryDistribution }

func estimatePairs(o Options, trials []task.Trial) (d pairDistribution) {
	ofStructures := estimateEntries(o.K, trials)
	d.structure = &ofStructures
	if o.Messages {
		messages := slices.Clone(trials)
		for i, t := range trials {
			messages[i].Structure = t.Message()
		}
		ofMessages := estimateEntries(o.K, messages)
		d.message = &ofMessages
	}
	return d
}

func (d pairDistribution) logProbability(p pair) float64 {
	sum := d.structure.logProbability(p.structure)
	if d.message != nil {
		sum += d.message.logProbability(p.message)
	}
	return sum
}

func (d pairDistribution) draw(rng *rand.Rand) (p pair) {
	p.structure = d.structure.draw(rng)
	if d.message != nil {
		p.message = d.message.draw(rng)
	}
	return p
}

// entryDistribution has the probabilities of -K…K for each cell, row by row.
type entryDistribution struct {
	k             int
	probabilities [][]float64
}

// estimateEntries estimates the distribution of the entries of each cell. One additional trial,
// spread evenly over the entries, keeps all of them possible.
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
	return fromEntries(d.k, func(cell int) int { return DrawIndex(d.probabilities[cell], rng) - d.k })
}
