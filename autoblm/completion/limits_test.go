package completion_test

import (
	"math"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestFinalLimits checks that benchmarks are ranked as a whole, and large graphs by a sample that is
// accurate enough.
func TestFinalLimits(t *testing.T) {
	for _, c := range []struct{ entities, triples, want int }{
		{135, 661, 0}, {14_951, 59_071, 0}, {40_943, 3134, 0}, {123_182, 5000, 0},
		{129_362, 78_066, 26_448}, {1_000_000, 50_000, 22_222}, {1_000_000, 5_000_000, 39_682},
	} {
		g := &datasets.Graph{
			Entities: make([]string, c.entities), Valid: make([]datasets.Triple, 10),
			Test: make([]datasets.Triple, c.triples),
		}
		if got := completion.FinalLimits(g); got != (eval.Limits{Test: c.want}) {
			t.Errorf("%d entities, %d triples: %+v, want %d", c.entities, c.triples, got, c.want)
		}
	}
}

// TestSummarizeSample compares the standard error of a sample of half of some triples with that of
// its definition.
func TestSummarizeSample(t *testing.T) {
	ranks := []eval.Ranked{ // reciprocal ranks 1, 0.5, 0.5 and 0.25
		{}, {Tail: eval.Rank{Better: 1}, Head: eval.Rank{Better: 1}},
		{Tail: eval.Rank{Better: 1}, Head: eval.Rank{Better: 1}},
		{Tail: eval.Rank{Better: 3}, Head: eval.Rank{Better: 3}},
	}
	const mean = 2.25 / 4
	variance := (math.Pow(1-mean, 2) + 2*math.Pow(.5-mean, 2) + math.Pow(.25-mean, 2)) / 3
	want := math.Sqrt(variance / 4 * (1 - 4.0/8))
	e := completion.SummarizeSample(ranks, 8, eval.Pessimistic)
	if e.Of != 8 || e.Triples != 4 || e.Both.MRR != mean || math.Abs(e.MRRError-want) > 1e-12 {
		t.Errorf("%+v, want an error of %v", e, want)
	}
	if e := completion.SummarizeSample(ranks, 4, eval.Pessimistic); e.Of != 0 || e.MRRError != 0 {
		t.Errorf("all triples: %+v", e)
	}
}
