package classify

import "context"

// Engine does the arithmetic of training and of classifying. Package enginetest has the
// conformance suite that every engine passes.
type Engine interface {
	// Name is the engine's name, as "cpu".
	Name() string
	// Backend names what the engine runs on, as "avx2" or "xla:cuda".
	Backend() string
	// Members is how many members are best trained at a time, as each takes memory; 0
	// stands for all.
	Members() int
	// Prepare readies what all populations on a network share.
	Prepare(n *Network) (Program, error)
	// Close frees what the engine holds, after its programs.
	Close()
}

// Program is a network made ready to be trained.
type Program interface {
	// NewPopulation places models, whose structures have one number of chunks.
	NewPopulation(runs []Run) (Population, error)
	// Close frees what the program holds, after its populations.
	Close()
}

// Run is one model in training.
type Run struct {
	// Member is its structure, its rates, and the seed of what it begins with and of what
	// is dropped.
	Member Member
	// Learn are the outputs of the network to learn from.
	Learn []int
	// State is what to begin with.
	State
}

// State is where a model in training stands.
type State struct {
	// Steps is how many steps it has taken.
	Steps int
	// Tables are the numbers of the parameters; nil stands for [Network.Initialize] by the
	// member's seed. Means and Squares are Adam's moving means of their gradients and of the
	// squares of these; nil stands for zeros.
	Tables, Means, Squares [][]float32
}

// Begin is the state to begin with, without what stands for something else.
func (r Run) Begin(n *Network) State {
	s := r.State
	if s.Tables == nil {
		s.Tables = n.Initialize(r.Member.Seed)
	}
	if s.Means == nil {
		s.Means, s.Squares = zeros(n), zeros(n)
	}
	return s
}

func zeros(n *Network) (all [][]float32) {
	for _, p := range n.Parameters {
		all = append(all, make([]float32, p.Size()))
	}
	return all
}

// Population is models in training, in lockstep.
type Population interface {
	// Step takes one step of Adam with each active model, on all that it learns from, and
	// returns the mean cross entropy of each before the step. What it does with the others,
	// and returns for them, is of no account. When ctx ends, it returns its error.
	Step(ctx context.Context, active []bool) ([]float32, error)
	// Logits are [outputs, classes] of each active model, without dropout.
	Logits(ctx context.Context, active []bool) ([][]float32, error)
	// State copies where a model stands: a population that has models begin with their
	// states goes on as the one would that they were copied from.
	State(model int) (State, error)
	// Close frees what the population holds.
	Close()
}
