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

// Scripted is an engine that computes nothing: its losses, ranks and embeddings come from
// a script, and it notes what it is asked for, so that one can tell what the code above
// the engines makes of them. It is its own population and its own ranker, of one training
// at a time. Epochs count from 1, members from 0, and a nil function gives what is said.
type Scripted struct {
	// Loss is that of a member in an epoch, 1 where nil.
	Loss func(epoch, member int) float64
	// Better and Equal are how many candidates score above the truth and the same as it,
	// in every query; 0 where nil.
	Better, Equal func(epoch, member int) int32
	// LastNumber is the last number of a member's embeddings, 0 where nil.
	LastNumber func(epoch, member int) float32
	// Seconds are those of the steps of an epoch, untold where nil.
	Seconds func(epoch int) []float64
	// FailEpoch and FailRank are the epoch in which Epoch and Rank fail with
	// [ErrScripted], 0 for none.
	FailEpoch, FailRank int
	// ResolvePrecision is what precisions come to: auto to float32 and others to themselves where
	// nil.
	ResolvePrecision func(asked kge.Precision) (kge.Precision, error)
	// BF16Name is what multiplies in bfloat16, which the backend's name has there.
	BF16Name string
	// FailPopulation fails NewPopulation and NewRanker, FailParameters fails Parameters
	// and State.
	FailPopulation, FailParameters bool

	// Populations counts the calls of NewPopulation, and Closed those of Close.
	Populations, Closed int
	// Settings and Members are those of the last population. A ranker has members
	// without settings of their own.
	Settings kge.Settings
	Members  []kge.Member
	// RankerParameters are the parameters that the last ranker was asked for, and RankingIn is the
	// precision.
	RankerParameters []kge.Parameters
	RankerPrecision  kge.Precision
	// Epochs is how many were trained. SetState sets it.
	Epochs int
	// Batches and Rates are what each epoch was given, and Structures has the structure
	// that the first member had in it.
	Batches    [][][]kge.Example
	Rates      [][]float64
	Structures []structure.Structure
	// RankedAfter and RankedBy have an entry for each call of Rank: the epochs before it, and
	// the structure of the first member. RankedSplits are what each was given, and
	// RankedSplit and RankedKnown are those of the last.
	RankedAfter      []int
	RankedStructures []structure.Structure
	RankedSplits     [][]datasets.Triple
	RankedSplit      []datasets.Triple
	RankedKnown      *datasets.Known
}

// ErrScripted is the failure of a [Scripted] engine that is to fail.
var ErrScripted = errors.New("scripted failure")

// scripted is what a script says of a member in an epoch, or what it says where it is nil.
func scripted[T any](script func(epoch, member int) T, unsaid T, epoch, member int) T {
	if script == nil {
		return unsaid
	}
	return script(epoch, member)
}

// Name implements [kge.Engine].
func (*Scripted) Name() string { return "scripted" }

// Backend implements [kge.Engine].
func (e *Scripted) Backend(p kge.Precision) string {
	if p == kge.Bfloat16 {
		return "none" + e.BF16Name
	}
	return "none"
}

// Supports implements [kge.Engine]: the script lacks nothing.
func (*Scripted) Supports(*kge.Data, kge.Settings, []kge.Member) error { return nil }

// Precision implements [kge.Engine].
func (e *Scripted) Precision(asked kge.Precision, f form.Form, entities, dim int) (kge.Precision, error) {
	if e.ResolvePrecision != nil {
		return e.ResolvePrecision(asked)
	}
	return asked.Resolve(f, entities, dim, nil, false)
}

// NewPopulation implements [kge.Engine].
func (e *Scripted) NewPopulation(_ *kge.Data, s kge.Settings, members []kge.Member) (kge.Population, error) {
	e.Populations++
	if e.FailPopulation {
		return nil, ErrScripted
	}
	e.Settings, e.Members = s, slices.Clone(members)
	return e, nil
}

// NewRanker implements [kge.Engine].
func (e *Scripted) NewRanker(parameters []kge.Parameters, precision kge.Precision) (kge.Ranker, error) {
	if e.FailPopulation {
		return nil, ErrScripted
	}
	e.RankerParameters, e.RankerPrecision, e.Members = parameters, precision, make([]kge.Member, len(parameters))
	for i, p := range parameters {
		e.Members[i].Structure = p.Structure
	}
	return e, nil
}

// Models implements [kge.Ranker].
func (e *Scripted) Models() int { return len(e.Members) }

// Scores implements [kge.Ranker]: it is always an error, as the script has none.
func (*Scripted) Scores(context.Context, int, []kge.Question, func(int, []float32)) error {
	return errors.New("the script has no scores")
}

// Epoch implements [kge.Population].
func (e *Scripted) Epoch(ctx context.Context, batches [][]kge.Example, rates []float64) (kge.Epoch, error) {
	if err := ctx.Err(); err != nil {
		return kge.Epoch{}, err
	}
	e.Epochs++
	if e.FailEpoch == e.Epochs {
		return kge.Epoch{}, ErrScripted
	}
	e.Batches, e.Rates = append(e.Batches, batches), append(e.Rates, slices.Clone(rates))
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
func (e *Scripted) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]eval.Ranked, error) {
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
		r := eval.Rank{Better: scripted(e.Better, 0, e.Epochs, i), Equal: scripted(e.Equal, 0, e.Epochs, i)}
		ranks[i] = slices.Repeat([]eval.Ranked{{Tail: r, Head: r}}, len(triples))
	}
	return ranks, nil
}

// Parameters implements [kge.Population]. They tell by their numbers which epoch and
// member they are of: the table of entities is the epoch, that of relations is the member
// and what is spoilt.
func (e *Scripted) Parameters(member int) (kge.Parameters, error) {
	if e.FailParameters {
		return kge.Parameters{}, ErrScripted
	}
	return kge.Parameters{
		Structure: e.Members[member].Structure, Dim: e.Settings.Dim,
		Tables: kge.Tables{Entities: []float32{float32(e.Epochs)}, Relations: []float32{float32(member), scripted(e.LastNumber, 0, e.Epochs, member)}},
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

// State implements [kge.Population]. It has a step for each epoch, which is all that the
// script depends on.
func (e *Scripted) State() (kge.State, error) {
	s := kge.State{Steps: e.Epochs}
	for i := range e.Members {
		p, err := e.Parameters(i)
		if err != nil {
			return s, err
		}
		s.Members = append(s.Members, kge.MemberState{Parameters: p, Slots: []kge.Tables{{Entities: []float32{7}, Relations: []float32{8, 9}}}})
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
