package strategy

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Strategy proposes structures to train. A proposal is a pure function of the arguments: a
// strategy reads its state from the history.
type Strategy interface {
	// Name returns the name on the command line, such as "autoblm+".
	Name() string
	// Propose returns at most want structures for a round; rounds count from 1. want is the rest
	// of the budget: a strategy applies RoundSize and Parents itself. history has the finished
	// trials of all earlier rounds, after those of a warm start. A proposal without structures
	// ends the search and has a Reason; a strategy returns it only when its space is exhausted.
	Propose(o Options, round int, history []task.Trial, want int, rng *rand.Rand) (Proposal, error)
}

// Proposal holds the structures of a round.
type Proposal struct {
	Structures []structure.Structure
	// Messages are the structures of an encoder's messages, one per structure, or nil.
	Messages []structure.Structure
	// Predictions are the scores that the predictor expects, one per structure, or nil.
	Predictions []float64
	// Reason says why there are no structures.
	Reason string
}

// Check returns an error if the proposal is not one of at most want structures with o.K chunks.
func (p Proposal) Check(o Options, want int) error {
	if n := len(p.Structures); n > want {
		return fmt.Errorf("it proposes %d structures: propose at most %d", n, want)
	}
	for what, n := range map[string]int{
		"messages": len(p.Messages), "predictions": len(p.Predictions),
	} {
		if n > 0 && n != len(p.Structures) {
			return fmt.Errorf("it proposes %d structures with %d %s: propose one for each structure, "+
				"or none", len(p.Structures), n, what)
		}
	}
	for _, s := range slices.Concat(p.Structures, p.Messages) {
		if s.K() != o.K {
			return fmt.Errorf("it proposes a structure with %d chunks: propose structures with %d",
				s.K(), o.K)
		}
	}
	for _, x := range p.Predictions {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return fmt.Errorf("it predicts the score %v: predict a finite one", x)
		}
	}
	return nil
}

// Options are the settings of a strategy (paper, Algorithms 3 and 4).
type Options struct {
	K          int `json:"k" min:"2" max:"8" help:"Chunks per embedding."`
	Candidates int `json:"candidates" min:"1" max:"65536" help:"Candidates generated per round (the paper's N)."`
	// RoundSize structures train as one population.
	RoundSize int `json:"round_size" min:"1" max:"1024" help:"Structures trained per round (the paper's P)."`
	// Parents is also the size of the first round.
	Parents         int     `json:"parents" min:"1" max:"1024" help:"Best structures that new ones derive from, and that the result lists (the paper's I)."`
	InitialNonzeros int     `json:"initial_nonzeros" min:"0" max:"64" help:"Nonzeros of the first structures (the paper's b0); 0: k."`
	MutationRate    float64 `json:"mutation_rate" min:"0" max:"1" help:"Probability that a mutation changes an entry (the paper's p_m); 0: 2/k²."`
	Filter          Filter  `json:"filter" help:"Candidates to drop: exact (degenerate or equivalent), paper (by the paper's tests) or none."`
	// Predictor selects RoundSize of the Candidates; nil takes the first of them, which come in
	// random order.
	Predictor *surrogate.Settings `json:"predictor" kong:"-"`
	// Messages lets a strategy propose the structure of an encoder's messages with each structure. The
	// settings of the training decide it.
	Messages bool `json:"-" kong:"-"`
	// Block is the N3Block of the weights with which structures train. With 1 < Block < K, equivalent
	// structures do not train alike, so that a filter passes one for each way to form the blocks.
	Block int `json:"-" kong:"-"`
	// Seed determines the proposals, and the initial embeddings of each trial.
	Seed uint64 `json:"seed" brief:"Determines proposals and initial embeddings." help:"Determines proposals and initial embeddings."`
}

// firstNonzeros returns the number of nonzeros of the first structures.
func (o Options) firstNonzeros() int { return cmp.Or(o.InitialNonzeros, o.K) }

// mutationProbability returns the probability that a mutation changes an entry.
func (o Options) mutationProbability() float64 {
	return cmp.Or(o.MutationRate, 2/float64(o.K*o.K))
}

// Check returns an error if the options contradict each other.
func (o Options) Check() error {
	switch nonzeros := o.firstNonzeros(); {
	case nonzeros < 1 || nonzeros > o.K*o.K:
		return fmt.Errorf("initial-nonzeros is %d: it must be from 1 to k², %d",
			o.InitialNonzeros, o.K*o.K)
	case nonzeros < o.K && o.Filter != NoFilter:
		return fmt.Errorf("initial-nonzeros is %d: structures with fewer than k = %d nonzeros are "+
			"degenerate; raise it or set filter to none", o.InitialNonzeros, o.K)
	}
	if o.K%max(1, o.Block) != 0 {
		return fmt.Errorf("block is %d: it must divide k, %d", o.Block, o.K)
	}
	if o.Predictor != nil {
		return o.Predictor.Validate()
	}
	return nil
}

// CheckFor returns an error if the options contradict each other for a strategy.
func (o Options) CheckFor(s Strategy) error {
	switch s.(type) {
	case Evolutionary, Progressive:
		if o.RoundSize > o.Candidates {
			return fmt.Errorf("round-size is %d: a round of %s trains at most candidates = %d structures; "+
				"raise candidates or lower round-size", o.RoundSize, s.Name(), o.Candidates)
		}
	}
	return nil
}

// All lists the strategies.
func All() []Strategy {
	return []Strategy{Evolutionary{}, Progressive{}, Random{}, TPE{}, Reinforce{}}
}

// ByName returns the strategy with a name.
func ByName(name string) (Strategy, error) {
	var all []string
	for _, s := range All() {
		if s.Name() == name {
			return s, nil
		}
		all = append(all, s.Name())
	}
	return nil, enum.Unknown("algorithm", name, all)
}
