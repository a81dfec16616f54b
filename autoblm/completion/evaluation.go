package completion

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Evaluation holds the metrics of triples, for both sides, for head queries and for tail queries.
type Evaluation struct {
	// Triples is the number of ranked triples. Of is the number of all triples if only a sample is
	// ranked; otherwise 0.
	Triples int `json:"triples"`
	Of      int `json:"of,omitempty"`
	// MRRError is the standard error of the MRR of a sample.
	MRRError float64      `json:"mrr_error,omitempty"`
	Ties     eval.Ties    `json:"ties"`
	Both     eval.Metrics `json:"both"`
	Head     eval.Metrics `json:"head"`
	Tail     eval.Metrics `json:"tail"`
}

// Summarize turns ranks into metrics.
func Summarize(ranks []eval.Ranked, ties eval.Ties) Evaluation {
	var head, tail eval.Metrics
	for _, r := range ranks {
		head.Add(r.Head.Under(ties), 1)
		tail.Add(r.Tail.Under(ties), 1)
	}
	n := float64(len(ranks))
	return Evaluation{
		Triples: len(ranks), Ties: ties, Both: head.Plus(tail).Over(2 * n),
		Head: head.Over(n), Tail: tail.Over(n),
	}
}

// SummarizeSample works like [Summarize] for the ranks of a sample of a number of triples.
func SummarizeSample(ranks []eval.Ranked, of int, ties eval.Ties) Evaluation {
	e := Summarize(ranks, ties)
	if len(ranks) >= of {
		return e
	}
	reciprocal := make([]float64, len(ranks)) // of both sides of a triple, which are not independent
	for i, r := range ranks {
		reciprocal[i] = (1/r.Head.Under(ties) + 1/r.Tail.Under(ties)) / 2
	}
	e.Of, e.MRRError = of, eval.StandardError(reciprocal, of)
	return e
}

// RankSplit ranks a split ("train", "valid" or "test") of g with each model, or an [eval.Sample] of
// it. The models have the same shape, and g has their ids; see [Align]. The precision affects the
// speed only.
func RankSplit(
	ctx context.Context, engine kge.Engine, precision kge.Precision, models []*kge.Model,
	g *datasets.Graph, split string, sample int,
) ([]datasets.Triple, [][]eval.Ranked, error) {
	triples, err := splitOf(models, g, split, sample)
	if err != nil {
		return nil, nil, err
	}
	if len(models) == 0 {
		return nil, nil, errors.New("there is no model to rank with: give at least one")
	}
	ranker, err := rankerOf(engine, precision, models)
	if err != nil {
		return nil, nil, err
	}
	defer ranker.Close()
	ranks, err := rank(ctx, ranker, triples, g)
	return triples, ranks, err
}

func rankerOf(engine kge.Engine, precision kge.Precision, models []*kge.Model) (kge.Ranker, error) {
	parameters := make([]kge.Parameters, len(models))
	for i, m := range models {
		parameters[i] = m.Parameters
	}
	return engine.NewRanker(parameters, precision)
}

// splitOf returns a sample of the triples of a split, 0 for all. It returns an error if the models
// cannot rank them.
func splitOf(
	models []*kge.Model, g *datasets.Graph, split string, sample int,
) ([]datasets.Triple, error) {
	triples, err := g.Split(split)
	if err != nil {
		return nil, err
	}
	if len(triples) == 0 {
		return nil, fmt.Errorf("%s has no %s triples to rank", cmp.Or(g.Name, "the graph"), split)
	}
	return eval.Sample(triples, sample), checkModels(models, g)
}

// checkModels returns an error if models cannot rank triples of g.
func checkModels(models []*kge.Model, g *datasets.Graph) error {
	if err := g.ValidateIDs(); err != nil {
		return err
	}
	for i, m := range models {
		if !m.HasIDs(g.Entities, g.Relations) {
			return fmt.Errorf("%s has other ids than the model: call Align first", g.Name)
		}
		if err := checkFinite(i, m); err != nil {
			return err
		}
	}
	return nil
}

// checkFinite returns an error if a model is not finite.
func checkFinite(i int, m *kge.Model) error {
	if m.Finite() {
		return nil
	}
	return fmt.Errorf("model %d (%s) has numbers that are not finite: "+
		"retrain it with a smaller learning rate", i, cmp.Or(m.Structure.String(), m.Form.String()))
}

