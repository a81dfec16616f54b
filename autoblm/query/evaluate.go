package query

import (
	"cmp"
	"context"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
)

// Scorer scores every entity as the end of a path.
type Scorer interface {
	// Scores calls visit with each query and the scores of all entities for it. The
	// calls come from several threads and in no order, each with its own slice, which
	// is valid until visit returns. When ctx ends, Scores returns its error soon.
	Scores(ctx context.Context, queries []Query, visit func(query int, scores []float32)) error
}

// Evaluation sums up how the hard answers of a set of queries rank, each among all
// entities that are no answer: means over the answers of a query, and of these over
// the queries (Ren et al., 2020). All are 0 without queries.
type Evaluation struct {
	Queries int `json:"queries"`
	// Answers are the hard answers of all queries together.
	Answers int `json:"answers"`
	completion.Metrics
}

// Evaluate ranks the hard answers of queries. Ties count against the model, and
// a score that is not a number comes last.
func Evaluate(ctx context.Context, scorer Scorer, queries []Query) (Evaluation, error) {
	each := make([]completion.Metrics, len(queries))
	err := scorer.Scores(ctx, queries, func(i int, scores []float32) {
		each[i] = queries[i].metrics(Rank(scores, queries[i]))
	})
	if err != nil {
		return Evaluation{}, err
	}
	e := Evaluation{Queries: len(queries)}
	for i, m := range each { // in their order, so that the sum is the same each time
		e.Answers += len(queries[i].Hard)
		e.MRR += m.MRR / float64(len(queries))
		e.Hits1 += m.Hits1 / float64(len(queries))
		e.Hits3 += m.Hits3 / float64(len(queries))
		e.Hits10 += m.Hits10 / float64(len(queries))
		e.MeanRank += m.MeanRank / float64(len(queries))
	}
	return e, nil
}

func (q Query) metrics(ranks []completion.Rank) (m completion.Metrics) {
	share := 1 / float64(len(ranks))
	for _, rank := range ranks {
		place := rank.Under(completion.Pessimistic)
		m.MRR += share / place
		m.MeanRank += share * place
		for _, hits := range []struct {
			limit float64
			count *float64
		}{{1, &m.Hits1}, {3, &m.Hits3}, {10, &m.Hits10}} {
			if place <= hits.limit {
				*hits.count += share
			}
		}
	}
	return m
}

// Rank counts, for each hard answer of a query, the entities that are no answer
// and score higher, and those that score the same.
func Rank(scores []float32, q Query) []completion.Rank {
	order := make([]int, 0, len(q.Hard)) // by score, without those that are no numbers
	for i, e := range q.Hard {
		if !math.IsNaN(float64(scores[e])) {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(a, b int) int {
		return cmp.Compare(scores[q.Hard[a]], scores[q.Hard[b]])
	})
	limits := make([]float32, len(order))
	for place, i := range order {
		limits[place] = scores[q.Hard[i]]
	}
	// beaten[n] counts candidates that score higher than n answers, and reached[n]
	// those that score at least as high.
	beaten, reached := make([]int32, len(order)+1), make([]int32, len(order)+1)
	count := func(score float32, candidates int32) {
		if len(limits) == 0 || !(score >= limits[0]) { // most candidates
			return
		}
		first, _ := slices.BinarySearch(limits, score)
		beaten[first] += candidates
		for first < len(limits) && limits[first] == score {
			first++
		}
		reached[first] += candidates
	}
	for _, score := range scores {
		count(score, 1)
	}
	for _, answers := range [...][]int32{q.Hard, q.Easy} {
		for _, e := range answers {
			count(scores[e], -1)
		}
	}
	ranks := make([]completion.Rank, len(q.Hard))
	last := completion.Rank{Better: int32(len(scores) - len(q.Hard) - len(q.Easy))}
	for i := range ranks {
		ranks[i] = last
	}
	better, atLeast := int32(0), int32(0)
	for place := len(order) - 1; place >= 0; place-- {
		better, atLeast = better+beaten[place+1], atLeast+reached[place+1]
		ranks[order[place]] = completion.Rank{Better: better, Equal: atLeast - better}
	}
	return ranks
}

// EvaluateModel ranks the answers to the valid and test queries of a length, where
// there are such, and notes what the model reached in it. The data have the ids of
// the model.
func EvaluateModel(ctx context.Context, engine Engine, m *Model, d *Data, hops int) error {
	scorer, err := engine.NewScorer(m.Parameters)
	if err != nil {
		return err
	}
	for _, split := range []struct {
		Split
		note **Evaluation
	}{{InValid, &m.Valid}, {InTest, &m.Test}} {
		queries := d.Queries(split.Split, hops)
		if len(queries) == 0 {
			continue
		}
		e, err := Evaluate(ctx, scorer, queries)
		if err != nil {
			return err
		}
		*split.note = &e
	}
	return nil
}
