package kge_test

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// scriptedEngine gives losses, ranks and embeddings from a script, so that
// what the training loop makes of them can be told.
type scriptedEngine struct {
	loss    func(epoch, member int) float64 // nil: 1
	better  func(epoch, member int) int32   // candidates above the truth, in every query; nil: 0
	equal   func(epoch, member int) int32   // candidates that tie with it; nil: 0
	spoilt  func(epoch, member int) float32 // added to the last embedding of an epoch; nil: 0
	seconds func(epoch int) []float64
	// Each fails the call of that name; the first two in the epoch that is not 0.
	failEpoch, failRank int
	failPopulation      bool
	failParameters      bool

	populations int
	epochs      int               // taken
	orders      [][][]kge.Example // by epoch and batch
	rates       [][]float64
	ranked      []int // the epochs after which Rank was called
	rankedSplit []datasets.Triple
	rankedKnown *datasets.Known
	closed      int
	settings    kge.Settings
	members     []kge.Member
}

var errScripted = errors.New("scripted failure")

func (*scriptedEngine) Name() string    { return "scripted" }
func (*scriptedEngine) Backend() string { return "none" }

func (*scriptedEngine) Supports(*kge.Data, kge.Settings, []kge.Member) error { return nil }

func (e *scriptedEngine) NewPopulation(_ *kge.Data, s kge.Settings, members []kge.Member) (kge.Population, error) {
	e.populations++
	if e.failPopulation {
		return nil, errScripted
	}
	e.settings, e.members = s, slices.Clone(members)
	return e, nil
}

func (*scriptedEngine) NewRanker([]kge.Parameters) (kge.Ranker, error) {
	return nil, errors.New("the script has no ranker")
}

func (e *scriptedEngine) Models() int { return len(e.members) }

func (*scriptedEngine) Scores(context.Context, int, []kge.Question, func(int, []float32)) error {
	return errors.New("the script has no scores")
}

func (e *scriptedEngine) Epoch(ctx context.Context, batches [][]kge.Example, rates []float64) (kge.Epoch, error) {
	if err := ctx.Err(); err != nil {
		return kge.Epoch{}, err
	}
	e.epochs++
	if e.failEpoch == e.epochs {
		return kge.Epoch{}, errScripted
	}
	e.orders, e.rates = append(e.orders, batches), append(e.rates, slices.Clone(rates))
	done := kge.Epoch{Loss: make([]float64, len(e.members))}
	for i := range done.Loss {
		done.Loss[i] = 1
		if e.loss != nil {
			done.Loss[i] = e.loss(e.epochs, i)
		}
	}
	if e.seconds != nil {
		done.StepSeconds = e.seconds(e.epochs)
	}
	return done, nil
}

func (e *scriptedEngine) Rank(ctx context.Context, triples []datasets.Triple, known *datasets.Known) ([][]kge.Ranked, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	e.ranked, e.rankedSplit, e.rankedKnown = append(e.ranked, e.epochs), triples, known
	if e.failRank > 0 && e.failRank == e.epochs {
		return nil, errScripted
	}
	ranks := make([][]kge.Ranked, len(e.members))
	for i := range ranks {
		var r kge.Rank
		if e.better != nil {
			r.Better = e.better(e.epochs, i)
		}
		if e.equal != nil {
			r.Equal = e.equal(e.epochs, i)
		}
		ranks[i] = slices.Repeat([]kge.Ranked{{Tail: r, Head: r}}, len(triples))
	}
	return ranks, nil
}

// Parameters tells by its numbers which epoch and member it is of.
func (e *scriptedEngine) Parameters(member int) (kge.Parameters, error) {
	if e.failParameters {
		return kge.Parameters{}, errScripted
	}
	p := kge.Parameters{
		Structure: e.members[member].Structure, Dim: e.settings.Dim,
		Tables: kge.Tables{Entities: []float32{float32(e.epochs)}, Relations: []float32{float32(member), 0}},
	}
	if e.spoilt != nil {
		p.Relations[1] = e.spoilt(e.epochs, member)
	}
	return p, nil
}

func (e *scriptedEngine) SetStructure(member int, s structure.Structure) error {
	if err := kge.Replaceable(e.members[member].Structure, s); err != nil {
		return err
	}
	e.members[member].Structure = s
	return nil
}

// State has a step for each epoch, which is all that the script depends on.
func (e *scriptedEngine) State() (kge.State, error) {
	s := kge.State{Steps: e.epochs}
	for i := range e.members {
		p, err := e.Parameters(i)
		if err != nil {
			return s, err
		}
		s.Members = append(s.Members, kge.MemberState{Parameters: p, Slots: []kge.Tables{{Entities: []float32{7}, Relations: []float32{8, 9}}}})
	}
	return s, nil
}

func (e *scriptedEngine) SetState(s kge.State) error {
	e.epochs = s.Steps
	return nil
}

func (e *scriptedEngine) Close() { e.closed++ }

// smallGraph has 7 entities, 2 relations and splits of 10, 3 and 2 triples.
func smallGraph() *datasets.Graph {
	g := &datasets.Graph{Name: "small", Relations: []string{"knows", "likes"}}
	for i := range int32(7) {
		g.Entities = append(g.Entities, fmt.Sprint("e", i))
		g.Train = append(g.Train, datasets.Triple{Head: i, Relation: i % 2, Tail: (i + 1) % 7})
	}
	g.Train = append(g.Train, datasets.Triple{Head: 0, Relation: 0, Tail: 2}, datasets.Triple{Head: 0, Relation: 0, Tail: 3}, datasets.Triple{Head: 1, Relation: 0, Tail: 3})
	g.Valid = []datasets.Triple{{Head: 0, Relation: 0, Tail: 4}, {Head: 2, Relation: 1, Tail: 5}, {Head: 3, Relation: 1, Tail: 6}}
	g.Test = []datasets.Triple{{Head: 0, Relation: 0, Tail: 5}, {Head: 6, Relation: 1, Tail: 3}}
	return g
}
