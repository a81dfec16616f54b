package search

import (
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Strategy proposes what to train. Its proposals are a pure function of the
// arguments: whatever it wants to remember, it reads from the history.
type Strategy interface {
	// Name is the strategy's name on the command line, as "autoblm+".
	Name() string
	// Propose returns at most want structures to train in the given round,
	// from 1. history has the trials of all earlier rounds, finished, and before them
	// what was known before the first. No structures means that the strategy has no more,
	// and Why says why.
	Propose(s Settings, round int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error)
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
	return []Strategy{Evolutionary{}, Progressive{}, Random{}, TPE{}, Reinforce{}}
}

// ByName finds a strategy.
func ByName(name string) (Strategy, error) {
	var all []string
	for _, s := range Strategies() {
		if s.Name() == name {
			return s, nil
		}
		all = append(all, s.Name())
	}
	return nil, enum.Unknown("algorithm", name, all)
}
