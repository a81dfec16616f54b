package classify

import "context"

// Engine does the arithmetic of training and classifying. Package enginetest holds the
// conformance suite that every engine passes.
type Engine interface {
	// Name returns the engine's name, such as "cpu".
	Name() string
	// Backend returns what the engine runs on, such as "avx2" or "xla:cuda".
	Backend() string
	// Members returns the number of members to train at a time, to limit the memory; 0 means all.
	Members() int
	// Prepare does the work that all populations on a network share.
	Prepare(n *Network) (Program, error)
	// Close frees the engine's resources. Its programs are closed before.
	Close()
}

// Program is a network that is ready for training.
type Program interface {
	// NewPopulation starts models whose structures have the same number of chunks.
	NewPopulation(runs []Run) (Population, error)
	// Close frees the program's resources. Its populations are closed before.
	Close()
}

// Run describes one model in training.
type Run struct {
	// Member has the structure, the rates, and the seed of the initial parameters and of dropout.
	Member Member
	// Learn has the indices of the network's outputs to learn from.
	Learn []int
	// State is the initial state.
	State
}

// State is the state of one model in training.
type State struct {
	// Steps is the number of steps taken.
	Steps int
	// Tables are the values of the parameters; nil stands for [Network.Initialize] with the
	// member's seed. Means and Squares are Adam's moving means of the gradients and of their
	// squares; nil stands for zeros.
	Tables, Means, Squares [][]float32
}

// Begin returns the initial state with all its tables.
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

// Population holds models in training, in lockstep.
type Population interface {
	// Step takes one step of Adam with each active model, on all nodes that it learns from, and
	// returns the mean cross entropies before the step. The state and the result of the other
	// models are undefined, unless no model is active: then all stay as they are. When ctx ends, Step
	// returns its error.
	Step(ctx context.Context, active []bool) ([]float32, error)
	// Logits returns [outputs, classes] for each active model, without dropout.
	Logits(ctx context.Context, active []bool) ([][]float32, error)
	// State copies the state of a model. A population that starts from such states continues the
	// training.
	State(model int) (State, error)
	// Close frees the population's resources.
	Close()
}
