package strategy

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// maxMisses is the number of consecutive rejected candidates after which a generator gives up.
const maxMisses = 20_000

// collect draws candidates until limit of them pass the filter, or maxMisses in a row fail. It
// returns them in the order of the draws.
func collect(limit int, s *sieve, draw func() pair) []pair {
	var passed []pair
	for misses := 0; len(passed) < limit && misses < maxMisses; misses++ {
		if candidate := draw(); s.pass(candidate) {
			passed = append(passed, candidate)
			misses = 0
		}
	}
	return passed
}

// firstRound proposes up to o.Parents random structures with the initial number of nonzeros, as
// both algorithms of the paper begin.
func firstRound(o Options, history []task.Trial, want int, rng *rand.Rand) Proposal {
	draw := func() structure.Structure { return randomStructure(o.K, o.firstNonzeros(), rng) }
	candidates := collect(min(want, o.Parents), newSieve(o, history), func() pair {
		return drawPair(o, draw)
	})
	if len(candidates) == 0 {
		return Proposal{Reason: fmt.Sprintf(
			"the filter rejects all structures with %d nonzeros", o.firstNonzeros())}
	}
	return proposalOf(candidates)
}

func proposalOf(candidates []pair) (p Proposal) {
	p.Structures, p.Messages = structures(candidates)
	return p
}

// randomStructure draws a structure with a number of nonzeros. The first K of them are in
// different rows and columns and have different values, with random signs: with K nonzeros all
// other structures are degenerate, and drawing cells and values independently, as Algorithm 3
// does, would find one in 800 (K=4).
func randomStructure(k, nonzeros int, rng *rand.Rand) structure.Structure {
	a := structure.Zero(k)
	sign := func() int { return 1 - 2*rng.IntN(2) }
	columns, values := rng.Perm(k), rng.Perm(k)
	for row := range min(k, nonzeros) {
		a = a.With(row, columns[row], sign()*(values[row]+1))
	}
	for _, cell := range rng.Perm(k * k) {
		if a.Nonzeros() == nonzeros {
			break
		}
		if a.At(cell/k, cell%k) == 0 {
			a = a.With(cell/k, cell%k, sign()*(rng.IntN(k)+1))
		}
	}
	return a
}

// fromEntries returns the structure with the given entries, row by row.
func fromEntries(k int, entry func(cell int) int) structure.Structure {
	a := structure.Zero(k)
	for cell := range k * k {
		a = a.With(cell/k, cell%k, entry(cell))
	}
	return a
}

// predict fits the predictor to trials and returns the predicted scores of the candidates. It
// returns nil without a predictor or without trials.
func predict(
	o Options, trials []task.Trial, candidates []pair, seed uint64,
) ([]float64, error) {
	if o.Predictor == nil || len(trials) == 0 {
		return nil, nil
	}
	scores := make([]float64, len(trials))
	for i, t := range trials {
		scores[i] = t.ScoreOrZero()
	}
	tried, messages := structures(pairs(o, trials))
	fitted, err := surrogate.Fit(*o.Predictor, tried, scores, seed, messages...)
	if err != nil {
		return nil, err
	}
	all, messages := structures(candidates)
	return fitted.Predict(all, messages...)
}

// pick proposes the candidates with the highest predicted scores, or the first candidates if there
// are no predictions.
func pick(
	o Options, history []task.Trial, candidates []pair, want int, rng *rand.Rand,
) (Proposal, error) {
	seed := rng.Uint64()
	want = min(want, o.RoundSize, len(candidates))
	scores, err := predict(o, task.BestFirst(history), candidates, seed)
	if err != nil {
		return Proposal{}, err
	}
	if scores == nil {
		return proposalOf(candidates[:want]), nil
	}
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(scores[b], scores[a]) })
	var chosen []pair
	var predictions []float64
	for _, i := range order[:want] {
		chosen, predictions = append(chosen, candidates[i]), append(predictions, scores[i])
	}
	p := proposalOf(chosen)
	p.Predictions = predictions
	return p, nil
}

// DrawIndex draws an index by its probability. The last one takes what rounding leaves.
func DrawIndex(probabilities []float64, rng *rand.Rand) int {
	left := rng.Float64()
	for i, p := range probabilities {
		if left -= p; left < 0 {
			return i
		}
	}
	return len(probabilities) - 1
}
