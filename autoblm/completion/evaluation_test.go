package completion_test

import (
	"encoding/json"
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// checkError checks that an error has one line with all the given parts.
func checkError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q does not say %q", err, part)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("error %q has more than one line", err)
	}
}

func mean(x []float64) float64 {
	sum := 0.0
	for _, v := range x {
		sum += v
	}
	return sum / float64(max(len(x), 1))
}

func near(a, b float64) bool { return math.Abs(a-b) <= 1e-12*math.Max(1, math.Abs(b)) }

var allTies = []eval.Ties{eval.Pessimistic, eval.Optimistic, eval.Realistic}

// metricsByDefinition computes metrics from their definitions.
func metricsByDefinition(ranks []float64) eval.Metrics {
	hits := func(limit float64) float64 {
		n := 0
		for _, r := range ranks {
			if r <= limit {
				n++
			}
		}
		return float64(n) / float64(max(len(ranks), 1))
	}
	var inverse []float64
	for _, r := range ranks {
		inverse = append(inverse, 1/r)
	}
	return eval.Metrics{MRR: mean(inverse), Hits1: hits(1), Hits3: hits(3), Hits10: hits(10),
		MeanRank: mean(ranks)}
}

func nearMetrics(a, b eval.Metrics) bool {
	return near(a.MRR, b.MRR) && near(a.Hits1, b.Hits1) && near(a.Hits3, b.Hits3) &&
		near(a.Hits10, b.Hits10) && near(a.MeanRank, b.MeanRank)
}

// rankOf returns the Rank of the first score among all, and its value under each rule for ties.
func rankOf(scores []float64) (eval.Rank, map[eval.Ties]float64) {
	above, same := 0, 0
	for _, score := range scores[1:] {
		switch {
		case score > scores[0]:
			above++
		case score == scores[0]:
			same++
		}
	}
	first, last := float64(above+1), float64(above+same+1)
	return eval.Rank{Better: int32(above), Equal: int32(same)}, map[eval.Ties]float64{
		eval.Optimistic: first, eval.Pessimistic: last, eval.Realistic: (first + last) / 2}
}

func TestSummarizeFollowsTheDefinition(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		score := rapid.IntRange(-3, 3)
		query := rapid.Custom(func(t *rapid.T) []float64 { // the true entity's score comes first
			var scores []float64
			for _, s := range rapid.SliceOfN(score, 1, 20).Draw(t, "scores") {
				scores = append(scores, float64(s))
			}
			return scores
		})
		var ranked []eval.Ranked
		heads, tails := map[eval.Ties][]float64{}, map[eval.Ties][]float64{}
		for range rapid.IntRange(0, 8).Draw(t, "triples") {
			head, tail := query.Draw(t, "head"), query.Draw(t, "tail")
			headRank, headPlaces := rankOf(head)
			tailRank, tailPlaces := rankOf(tail)
			ranked = append(ranked, eval.Ranked{Head: headRank, Tail: tailRank})
			for _, ties := range allTies {
				heads[ties] = append(heads[ties], headPlaces[ties])
				tails[ties] = append(tails[ties], tailPlaces[ties])
			}
		}
		got := map[eval.Ties]completion.Evaluation{}
		for _, ties := range allTies {
			e := completion.Summarize(ranked, ties)
			got[ties] = e
			if e.Triples != len(ranked) || e.Ties != ties {
				t.Fatalf("%d triples and %v, want %d and %v", e.Triples, e.Ties, len(ranked), ties)
			}
			both := slices.Concat(heads[ties], tails[ties])
			for side, pair := range map[string][2]eval.Metrics{
				"head": {e.Head, metricsByDefinition(heads[ties])},
				"tail": {e.Tail, metricsByDefinition(tails[ties])},
				"both": {e.Both, metricsByDefinition(both)},
			} {
				if !nearMetrics(pair[0], pair[1]) {
					t.Fatalf("%s, %v: %+v, by definition %+v", side, ties, pair[0], pair[1])
				}
				if m := pair[0]; m.MRR < 0 || m.MRR > 1 || m.Hits1 > m.Hits3 || m.Hits3 > m.Hits10 ||
					m.Hits10 > 1 {
					t.Fatalf("%s, %v: %+v is out of bounds", side, ties, m)
				}
			}
			if !near(e.Both.MRR, (e.Head.MRR+e.Tail.MRR)/2) {
				t.Fatalf("MRR %v is not the mean of %v and %v", e.Both.MRR, e.Head.MRR, e.Tail.MRR)
			}
		}
		const rounding = 1e-12
		if o, r, p := got[eval.Optimistic].Both.MRR, got[eval.Realistic].Both.MRR,
			got[eval.Pessimistic].Both.MRR; o+rounding < r || r+rounding < p {
			t.Fatalf("MRR %v optimistic, %v realistic, %v pessimistic: want them in falling order", o, r, p)
		}
	})
}

