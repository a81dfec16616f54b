package autoblm_test

import (
	"context"
	"errors"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestFoldInAfterAdam learns twenty facts of an entity later. Its other facts have a useful MRR.
func TestFoldInAfterAdam(t *testing.T) {
	g := must(autoblm.Load("world"))
	const later = "French"
	id := int32(slices.Index(g.Entities, later))
	without := &datasets.Graph{Name: "world", Relations: g.Relations}
	without.Entities = slices.Clone(g.Entities)
	without.Entities[id] = "nothing"
	whole := &datasets.Graph{Name: "world", Entities: g.Entities, Relations: g.Relations}
	var rest []datasets.Triple
	facts := 0
	for _, triple := range slices.Concat(g.Train, g.Valid, g.Test) {
		isLater := triple.Tail == id
		switch {
		case !isLater:
			without.Train = append(without.Train, triple)
		case facts < 20:
			facts++
		default:
			rest = append(rest, triple)
			continue
		}
		whole.Train = append(whole.Train, triple)
	}
	whole.Test = rest
	s := autoblm.DefaultTrain(without, structure.MustParse("complex"))
	s.Dim, s.Epochs, s.ValidateEvery, s.Patience = 32, 30, 0, 0
	s.Optimizer, s.Member.LearningRate = kge.Adam, 0.01
	m := must(autoblm.Train(t.Context(), without, s)).Models()[0]
	m.Training.Settings.Encoder = kge.RGCN // new labels learn embeddings like its outputs
	engine := cpu.New(0)
	defer engine.Close()
	imported := *m
	imported.Training = nil
	_, err := autoblm.FoldIn(t.Context(), must(autoblm.PredictorOf(&imported)), whole)
	if !errors.Is(err, completion.ErrNoSettings) {
		t.Errorf("a model of another program: error %v", err)
	}
	found := &autoblm.Found{Predictor: must(autoblm.PredictorOf(m))}
	must(autoblm.Calibrate(t.Context(), found, datasets.World()))
	p := must(autoblm.FoldIn(t.Context(), found, whole))
	if again := must(autoblm.FoldIn(t.Context(), p, whole)); again != p {
		t.Error("nothing was missing, but the model changed")
	}
	mrr := must(p.Evaluate(t.Context(), whole, "test", autoblm.Compute{})).Tail.MRR
	if len(rest) < 5 || mrr < 0.2 {
		t.Errorf("MRR %.3f of %d facts", mrr, len(rest))
	}
}

// wins returns the number of test queries for heads that are about others and have an entity first.
func wins(p autoblm.Predictor, g *datasets.Graph, entity string) (won int) {
	for _, triple := range g.Test {
		query := autoblm.Query{Relation: g.Relations[triple.Relation], Tail: g.Entities[triple.Tail]}
		options := autoblm.PredictOptions{Known: eval.DropKnown, Top: 1}
		if a := must(p.Predict(g, query, options)); query.Tail != entity && a[0].Entity == entity {
			won++
		}
	}
	return won
}

// TestFoldIn trains without an entity and learns it later: its facts rank far better than by chance,
// and no other embedding changes by a bit.
func TestFoldIn(t *testing.T) {
	whole := must(autoblm.Load("world"))
	const later = "Portugal"
	id := int32(slices.Index(whole.Entities, later))
	without := &datasets.Graph{Name: "world"}
	without.Entities = slices.DeleteFunc(slices.Clone(whole.Entities), func(e string) bool { return e == later })
	without.Relations = whole.Relations
	var held []datasets.Triple
	move := func(e int32) int32 {
		if e > id {
			return e - 1
		}
		return e
	}
	for _, triple := range whole.Train {
		if triple.Head == id || triple.Tail == id {
			held = append(held, triple)
			continue
		}
		triple.Head, triple.Tail = move(triple.Head), move(triple.Tail)
		without.Train = append(without.Train, triple)
	}
	s := autoblm.DefaultTrain(without, structure.MustParse("complex"))
	s.Dim, s.Epochs, s.ValidateEvery, s.Patience = 32, 20, 0, 0
	m := must(autoblm.Train(context.Background(), without, s)).Models()[0]
	engine := cpu.New(0)
	defer engine.Close()
	single := completion.Single{Model: m}
	grown := must(completion.FoldIn(context.Background(), engine, single, whole, nil))
	folded := grown.Models()[0]
	if got := folded.EntityLabels; len(got) != len(m.EntityLabels)+1 || got[len(got)-1] != later {
		t.Fatalf("%d entities, the last is %s", len(got), got[len(got)-1])
	}
	if !slices.Equal(folded.Entities[:len(m.Entities)], m.Entities) ||
		!slices.Equal(folded.Relations, m.Relations) {
		t.Error("embeddings of the model changed")
	}
	wholeID := kge.DataID{Source: whole.Name, Fingerprint: whole.Fingerprint()}
	if folded.Valid != nil || folded.Test != nil || !slices.Contains(folded.TrainedOn, wholeID) {
		t.Errorf("metrics %s, %s, trained on %v", folded.Valid, folded.Test, folded.TrainedOn)
	}
	p := must(autoblm.PredictorOf(grown))
	if won := wins(p, whole, later); won > len(whole.Test)/20 {
		t.Errorf("%s is the first answer to %d of %d queries about other entities", later, won, len(whole.Test))
	}
	known := 0
	for _, triple := range held {
		if triple.Head != id {
			continue
		}
		q := autoblm.Query{Head: later, Relation: whole.Relations[triple.Relation]}
		for _, a := range must(p.Predict(nil, q, autoblm.PredictOptions{Top: 10, AnyKind: true})) {
			if a.Entity == whole.Entities[triple.Tail] {
				known++
			}
		}
	}
	if known < 3 { // of 844 entities, ten are 1 %
		t.Errorf("only %d of the facts of %s are among the first ten answers", known, later)
	}
	if again := must(completion.FoldIn(context.Background(), engine, grown, whole, nil)); again != grown {
		t.Error("nothing was missing, but the model changed")
	}
	// The members of an ensemble learn the entity like single models, and keep their order.
	s.Member.Seed++
	other := must(autoblm.Train(context.Background(), without, s)).Models()[0]
	pair := must(completion.NewEnsemble([]*kge.Model{m, other}))
	pair.Choice = &completion.Choice{Order: []int{1, 0}}
	var shares []float64
	report := func(share float64) { shares = append(shares, share) }
	both := must(completion.FoldIn(context.Background(), engine, pair, whole, report)).Models()
	if !slices.IsSorted(shares) || len(shares) < 60 || shares[len(shares)-1] != 1 {
		t.Errorf("progress of two members with 30 epochs: %v", shares)
	}
	if both[0].HasIDs(m.EntityLabels, m.RelationLabels) || len(both) != 2 {
		t.Fatalf("%d members, the first without the new entity", len(both))
	}
	if i := slices.Index(pair.Models(), m); !slices.Equal(both[i].Entities, folded.Entities) {
		t.Error("a member learns the entity in another way than the single model")
	}
}
