package completion_test

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
)

// TestQueryBatches checks that an epoch of binary cross entropy has each query of the training
// triples in both directions once, with all of its answers and the mean weight of its triples.
func TestQueryBatches(t *testing.T) {
	g := enginetest.RandomGraph(20, 3, 150, 1) // some triples are there twice
	want, weights := map[[2]int32][]int32{}, map[[2]int32][]float64{}
	mean := 0.0
	for i, x := range g.Train {
		g.Weights = append(g.Weights, float32(1+x.Tail%3))
		mean += float64(g.Weights[i]) / float64(len(g.Train))
	}
	for i, x := range g.Train {
		for query, answer := range map[[2]int32]int32{
			{x.Head, 2 * x.Relation}: x.Tail, {x.Tail, 2*x.Relation + 1}: x.Head,
		} {
			if !slices.Contains(want[query], answer) {
				want[query] = append(want[query], answer)
				weights[query] = append(weights[query], float64(g.Weights[i])/mean)
			}
		}
	}
	s := kge.DefaultSettings()
	s.Reciprocal, s.Loss, s.Batch = true, kge.BCE, 7
	d := completion.Data(g)
	seen, batches := map[[2]int32]bool{}, d.Batches(s, 1)
	if batches.Count != (len(want)+6)/7 {
		t.Errorf("%d batches of 7 for %d queries", batches.Count, len(want))
	}
	for _, batch := range batches.All() {
		for _, x := range batch {
			query := [2]int32{x.Anchor, x.Path[0]}
			answers, sum := slices.Sorted(slices.Values(want[query])), 0.0
			for _, weight := range weights[query] {
				sum += weight
			}
			if !slices.Equal(x.Targets, answers) || seen[query] ||
				math.Abs(float64(x.Weight)-sum/float64(len(answers))) > 1e-6 {
				t.Errorf("%v has the answers %v and weight %v, want %v", query, x.Targets, x.Weight, answers)
			}
			seen[query] = true
		}
	}
	if len(seen) != len(want) {
		t.Errorf("%d queries, want %d", len(seen), len(want))
	}
	s.MaxSteps = 2
	if n := d.Batches(s, 1).Count; n != 2 {
		t.Errorf("%d steps with max-steps 2", n)
	}
}
