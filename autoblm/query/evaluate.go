package query

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/internal/labels"
	"github.com/autoblm/autoblm-go/internal/table"
)

// Evaluation holds ranking metrics of the hard answers of queries. Each answer is ranked among all
// entities that are not answers. Metrics are means over the answers of a query, then over the
// queries (Ren et al., 2020); 0 without queries.
type Evaluation struct {
	Queries int `json:"queries"`
	// Answers is the number of hard answers of all queries.
	Answers int `json:"answers"`
	// Of is the number of all queries if only a sample is ranked, and AnswersOf the number of hard
	// answers of all queries; otherwise both are 0.
	Of        int `json:"of,omitempty"`
	AnswersOf int `json:"answers_of,omitempty"`
	// MRRError is the standard error of the MRR of a sample.
	MRRError float64 `json:"mrr_error,omitempty"`
	eval.Metrics
}

// Evaluate ranks the hard answers of queries with one of the models of a ranker. Ties count against
// the model, and NaN ranks last.
func Evaluate(ctx context.Context, r kge.Ranker, model int, queries []Query) (Evaluation, error) {
	each, err := evaluateEach(ctx, r, model, queries)
	if err != nil {
		return Evaluation{}, err
	}
	return summarize(queries, each), nil
}

// evaluateEach returns the metrics of each query.
func evaluateEach(
	ctx context.Context, r kge.Ranker, model int, queries []Query,
) ([]eval.Metrics, error) {
	each := make([]eval.Metrics, len(queries))
	err := r.Scores(ctx, model, questionsOf(queries), func(i int, scores []float32) {
		each[i] = meanOf(Rank(scores, queries[i]))
	})
	return each, err
}

func questionsOf(queries []Query) []kge.Question {
	questions := make([]kge.Question, len(queries))
	for i, q := range queries {
		questions[i] = q.Question()
	}
	return questions
}

// meanOf returns the metrics of a query from the ranks of its hard answers.
func meanOf(ranks []eval.Rank) (m eval.Metrics) {
	for _, rank := range ranks {
		m.Add(rank.Under(eval.Pessimistic), 1/float64(len(ranks)))
	}
	return m
}

// TypedEvaluation holds the metrics of ranks among entities of the right kind.
type TypedEvaluation struct {
	Evaluation
	// Outside is the number of hard answers that are no candidates. They rank after all candidates.
	Outside int `json:"outside"`
}

// EvaluateTyped ranks the hard answers of queries, which have the ids of a model, among all entities
// and among those of the right kind. The latter are the entities to which the last relation of the
// path leads in train, and those that share a declared type with one of them, or all if there are
// none.
func EvaluateTyped(
	ctx context.Context, r kge.Ranker, m *kge.Model, d *Data, queries []Query,
) (all Evaluation, typed TypedEvaluation, err error) {
	kinds := map[int32]*candidates{} // by the last relation
	for _, q := range queries {
		last := q.Relations[len(q.Relations)-1]
		if _, found := kinds[last]; !found {
			kinds[last] = d.candidates(m, InTrain, last)
		}
	}
	amongAll, amongKind := make([]eval.Metrics, len(queries)), make([]eval.Metrics, len(queries))
	outside := make([]int, len(queries))
	err = r.Scores(ctx, 0, questionsOf(queries), func(i int, scores []float32) {
		q := queries[i]
		ranks := Rank(scores, q)
		amongAll[i] = meanOf(ranks)
		if c := kinds[q.Relations[len(q.Relations)-1]]; c != nil {
			ranks, outside[i] = c.rank(scores, q)
		}
		amongKind[i] = meanOf(ranks)
	})
	typed.Evaluation = summarize(queries, amongKind)
	for _, n := range outside {
		typed.Outside += n
	}
	return summarize(queries, amongAll), typed, err
}

// summarize combines the metrics of each query.
func summarize(queries []Query, each []eval.Metrics) Evaluation {
	e := Evaluation{Queries: len(queries)}
	for i, m := range each { // in this order, so that rounding is reproducible
		e.Answers += len(queries[i].Hard)
		e.Metrics = e.Plus(m.Over(float64(len(queries))))
	}
	return e
}

// summarizeSample works like [summarize] for a sample of all queries.
func summarizeSample(sample []Query, each []eval.Metrics, all []Query) Evaluation {
	e := summarize(sample, each)
	if len(sample) >= len(all) {
		return e
	}
	reciprocal := make([]float64, len(each))
	for i, m := range each {
		reciprocal[i] = m.MRR
	}
	e.Of, e.MRRError = len(all), eval.StandardError(reciprocal, len(all))
	for _, q := range all {
		e.AnswersOf += len(q.Hard)
	}
	return e
}

