package completion

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// Evaluation holds the metrics of a set of triples: over both sides, and for
// the head queries and the tail queries alone.
type Evaluation struct {
	Triples int         `json:"triples"`
	Ties    kge.Ties    `json:"ties"`
	Both    kge.Metrics `json:"both"`
	Head    kge.Metrics `json:"head"`
	Tail    kge.Metrics `json:"tail"`
}

// Summarize turns ranks into metrics.
func Summarize(ranks []kge.Ranked, ties kge.Ties) Evaluation {
	var head, tail kge.Metrics
	for _, r := range ranks {
		head.Add(r.Head.Under(ties), 1)
		tail.Add(r.Tail.Under(ties), 1)
	}
	n := float64(len(ranks))
	return Evaluation{Triples: len(ranks), Ties: ties, Both: head.Plus(tail).Over(2 * n), Head: head.Over(n), Tail: tail.Over(n)}
}

// RankSplit ranks a split ("train", "valid" or "test") of g by each model. The
// models share one shape, and g has their ids; see [Align].
func RankSplit(ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph, split string) ([]datasets.Triple, [][]kge.Ranked, error) {
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
	parameters := make([]kge.Parameters, len(models))
	for i, m := range models {
		if err := aligned(m, g); err != nil {
			return nil, nil, err
		}
		if !m.Finite() {
			return nil, nil, fmt.Errorf("model %d (%s) has numbers that are not finite: train it again with a smaller learning rate", i, cmp.Or(m.Structure.String(), m.Form.String()))
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

// Evaluate is [RankSplit] for one model, summed up.
func Evaluate(ctx context.Context, engine kge.Engine, m *kge.Model, g *datasets.Graph, split string, ties kge.Ties) (Evaluation, error) {
	_, ranks, err := RankSplit(ctx, engine, []*kge.Model{m}, g, split)
	if err != nil {
		return Evaluation{}, err
	}
	return Summarize(ranks[0], ties), nil
}

// EvaluateAll ranks the validation and the test triples of g by all models at
// once, where there are such triples, ties counted against them. It notes what they
// reached in the models. A nil stands for a model that there is none of.
func EvaluateAll(ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph) ([]Evaluations, error) {
	all := make([]Evaluations, len(models))
	present := slices.DeleteFunc(slices.Clone(models), func(m *kge.Model) bool { return m == nil })
	if len(present) == 0 {
		return all, nil
	}
	for _, split := range []struct {
		name    string
		triples []datasets.Triple
		note    func(i int, e *Evaluation, text json.RawMessage)
	}{
		{"valid", g.Valid, func(i int, e *Evaluation, text json.RawMessage) { all[i].Valid, models[i].Valid = e, text }},
		{"test", g.Test, func(i int, e *Evaluation, text json.RawMessage) { all[i].Test, models[i].Test = e, text }},
	} {
		if len(split.triples) == 0 {
			continue
		}
		_, ranks, err := RankSplit(ctx, engine, present, g, split.name)
		if err != nil {
			return nil, err
		}
		for i, m := range models {
			if m == nil {
				continue
			}
			e := Summarize(ranks[0], kge.Pessimistic)
			ranks = ranks[1:]
			text, err := json.Marshal(e)
			if err != nil {
				return nil, err
			}
			split.note(i, &e, text)
		}
	}
	return all, nil
}

// NotedIn are what is noted in a model.
func NotedIn(m *kge.Model) (e Evaluations, err error) {
	for _, split := range []struct {
		text json.RawMessage
		to   **Evaluation
	}{{m.Valid, &e.Valid}, {m.Test, &e.Test}} {
		if len(split.text) == 0 {
			continue
		}
		if err := json.Unmarshal(split.text, split.to); err != nil {
			return e, fmt.Errorf("the model has metrics that are none of triples: %w", err)
		}
	}
	return e, nil
}
