package completion

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Engine does the arithmetic of training and ranking. Package enginetest holds
// the conformance suite that every engine passes.
type Engine interface {
	// Name is the engine's name on the command line, as "gomlx".
	Name() string
	// Backend names what the engine runs on, as "go" or "xla:cuda".
	Backend() string
	// NewPopulation places the members' initial embeddings, made by
	// [Initialize], and readies the first step.
	NewPopulation(g *datasets.Graph, s Settings, members []Member) (Population, error)
	// NewRanker places trained parameters for ranking only; all of them have
	// one K, one dimension and one number of entities and of relations.
	NewRanker(parameters []Parameters) (Ranker, error)
	// Close frees what the engine holds, after its populations and rankers.
	Close()
}

// Population is a set of models in training, in lockstep.
type Population interface {
	Ranker
	// Epoch takes one optimizer step per batch of consecutive triples; the last
	// batch may be short. rates has each member's learning rate. When ctx ends,
	// Epoch returns its error soon, after a step or a few.
	Epoch(ctx context.Context, triples []datasets.Triple, rates []float64) (Epoch, error)
	// Parameters copies a member's present embeddings.
	Parameters(member int) (Parameters, error)
	// SetStructure gives a member another structure with the same K for the steps
	// and the rankings to come. Its embeddings and what the optimizer remembers
	// of them stay as they are.
	SetStructure(member int, s structure.Structure) error
	// State copies all that the steps to come depend on, beside the settings and the
	// members, and SetState takes it: a new population of the same settings and
	// members then goes on as the one would that it was copied from.
	State() (State, error)
	SetState(s State) error
}

// Epoch is what one pass over the triples gave.
type Epoch struct {
	// Loss has each member's mean loss per triple, penalties included.
	Loss []float64
	// StepSeconds has the duration of each step, for all members together. Steps
	// that an engine takes at one go have their mean.
	StepSeconds []float64
}

// Ranker ranks the true entities of triples among all entities.
type Ranker interface {
	// Rank returns [members][triples] ranks. known has the answers to leave
	// out; nil leaves out none.
	Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]Ranked, error)
	// Close frees what the engine holds; the Ranker is of no use afterwards.
	Close()
}

// Parameters are the numbers of one model: a structure and two row-major
// tables with d columns, in which chunk i of a row is row[i*d/K : (i+1)*d/K].
type Parameters struct {
	Structure structure.Structure
	Dim       int
	// Reciprocal is whether relations have reverses; see [Settings].
	Reciprocal bool
	Entities   []float32 // [entities, d]
	Relations  []float32 // [relations, d], and with reverses [2·relations, d]
}

// directions is how many rows a relation has.
func (p Parameters) directions() int {
	if p.Reciprocal {
		return 2
	}
	return 1
}

// OneShape says which of several models cannot be ranked with the first.
func OneShape(parameters []Parameters) error {
	if len(parameters) == 0 {
		return errors.New("there is no model to rank with")
	}
	first := parameters[0]
	for i, p := range parameters {
		if p.Structure.K() != first.Structure.K() || p.Dim != first.Dim || p.Reciprocal != first.Reciprocal || len(p.Entities) != len(first.Entities) || len(p.Relations) != len(first.Relations) {
			return fmt.Errorf("model %d differs from model 0 in K, dim, reciprocal relations or the number of entities or relations: rank them apart", i)
		}
	}
	return nil
}

// Replaceable says why one structure cannot take the place of another in a
// population: the embeddings are cut into as many chunks as the first one has.
func Replaceable(present, next structure.Structure) error {
	if next.K() != present.K() {
		return fmt.Errorf("a structure with K=%d cannot take the place of one with K=%d: the embeddings are cut into %d chunks", next.K(), present.K(), present.K())
	}
	return nil
}

// Initialize draws a member's embeddings, entities first, so that a seed gives
// the same numbers on every engine.
func Initialize(g *datasets.Graph, s Settings, m Member) Parameters {
	p := Parameters{Structure: m.Structure, Dim: s.Dim, Reciprocal: s.Reciprocal}
	rng := rand.New(rand.NewPCG(m.Seed, 0x656d626564)) // the second word keeps embeddings apart from other uses of the seed
	draw := func(rows int) []float32 {
		number := func() float64 { return rng.NormFloat64() * s.InitScale }
		if s.Initial == Xavier {
			bound := math.Sqrt(6 / float64(rows+s.Dim))
			number = func() float64 { return (2*rng.Float64() - 1) * bound }
		}
		x := make([]float32, rows*s.Dim)
		for i := range x {
			x[i] = float32(number())
		}
		return x
	}
	p.Entities = draw(len(g.Entities))
	p.Relations = draw(len(g.Relations) * p.directions())
	return p
}