// Evaluate returns the metrics of one model on a split, from [RankSplit].
func Evaluate(
	ctx context.Context, engine kge.Engine, m *kge.Model, g *datasets.Graph, split string,
	ties eval.Ties,
) (Evaluation, error) {
	_, ranks, err := RankSplit(ctx, engine, kge.AutoPrecision, []*kge.Model{m}, g, split, 0)
	if err != nil {
		return Evaluation{}, err
	}
	return Summarize(ranks[0], ties), nil
}

// Evaluations holds the metrics on valid and test, nil for a split without ranked triples. They are
// stored as the details of a trial.
type Evaluations struct {
	Valid *Evaluation `json:"valid,omitempty"`
	Test  *Evaluation `json:"test,omitempty"`
}

// EvaluateAll ranks the validation and the test triples of g with all models at once, with ties
// counted against them, and stores the results in the models. It skips nil models.
func EvaluateAll(
	ctx context.Context, engine kge.Engine, models []*kge.Model, g *datasets.Graph, how eval.Options,
) ([]Evaluations, error) {
	present := slices.DeleteFunc(slices.Clone(models), func(m *kge.Model) bool { return m == nil })
	whole := [2][]datasets.Triple{g.Valid, g.Test}
	samples := [2][]datasets.Triple{eval.Sample(g.Valid, how.Valid), eval.Sample(g.Test, how.Test)}
	ranked := make([][]int, 2)   // indices of the ranked triples of each sample
	var ranks [2][][]eval.Ranked // by split, model and triple
	if len(present) > 0 && len(samples[0])+len(samples[1]) > 0 {
		if err := checkModels(present, g); err != nil {
			return nil, err
		}
		ranker, err := rankerOf(engine, kge.AutoPrecision, present)
		if err != nil {
			return nil, err
		}
		defer ranker.Close()
		for split, sample := range samples {
			for range present {
				ranks[split] = append(ranks[split], make([]eval.Ranked, len(sample)))
			}
		}
		sizes := []int{len(samples[0]), len(samples[1])}
		ranked, err = how.Rank(ranker, sizes, func(split int, indices []int) error {
			byModel, err := rank(ctx, ranker, eval.Select(samples[split], indices), g)
			for model := range byModel {
				for i, index := range indices {
					ranks[split][model][index] = byModel[model][i]
				}
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	all := make([]Evaluations, len(models))
	for i, m := range models {
		if m == nil {
			continue
		}
		for split, to := range []**Evaluation{&all[i].Valid, &all[i].Test} {
			if len(ranked[split]) == 0 {
				continue
			}
			these := eval.Select(ranks[split][0], ranked[split])
			e := SummarizeSample(these, len(whole[split]), eval.Pessimistic)
			ranks[split] = ranks[split][1:] // those of the next model
			*to = &e
		}
		if err := m.SetEvaluations(all[i]); err != nil {
			return nil, err
		}
	}
	return all, nil
}

// of returns the evaluation of "valid" or "test".
func (e *Evaluations) of(split string) **Evaluation {
	if split == "valid" {
		return &e.Valid
	}
	return &e.Test
}

// EvaluationsOf decodes the details of a trial. Those of other tasks have no evaluations.
func EvaluationsOf(details json.RawMessage) (e Evaluations) {
	_ = json.Unmarshal(details, &e) // zero for other details
	return e
}

// Details encodes the evaluations as details of a trial.
func (e Evaluations) Details() (json.RawMessage, error) { return json.Marshal(e) }

// Scores returns the validation and the test MRR; nil without evaluation.
func (e Evaluations) Scores() (valid, test *float64) {
	mrr := func(e *Evaluation) *float64 {
		if e == nil {
			return nil
		}
		return &e.Both.MRR
	}
	return mrr(e.Valid), mrr(e.Test)
}

// Table prints metrics in columns.
type Table = table.Table

// NewTable returns a table for evaluations.
func NewTable() *Table {
	return table.New("", "MRR", "H@1", "H@3", "H@10", "mean rank")
}

// AddTo adds the metrics to a table, with sides also those of each side. It adds nothing if the
// evaluation is nil.
func (e *Evaluation) AddTo(t *Table, name string, sides bool) {
	add := func(name string, m eval.Metrics) {
		t.Add(name, m.MRR, m.Hits1, m.Hits3, m.Hits10, fmt.Sprintf("%.1f", m.MeanRank))
	}
	if e != nil {
		add(name+eval.DescribeSample(e.Triples, e.Of, e.MRRError), e.Both)
	}
	if e != nil && sides {
		add("  heads", e.Head)
		add("  tails", e.Tail)
	}
}
