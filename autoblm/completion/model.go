package completion

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
)

// Model is a trained scoring function with the names of its entities and relations.
type Model struct {
	Parameters
	// Dataset is the name of the graph it was trained on, and Source names it
	// for datasets.Open: the folder that it was read from, or its name.
	Dataset, Source string
	// EntityLabels and RelationLabels name the rows of the tables.
	EntityLabels, RelationLabels []string
	// Training says how it was trained; nil in a model written by another program.
	Training *Training
	// Valid and Test are what it reached, where that was measured.
	Valid, Test *Evaluation
}

// Training is the record of how a model came about.
type Training struct {
	Settings Settings `json:"settings"`
	Member   Member   `json:"member"`
}

func newModel(g *datasets.Graph, s Settings, m Member, p Parameters) *Model {
	return &Model{
		Parameters:     p,
		Dataset:        g.Name,
		Source:         cmp.Or(g.Folder, g.Name),
		EntityLabels:   g.Entities,
		RelationLabels: g.Relations,
		Training:       &Training{Settings: s, Member: m},
	}
}

// Score is the model's score of a triple given by ids, in float64 (paper, Equation
// 7): the one by which tails are ranked, and heads too unless relations have
// reverses; see [Model.HeadScore].
func (m *Model) Score(t datasets.Triple) float64 {
	return m.Structure.Score(widen(m.entity(t.Head)), widen(m.relation(t.Relation)), widen(m.entity(t.Tail)))
}

// HeadScore is the score by which the heads of triples are ranked: that of the
// triple turned round, where relations have reverses, and else [Model.Score].
func (m *Model) HeadScore(t datasets.Triple) float64 {
	if m.Reciprocal {
		t = datasets.Triple{Head: t.Tail, Relation: t.Relation + int32(len(m.RelationLabels)), Tail: t.Head}
	}
	return m.Score(t)
}

func (m *Model) entity(id int32) []float32 {
	return m.Entities[int(id)*m.Dim:][:m.Dim]
}

func (m *Model) relation(id int32) []float32 {
	return m.Relations[int(id)*m.Dim:][:m.Dim]
}

func widen(x []float32) []float64 {
	y := make([]float64, len(x))
	for i, v := range x {
		y[i] = float64(v)
	}
	return y
}

// Align returns g with the ids of the model, so that its triples and known
// answers can be ranked by it; every entity of the model is a candidate. A
// label that the model lacks is an error that names it.
func (m *Model) Align(g *datasets.Graph) (*datasets.Graph, error) {
	if slices.Equal(g.Entities, m.EntityLabels) && slices.Equal(g.Relations, m.RelationLabels) {
		return g, nil
	}
	entities, relations := index(m.EntityLabels), index(m.RelationLabels)
	aligned := &datasets.Graph{Name: g.Name, Entities: m.EntityLabels, Relations: m.RelationLabels}
	for _, split := range []struct {
		from []datasets.Triple
		to   *[]datasets.Triple
	}{{g.Train, &aligned.Train}, {g.Valid, &aligned.Valid}, {g.Test, &aligned.Test}} {
		for _, t := range split.from {
			head, okHead := entities[g.Entities[t.Head]]
			relation, okRelation := relations[g.Relations[t.Relation]]
			tail, okTail := entities[g.Entities[t.Tail]]
			switch {
			case !okHead:
				return nil, fmt.Errorf("the model has no entity %q, which %s mentions", g.Entities[t.Head], g.Name)
			case !okRelation:
				return nil, fmt.Errorf("the model has no relation %q, which %s mentions", g.Relations[t.Relation], g.Name)
			case !okTail:
				return nil, fmt.Errorf("the model has no entity %q, which %s mentions", g.Entities[t.Tail], g.Name)
			}
			*split.to = append(*split.to, datasets.Triple{Head: head, Relation: relation, Tail: tail})
		}
	}
	return aligned, nil
}

func index(labels []string) map[string]int32 {
	ids := make(map[string]int32, len(labels))
	for i, label := range labels {
		ids[label] = int32(i)
	}
	return ids
}

// RankSplit ranks a split ("train", "valid" or "test") of g by each model. The
// models share one shape, and g has their ids; see [Model.Align].
func RankSplit(ctx context.Context, engine Engine, models []*Model, g *datasets.Graph, split string) ([]datasets.Triple, [][]Ranked, error) {
	triples, err := g.Split(split)
	if err != nil {
		return nil, nil, err
	}
	if len(triples) == 0 {
		return nil, nil, fmt.Errorf("%s has no %s triples to rank", g.Name, split)
	}
	if len(models) == 0 {
		return nil, nil, errors.New("there is no model to rank by: give at least one")
	}
	parameters := make([]Parameters, len(models))
	for i, m := range models {
		if !slices.Equal(g.Entities, m.EntityLabels) || !slices.Equal(g.Relations, m.RelationLabels) {
			return nil, nil, fmt.Errorf("%s numbers its entities and relations otherwise than the model with structure %s: align it first, see Model.Align", g.Name, m.Structure)
		}
		if !m.finite() {
			return nil, nil, fmt.Errorf("the model with structure %s has numbers that are not finite: train it again with a smaller learning rate", m.Structure)
		}
		parameters[i] = m.Parameters
	}
	ranker, err := engine.NewRanker(parameters)
	if err != nil {
		return nil, nil, err
	}
	defer ranker.Close()
	ranks, err := ranker.Rank(ctx, triples, g.Known())
	return triples, ranks, err
}

// EvaluateAll ranks the validation and the test triples of g by all models at
// once, where there are such triples, and notes what they reached in the
// models, ties counted against them.
func EvaluateAll(ctx context.Context, engine Engine, models []*Model, g *datasets.Graph) error {
	if len(models) == 0 {
		return nil
	}
	for _, split := range []struct {
		name    string
		triples []datasets.Triple
		note    func(m *Model, e *Evaluation)
	}{
		{"valid", g.Valid, func(m *Model, e *Evaluation) { m.Valid = e }},
		{"test", g.Test, func(m *Model, e *Evaluation) { m.Test = e }},
	} {
		if len(split.triples) == 0 {
			continue
		}
		_, ranks, err := RankSplit(ctx, engine, models, g, split.name)
		if err != nil {
			return err
		}
		for i, m := range models {
			e := Summarize(ranks[i], Pessimistic)
			split.note(m, &e)
		}
	}
	return nil
}

// Evaluate is [RankSplit] for one model, summed up.
func Evaluate(ctx context.Context, engine Engine, m *Model, g *datasets.Graph, split string, ties Ties) (Evaluation, error) {
	_, ranks, err := RankSplit(ctx, engine, []*Model{m}, g, split)
	if err != nil {
		return Evaluation{}, err
	}
	return Summarize(ranks[0], ties), nil
}
