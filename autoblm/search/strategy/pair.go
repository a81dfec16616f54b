package strategy

import (
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// pair is a candidate: a structure and, with [Options.Messages], the structure of an encoder's messages,
// of as many chunks. It has the cells of both, row by row.
type pair struct{ structure, message structure.Structure }

// pairs returns the candidates of trials.
func pairs(o Options, trials []task.Trial) []pair {
	all := make([]pair, len(trials))
	for i, t := range trials {
		all[i] = pairOf(o, t)
	}
	return all
}

func pairOf(o Options, t task.Trial) pair {
	p := pair{structure: t.Structure}
	if o.Messages {
		p.message = t.Message()
	}
	return p
}

// structures returns the structures of candidates, and those of their messages, nil without any.
func structures(of []pair) (all, messages []structure.Structure) {
	for _, p := range of {
		all = append(all, p.structure)
		if p.message.K() > 0 {
			messages = append(messages, p.message)
		}
	}
	return all, messages
}

// drawPair draws the structure of a candidate, and that of its messages if it has one.
func drawPair(o Options, draw func() structure.Structure) (p pair) {
	p.structure = draw()
	if o.Messages {
		p.message = draw()
	}
	return p
}

// cells returns the number of cells of a candidate.
func (o Options) cells() int {
	if o.Messages {
		return 2 * o.K * o.K
	}
	return o.K * o.K
}

// at returns the entry of a cell.
func (p pair) at(cell int) int {
	k := p.structure.K()
	if cell >= k*k {
		return pair{structure: p.message}.at(cell - k*k)
	}
	return p.structure.At(cell/k, cell%k)
}

// with returns the candidate with another entry of a cell.
func (p pair) with(cell, value int) pair {
	k := p.structure.K()
	if cell >= k*k {
		cell -= k * k
		p.message = p.message.With(cell/k, cell%k, value)
	} else {
		p.structure = p.structure.With(cell/k, cell%k, value)
	}
	return p
}

// nonzeros returns the number of nonzeros of both structures.
func (p pair) nonzeros() int {
	n := p.structure.Nonzeros()
	if p.message.K() > 0 {
		n += p.message.Nonzeros()
	}
	return n
}

// mutatePair mutates the structure, or with messages one of both structures or both.
func mutatePair(o Options, p pair, rng *rand.Rand) pair {
	which := 0
	if o.Messages {
		which = rng.IntN(3)
	}
	if which != 1 {
		p.structure = mutate(p.structure, o.mutationProbability(), rng)
	}
	if which != 0 {
		p.message = mutate(p.message, o.mutationProbability(), rng)
	}
	return p
}

// crossPairs crosses the structures of two candidates, and those of their messages.
func crossPairs(o Options, a, b pair, rng *rand.Rand) pair {
	a.structure = crossover(a.structure, b.structure, rng)
	if o.Messages {
		a.message = crossover(a.message, b.message, rng)
	}
	return a
}
