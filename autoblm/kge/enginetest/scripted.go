package enginetest

import (
	"context"
	"errors"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// Scripted is a fake engine for tests of the code above the engines. Its losses, ranks and
// embeddings come from a script, and it records its inputs. It is also its own population and
// ranker, for one training at a time. Epochs count from 1, members from 0.
type Scripted struct {
	// Loss returns the loss of a member in an epoch; nil means 1.
	Loss func(epoch, member int) float64
	// Better and Equal return the numbers of candidates that score higher than the truth and
	// equal to it, in every query; nil means 0.
	Better, Equal func(epoch, member int) int32
	// LastNumber returns the last number of a member's embeddings; nil means 0.
	LastNumber func(epoch, member int) float32
	// Seconds returns the durations of an epoch's steps; nil means that they are not measured.
	Seconds func(epoch int) []float64
	// FailEpoch and FailRank are the epochs in which Epoch and Rank fail with [ErrScripted];
	// 0 means none.
	FailEpoch, FailRank int
	// ResolvePrecision resolves a precision; nil means auto to float32 and others to themselves.
	ResolvePrecision func(asked kge.Precision) (kge.Precision, error)
	// FailPopulation makes NewPopulation and NewRanker fail, FailParameters makes Parameters
	// and State fail.
	FailPopulation, FailParameters bool

	// Populations counts the calls of NewPopulation, Closed those of Close.
	Populations, Closed int
	// Settings and Members are those of the last population. NewRanker sets members that have
	// a structure only.
	Settings kge.Settings
	Members  []kge.Member
	// Epochs is the number of trained epochs. SetState sets it.
	Epochs int
	// Batches and Rates are the arguments of each Epoch; Structures has the first member's
	// structure at that time.
	Batches    [][][]kge.Example
	Rates      [][]float64
	Structures []structure.Structure
	// RankedAfter, RankedStructures and RankedSplits have an entry for each call of Rank: the
	// number of epochs before it, the structure of the first member, and the triples.
	// RankedSplit and RankedKnown are the arguments of the last call.
	RankedAfter      []int
	RankedStructures []structure.Structure
	RankedSplits     [][]datasets.Triple
	RankedSplit      []datasets.Triple
	RankedKnown      *datasets.Known
}

// ErrScripted is the error of a [Scripted] engine that should fail.
var ErrScripted = errors.New("scripted failure")

// scripted calls a script, or returns a default if it is nil.
func scripted[T any](script func(epoch, member int) T, ifNil T, epoch, member int) T {
	if script == nil {
		return ifNil
	}
	return script(epoch, member)
}

// Name implements [kge.Engine].
func (*Scripted) Name() string { return "scripted" }

// Backend implements [kge.Engine].
func (*Scripted) Backend(kge.Precision) string { return "none" }

// Supports implements [kge.Engine]. It supports everything.
func (*Scripted) Supports(*kge.Data, kge.Settings, []kge.Member) error { return nil }

// Precision implements [kge.Engine].
func (e *Scripted) Precision(asked kge.Precision, f form.Form, entities, dim int) (
	kge.Precision, error) {
	if e.ResolvePrecision != nil {
		return e.ResolvePrecision(asked)
	}
	return asked.Resolve(f, entities, dim, nil, false)
}

// NewPopulation implements [kge.Engine].
func (e *Scripted) NewPopulation(_ *kge.Data, s kge.Settings, members []kge.Member) (
	kge.Population, error) {
	e.Populations++
	if e.FailPopulation {
		return nil, ErrScripted
	}
	e.Settings, e.Members = s, slices.Clone(members)
	return e, nil
}

// NewRanker implements [kge.Engine].
func (e *Scripted) NewRanker(parameters []kge.Parameters, _ kge.Precision) (kge.Ranker, error) {
	if e.FailPopulation {
		return nil, ErrScripted
	}
	e.Members = make([]kge.Member, len(parameters))
	for i, p := range parameters {
		e.Members[i].Structure = p.Structure
	}
	return e, nil
}

// Models implements [kge.Ranker].
func (e *Scripted) Models() int { return len(e.Members) }

// Scores implements [kge.Ranker]. It always fails.
func (*Scripted) Scores(context.Context, int, []kge.Question, func(int, []float32)) error {
	return errors.New("the script has no scores")
}

// Epoch implements [kge.Population].
func (e *Scripted) Epoch(ctx context.Context, batches kge.Batches, rates []float64) (
	kge.Epoch, error) {
	if err := ctx.Err(); err != nil {
		return kge.Epoch{}, err
	}
	e.Epochs++
	if e.FailEpoch == e.Epochs {
		return kge.Epoch{}, ErrScripted
	}
	e.Batches, e.Rates = append(e.Batches, batches.All()), append(e.Rates, slices.Clone(rates))
	e.Structures = append(e.Structures, e.Members[0].Structure)
	done := kge.Epoch{Loss: make([]float64, len(e.Members))}
	for i := range done.Loss {
		done.Loss[i] = scripted(e.Loss, 1, e.Epochs, i)
	}
	if e.Seconds != nil {
		done.StepSeconds = e.Seconds(e.Epochs)
	}
	return done, nil
}

// Rank implements [kge.Ranker].
func (e *Scripted) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) (
	[][]eval.Ranked, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.RankedAfter, e.RankedSplit, e.RankedKnown = append(e.RankedAfter, e.Epochs), triples, known
	e.RankedSplits = append(e.RankedSplits, triples)
	e.RankedStructures = append(e.RankedStructures, e.Members[0].Structure)
	if e.FailRank > 0 && e.FailRank == e.Epochs {
		return nil, ErrScripted
	}
	ranks := make([][]eval.Ranked, len(e.Members))
	for i := range ranks {
		r := eval.Rank{Better: scripted(e.Better, 0, e.Epochs, i),
			Equal: scripted(e.Equal, 0, e.Epochs, i)}
		ranks[i] = slices.Repeat([]eval.Ranked{{Tail: r, Head: r}}, len(triples))
	}
	return ranks, nil
}

