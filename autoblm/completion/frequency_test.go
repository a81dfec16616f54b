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
