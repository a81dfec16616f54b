package completion

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

// factWeights returns the weights of the training triples, divided by their mean. Duplicates share
// the mean of theirs.
func factWeights(g *datasets.Graph) map[datasets.Triple]float32 {
	sum := 0.0
	for _, weight := range g.Weights {
		sum += float64(weight)
	}
	mean := sum / float64(len(g.Weights))
	weights := make(map[datasets.Triple]float32, len(g.Train))
	copies := map[datasets.Triple]float32{} // of those with duplicates
	for i, t := range g.Train {
		if _, isDuplicate := weights[t]; isDuplicate {
			copies[t] = max(copies[t], 1) + 1
		}
		weights[t] += float32(float64(g.Weights[i]) / mean)
	}
	for t, n := range copies {
		weights[t] /= n
	}
	return weights
}

// byFact returns a function that multiplies the weights of each example by the mean weight of its
// triples, one for each target. A reverse relation stands for the triple that it reverses, and a path
// for its last hop.
func byFact(weights map[datasets.Triple]float32) func(batch []kge.Example) {
	return func(batch []kge.Example) {
		for i := range batch {
			x, sum := &batch[i], float32(0)
			for _, target := range x.Targets {
				from, relation := x.Anchor, x.Path[len(x.Path)-1]
				if n := len(x.Through); n > 0 {
					from = x.Through[n-1]
				}
				t := datasets.Triple{Head: from, Relation: relation / 2, Tail: target}
				if relation%2 == 1 {
					t.Head, t.Tail = t.Tail, t.Head
				}
				sum += weights[t]
			}
			mean := sum / float32(len(x.Targets))
			x.Weight *= mean
			x.BackWeight *= mean
			x.FactWeight *= mean
		}
	}
}
