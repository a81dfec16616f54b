package completion

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// TestFrequencyWeighsAnswers checks that the answers of a batch have the mean weight 1 and weights
// in proportion to their frequency.
func TestFrequencyWeighsAnswers(t *testing.T) {
	g := &datasets.Graph{Name: "star", Entities: []string{"hub", "a", "b", "c"},
		Relations: []string{"r"}}
	for tail := range int32(3) { // the hub is in 4 triples, a in 2, the others in 1
		g.Train = append(g.Train, datasets.Triple{Head: 0, Tail: tail + 1})
	}
	g.Train = append(g.Train, datasets.Triple{Head: 1, Tail: 0})
	s := kge.DefaultSettings()
	s.Batch, s.Frequency = 3, 0.9
	of := []float64{1, 0.1 + 0.9*2/4, 0.1 + 0.9/4, 0.1 + 0.9/4}
	batches := Data(g).Batches(s, 1).All()
	for _, batch := range batches {
		sum, scale := 0.0, float64(batch[0].Weight)/of[batch[0].Target]
		for _, x := range batch {
			sum += float64(x.Weight) + float64(x.BackWeight)
			if math.Abs(float64(x.Weight)-scale*of[x.Target]) > 1e-6 ||
				math.Abs(float64(x.BackWeight)-scale*of[x.Anchor]) > 1e-6 {
				t.Errorf("%+v, in a batch whose weights are scaled by %v", x, scale)
			}
		}
		if mean := sum / float64(2*len(batch)); math.Abs(mean-1) > 1e-6 {
			t.Errorf("the mean weight is %v", mean)
		}
	}
	s.Frequency = 0
	for _, batch := range Data(g).Batches(s, 1).All() {
		if slices.ContainsFunc(batch, func(x kge.Example) bool {
			return x.Weight != 1 || x.BackWeight != 1
		}) {
			t.Errorf("weighed by nothing: %+v", batch)
		}
	}
}

// TestSubsamplingWeighsTriples checks that the weights of triples have the mean 1 and are in
// proportion to 1/√(n+6), where n counts the training answers of both queries.
func TestSubsamplingWeighsTriples(t *testing.T) {
	g := &datasets.Graph{Name: "star", Entities: []string{"hub", "a", "b", "c"},
		Relations: []string{"r", "s"}}
	for tail := range int32(3) {
		g.Train = append(g.Train, datasets.Triple{Head: 0, Tail: tail + 1})
	}
	g.Train = append(g.Train, datasets.Triple{Head: 2, Tail: 1}, datasets.Triple{Head: 2, Relation: 1, Tail: 1})
	g.Test = []datasets.Triple{{Head: 2, Tail: 3}}
	answers := map[datasets.Triple]float64{ // to both queries
		{Head: 0, Tail: 1}: 3 + 2, {Head: 0, Tail: 2}: 3 + 1, {Head: 0, Tail: 3}: 3 + 1,
		{Head: 2, Tail: 1}: 1 + 2, {Head: 2, Relation: 1, Tail: 1}: 1 + 1,
	}
	s := kge.DefaultSettings()
	s.Negatives, s.Subsampling, s.Batch = 2, true, len(g.Train)
	batch := Data(g).Batches(s, 1).All()[0]
	sum, scale := 0.0, 0.0
	for i, x := range batch {
		triple := datasets.Triple{Head: x.Anchor, Relation: x.Path[0] / 2, Tail: x.Target}
		per := float64(x.Weight) * math.Sqrt(answers[triple]+6)
		if i == 0 {
			scale = per
		}
		if math.Abs(per-scale) > 1e-5 || x.BackWeight != x.Weight {
			t.Errorf("%v has the weights %v and %v", triple, x.Weight, x.BackWeight)
		}
		sum += float64(x.Weight)
	}
	if mean := sum / float64(len(batch)); math.Abs(mean-1) > 1e-6 {
		t.Errorf("the mean weight is %v", mean)
	}
}

// TestAnswersAreOfTraining checks the answers that negative sampling leaves out, in both directions.
func TestAnswersAreOfTraining(t *testing.T) {
	g := &datasets.Graph{Name: "g", Entities: []string{"a", "b", "c", "d"}, Relations: []string{"r", "s"},
		Train: []datasets.Triple{{Head: 0, Relation: 1, Tail: 2}, {Head: 0, Relation: 1, Tail: 1},
			{Head: 3, Relation: 1, Tail: 2}, {Head: 0, Tail: 3}},
		Valid: []datasets.Triple{{Head: 0, Relation: 1, Tail: 3}},
	}
	answers := Data(g).Answers
	for _, c := range []struct {
		anchor, relation int32
		want             []int32
	}{{0, 2, []int32{1, 2}}, {2, 3, []int32{0, 3}}, {3, 1, []int32{0}}, {1, 2, nil}} {
		if got := answers(c.anchor, c.relation); !slices.Equal(got, c.want) {
			t.Errorf("entity %d, relation %d: %v, want %v", c.anchor, c.relation, got, c.want)
		}
	}
}