// Rank counts, for each hard answer of a query, the entities that are not answers and have a higher
// score, and those with the same score.
func Rank(scores []float32, q Query) []eval.Rank {
	var limits []float32 // scores of the answers without NaN
	for _, e := range q.Hard {
		if !math.IsNaN(float64(scores[e])) {
			limits = append(limits, scores[e])
		}
	}
	slices.Sort(limits)
	limits = slices.Compact(limits)
	// better[n] counts candidates that score higher than exactly n of the limits, and equal[n]
	// those that score the same as limit n.
	better, equal := make([]int32, len(limits)+1), make([]int32, len(limits))
	count := func(score float32, candidates int32) {
		if len(limits) == 0 || !(score >= limits[0]) { // most candidates
			return
		}
		n, same := slices.BinarySearch(limits, score)
		better[n] += candidates
		if same {
			equal[n] += candidates
		}
	}
	for _, score := range scores {
		count(score, 1)
	}
	for _, e := range slices.Concat(q.Hard, q.Easy) {
		count(scores[e], -1)
	}
	for n := len(limits) - 1; n >= 0; n-- { // from exactly n to n or more
		better[n] += better[n+1]
	}
	ranks := make([]eval.Rank, len(q.Hard))
	for i, e := range q.Hard {
		if n, found := slices.BinarySearch(limits, scores[e]); found {
			ranks[i] = eval.Rank{Better: better[n+1], Equal: equal[n]}
		} else { // NaN ranks last
			ranks[i] = eval.Rank{Better: int32(len(scores) - len(q.Hard) - len(q.Easy))}
		}
	}
	return ranks
}

// Evaluations holds the results of a model on valid and test; nil without queries or ranking.
type Evaluations struct {
	Valid *Evaluation `json:"valid,omitempty"`
	Test  *Evaluation `json:"test,omitempty"`
}

// EvaluateModel ranks the answers to the valid and test queries with the given numbers of hops and
// stores the result in the model. The data must have the ids of the model;
// [Data.Align] gives queries of other data these ids.
func EvaluateModel(
	ctx context.Context, engine kge.Engine, m *kge.Model, d *Data, how eval.Options, hops ...int,
) (e Evaluations, err error) {
	if !m.HasIDs(d.Entities, d.Relations) {
		return e, fmt.Errorf("%s and the model have other entities or relations, or another order of these: "+
			"rank the queries that Align returns", d.Name)
	}
	ranker, err := engine.NewRanker([]kge.Parameters{m.Parameters}, kge.AutoPrecision)
	if err != nil {
		return e, err
	}
	defer ranker.Close()
	all := [][]Query{d.queriesWith(InValid, hops), d.queriesWith(InTest, hops)}
	sample := [][]Query{eval.Sample(all[0], how.Valid), eval.Sample(all[1], how.Test)}
	sizes := []int{len(sample[0]), len(sample[1])}
	metrics := [][]eval.Metrics{make([]eval.Metrics, sizes[0]), make([]eval.Metrics, sizes[1])}
	ranked, err := how.Rank(ranker, sizes, func(split int, indices []int) error {
		each, err := evaluateEach(ctx, ranker, 0, eval.Select(sample[split], indices))
		for i, index := range indices[:len(each)] {
			metrics[split][index] = each[i]
		}
		return err
	})
	if err != nil {
		return e, err
	}
	for split, to := range []**Evaluation{&e.Valid, &e.Test} {
		if len(ranked[split]) == 0 {
			continue
		}
		queries := eval.Select(sample[split], ranked[split])
		each := eval.Select(metrics[split], ranked[split])
		evaluation := summarizeSample(queries, each, all[split])
		*to = &evaluation
	}
	return e, m.SetEvaluations(e)
}

// Align returns the queries of a split with the ids of a model. A label that the model lacks is an
// error, and so is a split without such queries. All entities of the model are candidates.
func (d *Data) Align(m *kge.Model, split Split, hops int) ([]Query, error) {
	if err := d.require(split, hops); err != nil {
		return nil, err
	}
	queries := d.Queries(split, hops)
	if m.HasIDs(d.Entities, d.Relations) {
		return queries, nil
	}
	ids := d.idsOf(m)
	aligned := make([]Query, len(queries))
	for i, q := range queries {
		aligned[i] = Query{
			Anchor: ids.Entity(q.Anchor), Relations: ids.Path(q.Relations),
			Hard: ids.Entities(q.Hard), Easy: ids.Entities(q.Easy),
		}
	}
	return aligned, ids.Missing()
}

// CheckCovered returns an error if the model lacks an entity or a relation of the data's graph.
func (d *Data) CheckCovered(m *kge.Model) error {
	if m.HasIDs(d.Entities, d.Relations) {
		return nil
	}
	ids := d.idsOf(m)
	for e := range int32(len(d.Entities)) {
		for _, r := range d.graphs[InTest].leaving(e) {
			ids.Entity(e)
			ids.Relation(r / 2)
		}
	}
	return ids.Missing()
}

func (d *Data) idsOf(m *kge.Model) labels.Translation {
	return labels.NewTranslation(d.Name, d.Entities, d.Relations, m.EntityLabels, m.RelationLabels)
}

// NewTable returns a table for evaluations.
func NewTable() *completion.Table {
	return table.New("", "queries", "answers", "MRR", "H@1", "H@3", "H@10")
}

// AddTo adds the metrics to a table; none if the evaluation is nil.
func (e *Evaluation) AddTo(t *completion.Table, name string) {
	if e != nil {
		name += eval.DescribeSample(e.Queries, e.Of, e.MRRError)
		t.Add(name, e.Queries, e.Answers, e.MRR, e.Hits1, e.Hits3, e.Hits10)
	}
}
