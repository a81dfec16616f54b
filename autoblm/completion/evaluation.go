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
	"github.com/autoblm/autoblm-go/internal/words"
)

// Evaluation holds the metrics of a set of triples: over both sides, and for
// the head queries and the tail queries alone.
type Evaluation struct {
	// Triples is how many were ranked, and Of how many there are where these are a sample
	// of them; else 0.
	Triples int         `json:"triples"`
	Of      int         `json:"of,omitempty"`
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
// models share one shape, and g has their ids; see [Align]. The precision decides how fast
// that is, and nothing else.
func RankSplit(ctx context.Context, engine kge.Engine, precision kge.Precision, models []*kge.Model, g *datasets.Graph, split string) ([]datasets.Triple, [][]kge.Ranked, error) {
	return rankSample(ctx, engine, precision, models, g, split, 0)
}

// rankSample ranks so many triples of the split at most; see [kge.Sample].
func rankSample(ctx context.Context, engine kge.Engine, precision kge.Precision, models []*kge.Model, g *datasets.Graph, split string, most int) ([]datasets.Triple, [][]kge.Ranked, error) {
	triples, err := splitOf(models, g, split)
	if err != nil {
		return nil, nil, err
	}
	triples = kge.Sample(triples, most)
	if len(models) == 0 {
		return nil, nil, errors.New("there is no model to rank by: give at least one")
	}
	parameters := make([]kge.Parameters, len(models))
	for i, m := range models {
		parameters[i] = m.Parameters
	}
	ranker, err := engine.NewRanker(parameters, precision)
	if err != nil {
		return nil, nil, err
	}
	defer ranker.Close()
	ranks, err := rank(ctx, ranker, triples, g)
	return triples, ranks, err
}

// splitOf are the triples of a split that models can rank.
func splitOf(models []*kge.Model, g *datasets.Graph, split string) ([]datasets.Triple, error) {
	triples, err := g.Split(split)
	if err != nil {
		return nil, err
	}
	if len(triples) == 0 {
		return nil, fmt.Errorf("%s has no %s triples to rank", g.Name, split)
	}
	for i, m := range models {
		if !m.SameIDs(g.Entities, g.Relations) {
			return nil, fmt.Errorf("%s numbers its entities and relations otherwise than the model: align it first, see Align", g.Name)
		}
		if err := finite(i, m); err != nil {
			return nil, err
		}
	}
	return triples, nil
}

// finite says so of a model that is none, by its number.
func finite(i int, m *kge.Model) error {
	if m.Finite() {
		return nil
	}
	return fmt.Errorf("model %d (%s) has numbers that are not finite: train it again with a smaller learning rate", i, cmp.Or(m.Structure.String(), m.Form.String()))
}

// Evaluate is [RankSplit] for one model, summed up.
func Evaluate(ctx context.Context, engine kge.Engine, m *kge.Model, g *datasets.Graph, split string, ties kge.Ties) (Evaluation, error) {
	_, ranks, err := RankSplit(ctx, engine, kge.AutoPrecision, []*kge.Model{m}, g, split)
	if err != nil {
		return Evaluation{}, err
	}
	return Summarize(ranks[0], ties), nil
}

// Evaluations are what a trial tells of its model beside the score: the metrics of
// both splits, nil where a split has nothing to rank.
type Evaluations struct {
	Valid *Evaluation `json:"valid,omitempty"`
	Test  *Evaluation `json:"test,omitempty"`
}

// EvaluateAll ranks the validation and the test triples of g by all models at
// once, where there are such triples, ties counted against them. It notes what they
// reached in the models. A nil stands for a model that there is none of.
func EvaluateAll(ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph) ([]Evaluations, error) {
	return EvaluateSome(ctx, engine, models, g, kge.Limits{})
}

// EvaluateSome is [EvaluateAll] within limits.
func EvaluateSome(ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph, limits kge.Limits) ([]Evaluations, error) {
	all := make([]Evaluations, len(models))
	present := slices.DeleteFunc(slices.Clone(models), func(m *kge.Model) bool { return m == nil })
	for split, most := range limits.Splits() {
		triples, _ := g.Split(split)
		if len(kge.Sample(triples, most)) == 0 || len(present) == 0 {
			continue
		}
		ranked, ranks, err := rankSample(ctx, engine, kge.AutoPrecision, present, g, split, most)
		if err != nil {
			return nil, err
		}
		for i, m := range models {
			if m != nil {
				e := Summarize(ranks[0], kge.Pessimistic)
				if len(ranked) < len(triples) {
					e.Of = len(triples)
				}
				*all[i].of(split), ranks = &e, ranks[1:]
			}
		}
	}
	for i, m := range models {
		if m == nil {
			continue
		}
		if err := m.Note(all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// of is the evaluation of "valid" or of "test".
func (e *Evaluations) of(split string) **Evaluation {
	if split == "valid" {
		return &e.Valid
	}
	return &e.Test
}

// EvaluationsOf reads them from the details of a trial; those of a task without them
// have neither.
func EvaluationsOf(details json.RawMessage) (e Evaluations) {
	_ = json.Unmarshal(details, &e) // what is no such object has none
	return e
}

// Details are the evaluations as a trial has them.
func (e Evaluations) Details() (json.RawMessage, error) { return json.Marshal(e) }

// Scores are the validation and the test MRR, nil where there is none.
func (e Evaluations) Scores() (valid, test *float64) {
	mrr := func(e *Evaluation) *float64 {
		if e == nil {
			return nil
		}
		return &e.Both.MRR
	}
	return mrr(e.Valid), mrr(e.Test)
}

// NewTable is a table for evaluations.
func NewTable() *words.Table {
	return words.NewTable("", "MRR", "H@1", "H@3", "H@10", "mean rank")
}

// AddTo adds the metrics to a table, and with sides those of each side. There are none
// where the evaluation is nil.
func (e *Evaluation) AddTo(t *words.Table, name string, sides bool) {
	add := func(name string, m kge.Metrics) {
		t.Add(name, m.MRR, m.Hits1, m.Hits3, m.Hits10, fmt.Sprintf("%.1f", m.MeanRank))
	}
	if e != nil {
		add(name, e.Both)
	}
	if e != nil && sides {
		add("  heads", e.Head)
		add("  tails", e.Tail)
	}
}
