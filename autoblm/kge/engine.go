package kge

import (
	"context"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Engine does the arithmetic of training and ranking. Package enginetest holds
// the conformance suite that every engine passes.
type Engine interface {
	// Name is the engine's name, as "gomlx".
	Name() string
	// Backend names what the engine runs on in a precision, as "go", "xla:cuda" or
	// "avx512+amx". Of one engine, results in one precision differ in rounding where the
	// names differ; so that of [Float32] says nothing of what only others use.
	Backend(p Precision) string
	// Supports says what of a training the engine lacks, nil where it lacks nothing.
	Supports(d *Data, s Settings, members []Member) error
	// Precision is what a training or a ranking comes to that is asked for with a
	// precision, for a form, a number of entities and a dimension: [Float32] or [Bfloat16],
	// the same each time on one machine. What is asked for by name and the engine lacks is
	// an error that says the mend.
	Precision(asked Precision, f form.Form, entities, dim int) (Precision, error)
	// NewPopulation places the members' initial numbers, made by [Initialize], and
	// readies the first step. It trains and ranks in the precision of the settings, or
	// what that comes to.
	NewPopulation(d *Data, s Settings, members []Member) (Population, error)
	// NewRanker places trained parameters for ranking only; all of them have
	// one shape, see [OneShape]. Ranks are those of float32 whatever the precision, or what
	// it comes to; it decides how fast they are there. Scores are float32 too.
	NewRanker(parameters []Parameters, precision Precision) (Ranker, error)
	// Close frees what the engine holds, after its populations and rankers.
	Close()
}

// Population is a set of models in training, in lockstep.
type Population interface {
	Ranker
	// Epoch takes one optimizer step per batch. rates has each member's learning rate.
	// When ctx ends, Epoch returns its error soon, after a step or a few.
	Epoch(ctx context.Context, batches [][]Example, rates []float64) (Epoch, error)
	// Parameters copies a member's present numbers.
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

// Shower is a [Population] that can show where it stands without copying all of it.
type Shower interface {
	// Shown is State with numbers of the population's own, which the next epoch changes.
	Shown() State
}

// Adjuster is a [Population] whose engine supports settings that differ between epochs; see
// [Settings.In].
type Adjuster interface {
	// Adjust takes the settings of the steps to come.
	Adjust(s Settings) error
}

// shown is where a population stands until the next epoch, without copies where it can be.
func shown(p Population) (State, error) {
	if s, is := p.(Shower); is {
		return s.Shown(), nil
	}
	return p.State()
}

// Epoch is what one pass over the examples gave.
type Epoch struct {
	// Loss has each member's mean loss per example, penalties included.
	Loss []float64
	// StepSeconds has the duration of each step, for all members together. Steps
	// that an engine takes at one go have their mean.
	StepSeconds []float64
}

// Ranker ranks and scores with some models of one shape.
type Ranker interface {
	// Rank returns [models][triples] ranks of the true entities of triples among all
	// entities. known has the answers to leave out; nil leaves out none.
	Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]eval.Ranked, error)
	// Scores calls visit with each question and the scores of all entities for it, by
	// one of the models. The calls come from several threads and in no order, each with
	// its own slice, which is valid until visit returns. When ctx ends, Scores returns its
	// error soon.
	Scores(ctx context.Context, model int, questions []Question, visit func(question int, scores []float32)) error
	// Models is how many there are.
	Models() int
	// Close frees what the engine holds; the Ranker is of no use afterwards.
	Close()
}

// State is where a population in training stands.
type State struct {
	// Steps is how many steps it has taken.
	Steps   int
	Members []MemberState
}

// MemberState is where a member stands.
type MemberState struct {
	Parameters
	// Slots are what the optimizer remembers of each number: for Adagrad the sum of
	// the squared gradients; for Adam the means of the gradients, and then those of
	// their squares.
	Slots []Tables
}

// Fits says why a state cannot be taken by a population whose members have the given
// parameters, and whose optimizer has so many slots.
func (s State) Fits(members []Parameters, slots int) error {
	if len(s.Members) != len(members) {
		return fmt.Errorf("the state is of %d members, the population has %d", len(s.Members), len(members))
	}
	for i, m := range s.Members {
		if err := Replaceable(members[i].Structure, m.Structure); err != nil {
			return err
		}
		if len(m.Slots) != slots {
			return fmt.Errorf("the state has %d slots of the optimizer, the population has %d: they have different optimizers", len(m.Slots), slots)
		}
		for _, t := range append([]Tables{m.Tables}, m.Slots...) {
			if !t.sameSizes(members[i].Tables) {
				return fmt.Errorf("the state of member %d has tables of other sizes than the population", i)
			}
		}
	}
	return nil
}
