package completion

import (
	"context"
	"errors"
	"fmt"
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
	// [InitialParameters], and readies the first step.
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
	// batch may be short. Each member's learning rate is multiplied by scale.
	// When ctx ends, Epoch returns its error within a step.
	Epoch(ctx context.Context, triples []datasets.Triple, scale float64) (Epoch, error)
	// Parameters copies a member's present embeddings.
	Parameters(member int) (Parameters, error)
	// SetStructure gives a member another structure with the same K for the steps
	// and the rankings to come. Its embeddings and what the optimizer remembers
	// of them stay as they are.
	SetStructure(member int, s structure.Structure) error
}

// Epoch is what one pass over the triples gave.
type Epoch struct {
	// Loss has each member's mean loss per triple, penalties included.
	Loss []float64
	// StepSeconds has the duration of each step, for all members together.
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
	Entities  []float32 // [entities, d]
	Relations []float32 // [relations, d]
}

// OneShape says which of several models cannot be ranked with the first.
func OneShape(parameters []Parameters) error {
	if len(parameters) == 0 {
		return errors.New("there is no model to rank with")
	}
	first := parameters[0]
	for i, p := range parameters {
		if p.Structure.K() != first.Structure.K() || p.Dim != first.Dim || len(p.Entities) != len(first.Entities) || len(p.Relations) != len(first.Relations) {
			return fmt.Errorf("model %d differs from model 0 in K, dim or the number of entities or relations: rank them apart", i)
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

// InitialParameters draws embeddings from N(0, scale²), entities first, so
// that a seed gives the same numbers on every engine.
func InitialParameters(s structure.Structure, entities, relations, dim int, scale float64, seed uint64) Parameters {
	rng := rand.New(rand.NewPCG(seed, 0x656d626564)) // the second word keeps embeddings apart from other uses of the seed
	draw := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64() * scale)
		}
		return x
	}
	return Parameters{Structure: s, Dim: dim, Entities: draw(entities * dim), Relations: draw(relations * dim)}
}
