package search

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Strategy proposes what to train. Its proposals are a pure function of the
// arguments: whatever it wants to remember, it reads from the history.
type Strategy interface {
	// Name is the strategy's name on the command line, as "autoblm+".
	Name() string
	// Propose returns at most want structures to train in the given round,
	// from 1. history has the trials of all earlier rounds, finished. No
	// structures means that the strategy has no more, and Why says why.
	Propose(s Settings, round int, history []Trial, want int, rng *rand.Rand) (Proposal, error)
}

// Proposal is a round's structures.
type Proposal struct {
	Structures []structure.Structure
	// Guesses are the predictor's, one for each structure, or nil.
	Guesses []float64
	// Why says why there are no structures.
	Why string
}

// Strategies lists all of them.
func Strategies() []Strategy {
	return []Strategy{Evolutionary{}, Progressive{}}
}

// ByName finds a strategy.
func ByName(name string) (Strategy, error) {
	var names []string
	for _, s := range Strategies() {
		if s.Name() == name {
			return s, nil
		}
		names = append(names, s.Name())
	}
	return nil, fmt.Errorf("unknown algorithm %q: use %s", name, strings.Join(names, " or "))
}

// pick takes the most promising candidates by a predictor fitted to the
// history, or the first ones where there is no predictor or nothing to fit.
func pick(s Settings, history []Trial, candidates []structure.Structure, want int, rng *rand.Rand) (Proposal, error) {
	seed := rng.Uint64()
	want = min(want, s.P, len(candidates))
	guesses, err := guess(s, bestFirst(history), candidates, seed)
	if err != nil {
		return Proposal{}, err
	}
	if guesses == nil {
		return Proposal{Structures: candidates[:want]}, nil
	}
	order := make([]int, len(candidates))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int {
		switch {
		case guesses[a] > guesses[b]:
			return -1
		case guesses[a] < guesses[b]:
			return 1
		}
		return 0
	})
	var p Proposal
	for _, i := range order[:want] {
		p.Structures, p.Guesses = append(p.Structures, candidates[i]), append(p.Guesses, guesses[i])
	}
	return p, nil
}
