package completion

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// Ensemble combines models. The score of an entity is the mean of its members' scores, weighted if
// there are weights, so its share of the softmax is their geometric mean up to a constant of the
// query. An ensemble of one member answers like that member.
type Ensemble struct {
	// Members have the same ids. Their order depends on their values only, so results do not depend
	// on the order in which models are given.
	Members []*kge.Model
	// Choice describes the selection of the members; nil if they were not selected.
	Choice *Choice
	// Weights are weights of the members for each relation; nil if all are equal. They replace the
	// choice.
	Weights *RelationWeights
	// Valid and Test are the metrics, as in [kge.Model]. The Valid of a chosen ensemble is fitted
	// to the validation triples; see [Choice].
	Valid, Test json.RawMessage
	// Calibration turns scores into probabilities; nil without them.
	Calibration *Calibration

	fingerprint string // of the loaded model.json, or ""
}

// NewEnsemble returns an ensemble of models of one graph, of any form, size and ids.
func NewEnsemble(models []*kge.Model) (*Ensemble, error) {
	e, _, err := newEnsemble(models)
	return e, err
}

// newEnsemble also returns the index of the member that each model became.
func newEnsemble(models []*kge.Model) (e *Ensemble, indices []int, err error) {
	if len(models) == 0 {
		return nil, nil, errors.New("an ensemble needs a member: give a model")
	}
	members, indices, err := Deduplicate(models)
	if err != nil {
		return nil, nil, err
	}
	for i := range indices {
		if first := slices.Index(indices, indices[i]); first < i {
			return nil, nil, fmt.Errorf("model %d repeats model %d: give each model once", i, first)
		}
	}
	return &Ensemble{Members: members}, indices, nil
}

// Deduplicate returns models of one graph with the same ids and without repetitions. Their order
// depends on their values only. indices has the index in unique of each given model.
func Deduplicate(models []*kge.Model) (unique []*kge.Model, indices []int, err error) {
	if len(models) == 0 {
		return nil, nil, nil
	}
	first := models[0]
	entities, relations := first.EntityLabels, first.RelationLabels
	hasOtherIDs := func(m *kge.Model) bool { return !m.HasIDs(entities, relations) }
	if slices.ContainsFunc(models, hasOtherIDs) {
		entities = slices.Sorted(slices.Values(entities))
		relations = slices.Sorted(slices.Values(relations))
	}
	reordered := make([]*kge.Model, len(models))
	for i, m := range models {
		if err := CheckSameGraph(first, m); err != nil {
			return nil, nil, fmt.Errorf("model %d does not belong to the graph of model 0: %w", i, err)
		}
		if err := checkFinite(i, m); err != nil {
			return nil, nil, err
		}
		if reordered[i], err = m.Reorder(entities, relations); err != nil {
			return nil, nil, err
		}
	}
	compare := func(a, b *kge.Model) int { return a.Compare(b.Parameters) }
	unique = slices.SortedStableFunc(slices.Values(reordered), compare)
	unique = slices.CompactFunc(unique, func(a, b *kge.Model) bool { return compare(a, b) == 0 })
	for _, m := range reordered {
		index, _ := slices.BinarySearchFunc(unique, m, compare)
		indices = append(indices, index)
	}
	return unique, indices, nil
}

// CheckSameGraph returns an error if one of two models has an entity or a relation that the other
// lacks.
func CheckSameGraph(a, b *kge.Model) error {
	for _, kind := range []struct {
		name string
		a, b []string
	}{
		{"entity", a.EntityLabels, b.EntityLabels}, {"relation", a.RelationLabels, b.RelationLabels},
	} {
		if slices.Equal(kind.a, kind.b) {
			continue
		}
		count := map[string]int{} // in a, minus in b
		for _, label := range kind.a {
			count[label]++
		}
		for _, label := range kind.b {
			count[label]--
		}
		for _, label := range slices.Concat(kind.b, kind.a) {
			if count[label] != 0 {
				return fmt.Errorf("only one of them has the %s %q: "+
					"train the members of an ensemble on one graph", kind.name, label)
			}
		}
	}
	return nil
}

// check returns an error if the choice or the weights are not those of the members.
func (e *Ensemble) check() error {
	if e.Choice != nil {
		if err := e.Choice.check(len(e.Members)); err != nil {
			return err
		}
	}
	if e.Weights != nil {
		return e.Weights.check(e.Choice, len(e.Members), e.Members[0].RelationLabels)
	}
	return nil
}

