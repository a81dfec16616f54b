package query

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"pgregory.net/rapid"
)

// given are scores that are known beforehand, by model and question.
type given struct {
	kge.Ranker
	scores [][][]float32
}

func (g given) Scores(
	_ context.Context, model int, questions []kge.Question, visit func(question int, scores []float32),
) error {
	for i := range questions {
		visit(i, g.scores[model][i])
	}
	return nil
}

func (given) Close() {}

// TestEvaluate compares metrics with the definition: each hard answer among all entities that are
// not answers, averaged over a query and then over queries.
func TestEvaluate(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		entities := rapid.IntRange(1, 15).Draw(t, "entities")
		score := rapid.SampledFrom([]float32{-1, -0.5, 0, 0.5, 0.5, 2, float32(math.NaN()),
			float32(math.Inf(1)), float32(math.Inf(-1))})
		var queries []Query
		var scores [][]float32
		want, answers := eval.Metrics{}, 0
		n := rapid.IntRange(1, 4).Draw(t, "queries")
		for range n {
			var q Query
			for e := range int32(entities) {
				switch rapid.IntRange(0, 3).Draw(t, "kind") {
				case 0:
					q.Hard = append(q.Hard, e)
				case 1:
					q.Easy = append(q.Easy, e)
				}
			}
			if q.Hard == nil {
				q.Hard, q.Easy = []int32{0}, slices.DeleteFunc(q.Easy, func(e int32) bool { return e == 0 })
			}
			s := rapid.SliceOfN(score, entities, entities).Draw(t, "scores")
			queries, scores = append(queries, q), append(scores, s)
			answers += len(q.Hard)
			for _, answer := range q.Hard {
				rank := 1.0
				for e := range int32(entities) {
					if slices.Contains(q.Hard, e) || slices.Contains(q.Easy, e) {
						continue
					}
					if s[e] >= s[answer] || math.IsNaN(float64(s[answer])) {
						rank++
					}
				}
				share := 1 / float64(len(q.Hard)) / float64(n)
				want.MRR += share / rank
				want.MeanRank += share * rank
				for limit, hits := range map[float64]*float64{1: &want.Hits1, 3: &want.Hits3,
					10: &want.Hits10} {
					if rank <= limit {
						*hits += share
					}
				}
			}
		}
		model := rapid.IntRange(0, 2).Draw(t, "model") // only this one has scores
		ranker := given{scores: make([][][]float32, 3)}
		ranker.scores[model] = scores
		got, err := Evaluate(t.Context(), ranker, model, queries)
		if err != nil {
			t.Fatal(err)
		}
		if got.Queries != n || got.Answers != answers {
			t.Fatalf("%d queries with %d answers, want %d with %d", got.Queries, got.Answers, n, answers)
		}
		for what, pair := range map[string][2]float64{"MRR": {got.MRR, want.MRR},
			"H@1": {got.Hits1, want.Hits1}, "H@3": {got.Hits3, want.Hits3}, "H@10": {got.Hits10,
				want.Hits10}, "mean rank": {got.MeanRank, want.MeanRank}} {
			if math.Abs(pair[0]-pair[1]) > 1e-9 {
				t.Fatalf("%s is %v, want %v: %v with scores %v", what, pair[0], pair[1], queries, scores)
			}
		}
	})
}

// TestRankCountsTies checks that ties are counted separately.
func TestRankCountsTies(t *testing.T) {
	q := Query{Hard: []int32{1, 4}, Easy: []int32{3}}
	got := Rank([]float32{2, 1, 1, 1, 2, 0, 3}, q)
	want := []eval.Rank{{Better: 2, Equal: 1}, {Better: 1, Equal: 1}}
	if !slices.Equal(got, want) {
		t.Errorf("ranks %v, want %v", got, want)
	}
}