// Parameters implements [kge.Population]. The table of entities holds the epoch, that of
// relations holds the member and LastNumber.
func (e *Scripted) Parameters(member int) (kge.Parameters, error) {
	if e.FailParameters {
		return kge.Parameters{}, ErrScripted
	}
	return kge.Parameters{
		Structure: e.Members[member].Structure,
		Dim:       e.Settings.Dim,
		Tables: kge.Tables{
			Entities:  []float32{float32(e.Epochs)},
			Relations: []float32{float32(member), scripted(e.LastNumber, 0, e.Epochs, member)},
		},
	}, nil
}

// Adjust implements [kge.Population].
func (e *Scripted) Adjust(kge.Settings) error { return nil }

// SetStructure implements [kge.Population].
func (e *Scripted) SetStructure(member int, s structure.Structure) error {
	if err := rules.CheckReplacement(e.Members[member].Structure, s); err != nil {
		return err
	}
	e.Members[member].Structure = s
	return nil
}

// State implements [kge.Population]. It counts each epoch as one step.
func (e *Scripted) State() (kge.State, error) {
	s := kge.State{Steps: e.Epochs}
	for i := range e.Members {
		p, err := e.Parameters(i)
		if err != nil {
			return s, err
		}
		slot := kge.Tables{Entities: []float32{7}, Relations: []float32{8, 9}}
		s.Members = append(s.Members, kge.MemberState{Parameters: p, Slots: []kge.Tables{slot}})
	}
	return s, nil
}

// SetState implements [kge.Population].
func (e *Scripted) SetState(s kge.State) error {
	e.Epochs = s.Steps
	return nil
}

// Close implements [kge.Engine] and [kge.Ranker].
func (e *Scripted) Close() { e.Closed++ }
