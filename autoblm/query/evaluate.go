package query

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
)

// Evaluation sums up how the hard answers of a set of queries rank, each among all
// entities that are no answer: means over the answers of a query, and of these over
// the queries (Ren et al., 2020). All are 0 without queries.
type Evaluation struct {
	Queries int `json:"queries"`
	// Answers are the hard answers of all queries together.
	Answers int `json:"answers"`
	kge.Metrics
}

// Evaluate ranks the hard answers of queries by one of the models of a ranker. Ties
// count against the model, and a score that is not a number comes last.
func Evaluate(ctx context.Context, r kge.Ranker, model int, queries []Query) (Evaluation, error) {
	each := make([]kge.Metrics, len(queries))
	err := r.Scores(ctx, model, questions(queries), func(i int, scores []float32) {
		share := 1 / float64(len(queries[i].Hard))
		for _, rank := range Rank(scores, queries[i]) {
			each[i].Add(rank.Under(kge.Pessimistic), share)
		}
	})
	if err != nil {
		return Evaluation{}, err
	}
	e := Evaluation{Queries: len(queries)}
	for i, m := range each { // in their order, so that the sum is the same each time
		e.Answers += len(queries[i].Hard)
		e.Metrics = e.Plus(m.Over(float64(len(queries))))
	}
	return e, nil
}

func questions(queries []Query) []kge.Question {
	all := make([]kge.Question, len(queries))
	for i, q := range queries {
		all[i] = q.Question()
	}
	return all
}

// Rank counts, for each hard answer of a query, the entities that are no answer
// and score higher, and those that score the same.
func Rank(scores []float32, q Query) []kge.Rank {
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
	ranks := make([]kge.Rank, len(q.Hard))
	last := kge.Rank{Better: int32(len(scores) - len(q.Hard) - len(q.Easy))}
	for i := range ranks {
		ranks[i] = last
	}
	better, atLeast := int32(0), int32(0)
	for place := len(order) - 1; place >= 0; place-- {
		better, atLeast = better+beaten[place+1], atLeast+reached[place+1]
		ranks[order[place]] = kge.Rank{Better: better, Equal: atLeast - better}
	}
	return ranks
}

// Evaluations is what a model reached on the splits that decide and that are reported; nil
// where there are no queries or nothing was measured.
type Evaluations struct {
	Valid *Evaluation `json:"valid,omitempty"`
	Test  *Evaluation `json:"test,omitempty"`
}

// EvaluateModel ranks the answers to the valid and test queries of some lengths
// together, where there are such, and notes what the model reached in it. The data have
// the ids of the model.
func EvaluateModel(ctx context.Context, engine kge.Engine, m *kge.Model, d *Data, hops ...int) (e Evaluations, err error) {
	ranker, err := engine.NewRanker([]kge.Parameters{m.Parameters})
	if err != nil {
		return e, err
	}
	defer ranker.Close()
	for _, split := range []struct {
		Split
		to   **Evaluation
		note *json.RawMessage
	}{{InValid, &e.Valid, &m.Valid}, {InTest, &e.Test, &m.Test}} {
		queries := d.together(split.Split, hops)
		if len(queries) == 0 {
			continue
		}
		found, err := Evaluate(ctx, ranker, 0, queries)
		if err != nil {
			return e, err
		}
		*split.to = &found
		if *split.note, err = json.Marshal(found); err != nil {
			return e, err
		}
	}
	return e, nil
}
