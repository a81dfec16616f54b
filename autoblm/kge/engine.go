package kge

import (
	"context"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
)

// Engine does the arithmetic of training and ranking. Package enginetest has the conformance
// suite that every engine passes.
type Engine interface {
	// Name returns the name of the engine, such as "gomlx".
	Name() string
	// Backend returns the name of the backend or instruction sets for a precision, such as
	// "go", "xla:cuda" or "avx512+amx". If two names differ, so may the rounding of results.
	// The name for [Float32] leaves out what only other precisions use.
	Backend(p Precision) string
	// Supports returns an error if the engine lacks something that a training needs.
	Supports(d *Data, s Settings, members []Member) error
	// Precision resolves a requested precision to [Float32] or [Bfloat16] for a form, a number
	// of entities and a dimension. The result is the same each time on one machine. An explicit
	// request that the engine does not support is an error with a fix.
	Precision(requested Precision, f form.Form, entities, dim int) (Precision, error)
	// NewPopulation creates a population with initial embeddings from [Initialize]. It trains
	// and ranks in the precision of the settings after resolving it.
	NewPopulation(d *Data, s Settings, members []Member) (Population, error)
	// NewRanker creates a ranker for trained models, which must pass [CheckSameShape].
	// Ranks and scores are those of float32 in any precision; the precision only changes
	// the speed.
	NewRanker(models []Parameters, precision Precision) (Ranker, error)
	// Close frees the engine's resources. Its populations and rankers are closed before.
	Close()
}

// NativeEngine is the name of the engine in package cpu, which needs no backend.
const NativeEngine = "cpu"

// FileEngine is an [Engine] that can train with its tables in files, so that they need not fit into
// memory.
type FileEngine interface {
	HasTablesInFiles() bool
	// NewTable returns n zeros in a file, if there are tables in files.
	NewTable(n int) ([]float32, error)
}

// tablesOf returns the engine that keeps its tables in files, nil if it keeps them in memory.
func tablesOf(e Engine) FileEngine {
	if files, ok := e.(FileEngine); ok && files.HasTablesInFiles() {
		return files
	}
	return nil
}

// Population is a set of models in training, in lockstep.
type Population interface {
	Ranker
	// Epoch takes one optimizer step per batch. rates has each member's learning rate. If ctx
	// is cancelled, Epoch returns its error after at most a few steps.
	Epoch(ctx context.Context, batches Batches, rates []float64) (Epoch, error)
	// Parameters copies a member's current embeddings.
	Parameters(member int) (Parameters, error)
	// SetStructure replaces a member's structure by another with the same K. Embeddings and
	// optimizer state stay.
	SetStructure(member int, s structure.Structure) error
	// Adjust changes the settings for the following steps, see [Settings.In].
	Adjust(s Settings) error
	// State copies everything that later steps depend on, except settings and members.
	State() (State, error)
	// SetState restores a state. A new population with the same settings and members then
	// continues like the original one.
	SetState(s State) error
}

// LargePopulation is a [Population] whose state may be too large to copy.
type LargePopulation interface {
	Population
	// Stream returns a view of the state, which the next epoch changes.
	Stream() Stream
	// Resume continues after a number of steps, with the numbers that its stream has got.
	Resume(steps int)
	// Finish returns a member's embeddings without copying them. The population cannot train or
	// rank any more.
	Finish(member int) Parameters
}

// Stream is a [State] whose tables are read and written in parts.
type Stream struct {
	Steps   int
	Members []MemberStream
}

// MemberStream has the tables of a member and those of each optimizer slot, in the order of
// [Tables.All].
type MemberStream struct {
	Tables []StreamTable
	Slots  [][]StreamTable
}

// StreamTable is a table of numbers that is read and written in parts.
type StreamTable = checkpoint.Table

// Stream returns the state as a stream.
func (s State) Stream() Stream {
	stream := Stream{Steps: s.Steps}
	for _, m := range s.Members {
		member := MemberStream{Tables: checkpoint.TablesOf(m.All())}
		for _, slot := range m.Slots {
			member.Slots = append(member.Slots, checkpoint.TablesOf(slot.All()))
		}
		stream.Members = append(stream.Members, member)
	}
	return stream
}

// Epoch is the result of one pass over the examples.
type Epoch struct {
	// Loss has each member's mean loss per example, with penalties.
	Loss []float64
	// StepSeconds has the duration of each step, for all members together. If an engine takes
	// several steps in one call, each has the mean of their durations.
	StepSeconds []float64
}

// streamOf returns the state of a population, without a copy if possible. It is valid until the
// next epoch.
func streamOf(p Population) (Stream, error) {
	if large, ok := p.(LargePopulation); ok {
		return large.Stream(), nil
	}
	return copyOf(p)
}

// copyOf returns a copy of the state of a population.
func copyOf(p Population) (Stream, error) {
	state, err := p.State()
	return state.Stream(), err
}

// finish returns a member's embeddings at the end of a training, without a copy if possible.
func finish(p Population, member int) (Parameters, error) {
	if large, ok := p.(LargePopulation); ok {
		return large.Finish(member), nil
	}
	return p.Parameters(member)
}

// compileSeconds returns the time that an engine has spent compiling, 0 if it does not compile.
func compileSeconds(e Engine) float64 {
	if c, ok := e.(interface{ CompileSeconds() float64 }); ok {
		return c.CompileSeconds()
	}
	return 0
}

// ForRanking resolves a precision for ranking on an engine. There is at least one model, and all
// have the same shape.
func (p Precision) ForRanking(e Engine, models []Parameters) (Precision, error) {
	first := models[0]
	entities := len(first.Entities) / max(1, first.Dim)
	return e.Precision(p, first.Form, entities, first.Dim)
}
