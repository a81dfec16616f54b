package completion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Ensemble is some models that answer together. An entity's score is the sum, over the
// members, of the logarithm of the probability that a member gives it among all entities;
// so an ensemble of one ranks as its member does.
type Ensemble struct {
	// Members have one numbering of entities and relations. Their order depends on nothing
	// but their numbers, and so does that of sums: however the members are given, the bits
	// are the same.
	Members []*kge.Model
	// Choice says how they were chosen; nil where nobody chose.
	Choice *Choice
	// Valid and Test are what the ensemble reached, as in [kge.Model]. Of one that was chosen,
	// Valid is fitted to the validation triples; see [Choice].
	Valid, Test json.RawMessage
}

// NewEnsemble makes an ensemble of models that were trained on one graph, in whatever form, size
// and numbering.
func NewEnsemble(models []*kge.Model) (*Ensemble, error) {
	if len(models) == 0 {
		return nil, errors.New("an ensemble has one member at least: give a model")
	}
	members, of, err := Distinct(models)
	if err != nil {
		return nil, err
	}
	for i := range of {
		if first := slices.Index(of, of[i]); first < i {
			return nil, fmt.Errorf("model %d is model %d again: an ensemble has each model once", i, first)
		}
	}
	return &Ensemble{Members: members}, nil
}

// Distinct gives models of one graph one numbering, an order that depends on nothing but
// their numbers, and leaves out what is there again. of has the place there of each that was
// given.
func Distinct(models []*kge.Model) (distinct []*kge.Model, of []int, err error) {
	if len(models) == 0 {
		return nil, nil, nil
	}
	first := models[0]
	entities, relations := first.EntityLabels, first.RelationLabels
	if slices.ContainsFunc(models, func(m *kge.Model) bool { return !m.HasIDs(entities, relations) }) {
		entities, relations = slices.Sorted(slices.Values(entities)), slices.Sorted(slices.Values(relations))
	}
	numbered := make([]*kge.Model, len(models))
	for i, m := range models {
		if err := OneGraph(first, m); err != nil {
			return nil, nil, fmt.Errorf("model %d is not of the graph of model 0: %w", i, err)
		}
		if err := finite(i, m); err != nil {
			return nil, nil, err
		}
		if numbered[i], err = m.Reorder(entities, relations); err != nil {
			return nil, nil, err
		}
	}
	compare := func(a, b *kge.Model) int { return a.Compare(b.Parameters) }
	distinct = slices.CompactFunc(slices.SortedStableFunc(slices.Values(numbered), compare), func(a, b *kge.Model) bool { return compare(a, b) == 0 })
	for _, m := range numbered {
		place, _ := slices.BinarySearchFunc(distinct, m, compare)
		of = append(of, place)
	}
	return distinct, of, nil
}

// OneGraph says why two models cannot be of one ensemble: one has an entity or a relation that
// the other lacks.
func OneGraph(a, b *kge.Model) error {
	for _, kind := range []struct {
		name string
		a, b []string
	}{{"entity", a.EntityLabels, b.EntityLabels}, {"relation", a.RelationLabels, b.RelationLabels}} {
		if slices.Equal(kind.a, kind.b) {
			continue
		}
		in := make(map[string]bool, len(kind.a))
		for _, label := range kind.a {
			in[label] = true
		}
		for _, label := range kind.b {
			if !in[label] {
				return fmt.Errorf("only one of them has the %s %q: train the members of an ensemble on one graph", kind.name, label)
			}
			delete(in, label)
		}
		for _, label := range kind.a {
			if in[label] {
				return fmt.Errorf("only one of them has the %s %q: train the members of an ensemble on one graph", kind.name, label)
			}
		}
	}
	return nil
}

// Align is [Align] for the ids of the ensemble.
func (t *Ensemble) Align(g *datasets.Graph) (*datasets.Graph, error) { return Align(t.Members[0], g) }

// Predict is [Predict] by the ensemble, in float64; a score is a sum of logarithms of
// probabilities.
func (t *Ensemble) Predict(q Query, g *datasets.Graph, top int, known eval.KnownAnswers) ([]eval.Answer, error) {
	first := t.Members[0]
	return predict(first, q, g, top, known, func(given, relation int32) func(id int32) float64 {
		sums := make([]float64, len(first.EntityLabels))
		for _, m := range t.Members {
			score := q.scores(m, given, relation)
			scores := make([]float64, len(sums))
			for id := range scores {
				scores[id] = score(int32(id))
			}
			all := logSum(scores)
			for id := range sums {
				sums[id] += scores[id] - all
			}
		}
		return func(id int32) float64 { return sums[id] }
	})
}

// logSum is the logarithm of the sum of exponentials.
func logSum(scores []float64) float64 {
	most, sum := slices.Max(scores), 0.0
	for _, s := range scores {
		sum += math.Exp(s - most)
	}
	return most + math.Log(sum)
}

// Rank ranks a split ("train", "valid" or "test") of g, which has the ensemble's ids, as
// [RankSplit] does. Members are scored in float32, as all are, and summed up in float64.
func (t *Ensemble) Rank(ctx context.Context, engine kge.Engine, g *datasets.Graph, split string) ([]datasets.Triple, []eval.Ranked, error) {
	triples, err := splitOf(t.Members, g, split)
	if err != nil {
		return nil, nil, err
	}
	p, err := newPanel(ctx, engine, t.Members, triples, g)
	if err != nil {
		return nil, nil, err
	}
	defer p.close()
	all := make([]int, len(t.Members))
	for i := range all {
		all[i] = i
	}
	ranks := make([]eval.Ranked, len(triples))
	err = p.rank(ctx, [][]int{all[:len(all)-1]}, all[len(all)-1:], func(_, _ int, place int, rank eval.Rank) {
		if place%2 == 0 {
			ranks[place/2].Tail = rank
		} else {
			ranks[place/2].Head = rank
		}
	})
	return triples, ranks, err
}

// Evaluate is [EvaluateAll] for an ensemble.
func (t *Ensemble) Evaluate(ctx context.Context, engine kge.Engine, g *datasets.Graph) (e Evaluations, err error) {
	for _, split := range []string{"valid", "test"} {
		if triples, _ := g.Split(split); len(triples) == 0 {
			continue
		}
		_, ranks, err := t.Rank(ctx, engine, g, split)
		if err != nil {
			return e, err
		}
		summed := Summarize(ranks, eval.Pessimistic)
		*e.of(split) = &summed
	}
	text, err := e.Details()
	if err == nil {
		err = json.Unmarshal(text, &struct{ Valid, Test *json.RawMessage }{&t.Valid, &t.Test})
	}
	return e, err
}