// Models returns the members in the order of their selection, or in that of Members, which is that of
// weights.
func (e *Ensemble) Models() []*kge.Model {
	if e.Choice == nil || e.Weights != nil {
		return e.Members
	}
	models := make([]*kge.Model, len(e.Members))
	for i, member := range e.Choice.Order {
		models[i] = e.Members[member]
	}
	return models
}

// Predict implements [Predictor].
func (e *Ensemble) Predict(g *datasets.Graph, q Query, o PredictOptions) ([]eval.Answer, error) {
	return predict(e, g, q, o)
}

// Score implements [Predictor].
func (e *Ensemble) Score(head, relation, tail string) (float64, error) {
	return score(e, head, relation, tail)
}

func (e *Ensemble) calibration() *Calibration { return e.Calibration }

func (e *Ensemble) loaded() string { return e.fingerprint }

func (e *Ensemble) scores(q question, kept *kge.CoreMatrices) func(id int32) float64 {
	return meanScores(e.Members, e.weights(q.relation), func(m *kge.Model) func(id int32) float64 {
		return q.scores(m, kept)
	})
}

// meanScores returns the mean of the scores of models, with weights of sum 1 or nil.
func meanScores(
	models []*kge.Model, weights []float64, scoresOf func(m *kge.Model) func(id int32) float64,
) func(id int32) float64 {
	members := make([]func(id int32) float64, len(models))
	for i, m := range models {
		members[i] = scoresOf(m)
	}
	if weights != nil {
		return func(id int32) (sum float64) {
			for i, score := range members {
				sum += weights[i] * score(id)
			}
			return sum
		}
	}
	return func(id int32) float64 {
		sum := 0.0
		for _, score := range members {
			sum += score(id)
		}
		return sum / float64(len(members))
	}
}

// memberWeight returns the weight of a member in the mean of scores, given the weights of all members
// or nil for equal ones.
func memberWeight(weights []float64, member, members int) float64 {
	if weights == nil {
		return 1 / float64(members)
	}
	return weights[member]
}

// ErrEnsemblePrecision means that an ensemble was asked to rank in bfloat16.
var ErrEnsemblePrecision = errors.New("ensembles rank in float32 only: " +
	"use the precision float32 or auto")

// Rank implements [Predictor]. It adds the float32 scores of members in float64.
func (e *Ensemble) Rank(
	ctx context.Context, engine kge.Engine, precision kge.Precision, g *datasets.Graph,
	split string, sample int,
) ([]datasets.Triple, []eval.Ranked, error) {
	if precision == kge.Bfloat16 {
		return nil, nil, ErrEnsemblePrecision
	}
	triples, err := splitOf(e.Members, g, split, sample)
	if err != nil {
		return nil, nil, err
	}
	r, err := newEnsembleRanker(ctx, engine, e.Members, triples, g)
	if err != nil {
		return nil, nil, err
	}
	defer r.close()
	ranks := make([]eval.Ranked, len(triples))
	err = r.rankWeighted(ctx, e.weights, func(slot int, rank eval.Rank) {
		if slot%2 == 0 {
			ranks[slot/2].Tail = rank
		} else {
			ranks[slot/2].Head = rank
		}
	})
	return triples, ranks, err
}

// Evaluate ranks valid and test, as [EvaluateAll] does, and stores the results in the ensemble.
func (e *Ensemble) Evaluate(
	ctx context.Context, engine kge.Engine, g *datasets.Graph, limits eval.Limits,
) (all Evaluations, err error) {
	for _, of := range []struct {
		split string
		limit int
	}{{"valid", limits.Valid}, {"test", limits.Test}} {
		triples, _ := g.Split(of.split)
		if len(triples) == 0 || of.limit == eval.None {
			continue
		}
		_, ranks, err := e.Rank(ctx, engine, kge.Float32, g, of.split, of.limit)
		if err != nil {
			return all, err
		}
		evaluation := SummarizeSample(ranks, len(triples), eval.Pessimistic)
		*all.of(of.split) = &evaluation
	}
	text, err := all.Details()
	if err == nil {
		err = json.Unmarshal(text, &struct{ Valid, Test *json.RawMessage }{&e.Valid, &e.Test})
	}
	return all, err
}