func TestEvaluationJSON(t *testing.T) {
	got, err := json.Marshal(completion.Summarize(
		[]eval.Ranked{{Tail: eval.Rank{Better: 1}, Head: eval.Rank{Better: 3}}}, eval.Pessimistic))
	const want = `{"triples":1,"ties":"pessimistic",` +
		`"both":{"mrr":0.375,"hits1":0,"hits3":0.5,"hits10":1,"mean_rank":3},` +
		`"head":{"mrr":0.25,"hits1":0,"hits3":0,"hits10":1,"mean_rank":4},` +
		`"tail":{"mrr":0.5,"hits1":0,"hits3":1,"hits10":1,"mean_rank":2}}`
	if err != nil || string(got) != want {
		t.Errorf("%s, %v; want %s", got, err, want)
	}
}

func TestRankSplit(t *testing.T) {
	m, g := enginetest.SmallModel(), enginetest.SmallGraph()
	for split, want := range map[string][]datasets.Triple{"train": g.Train, "valid": g.Valid,
		"test": g.Test} {
		engine := &enginetest.Scripted{Better: func(_, member int) int32 { return int32(3 * member) }}
		triples, ranks, err := completion.RankSplit(t.Context(), engine, kge.AutoPrecision,
			[]*kge.Model{m, m}, g, split, 0)
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(triples, want) || !slices.Equal(engine.RankedSplit, want) ||
			engine.RankedKnown != g.Known() || engine.Closed != 1 {
			t.Errorf("%s: other triples or known answers were ranked than those of the graph", split)
		}
		if len(ranks) != 2 || len(ranks[1]) != len(want) || ranks[1][0].Tail.Better != 3 ||
			len(engine.Members) != 2 {
			t.Errorf("%s: ranks %v", split, ranks)
		}
	}
	engine := &enginetest.Scripted{Better: func(_, _ int) int32 { return 3 }}
	e, err := completion.Evaluate(t.Context(), engine, m, g, "test", eval.Optimistic)
	if err != nil || e.Triples != 2 || e.Ties != eval.Optimistic || e.Both.MRR != 1.0/4 {
		t.Errorf("%+v, %v", e, err)
	}
}

func TestRankSplitRefuses(t *testing.T) {
	rank := func(g *datasets.Graph, split string, models ...*kge.Model) error {
		_, _, err := completion.RankSplit(t.Context(), &enginetest.Scripted{}, kge.AutoPrecision, models,
			g, split, 0)
		return err
	}
	m := enginetest.SmallModel()
	checkError(t, rank(enginetest.SmallGraph(), "dev", m), `"dev"`, "train, valid or test")
	checkError(t, rank(enginetest.SmallGraph(), "test"), "at least one")

	empty := enginetest.SmallGraph()
	empty.Test = nil
	checkError(t, rank(empty, "test", m), "small has no test triples")

	other := renumbered(enginetest.SmallGraph(), []int{1, 0, 2, 3, 4, 5, 6}, []int{0, 1})
	checkError(t, rank(other, "test", m), "call Align")
	other = renumbered(enginetest.SmallGraph(), []int{0, 1, 2, 3, 4, 5, 6}, []int{1, 0})
	checkError(t, rank(other, "test", m), "call Align")

	spoilt := enginetest.SmallModel()
	spoilt.Relations[3] = float32(math.Inf(1))
	checkError(t, rank(enginetest.SmallGraph(), "test", m, spoilt), "not finite",
		spoilt.Structure.String(), "smaller learning rate")

	if _, err := completion.Evaluate(t.Context(), &enginetest.Scripted{FailPopulation: true}, m,
		enginetest.SmallGraph(), "test", eval.Pessimistic); !errors.Is(err, enginetest.ErrScripted) {
		t.Errorf("error %v, want that of the engine", err)
	}
}
