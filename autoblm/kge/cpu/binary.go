package cpu

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// classifyEntities returns the binary cross entropy of all entities for the queries of a unit, each an
// example with all of its answers. An example has the given weight.
func (t *trainer) classifyEntities(s *scratch, u *unit, a *activeUnit, weight float32) float64 {
	perEntity := weight / float32(t.entities.Count)
	s.answers, s.weights = s.answers[:0], s.weights[:0]
	for query := range u.examples {
		x := &u.examples[query]
		s.weights = append(s.weights, perEntity*x.Weight)
		for _, target := range x.Targets {
			s.answers = append(s.answers, tiles.Place{Row: target, Query: int32(query)})
		}
	}
	slices.SortFunc(s.answers, func(a, b tiles.Place) int { return cmp.Compare(a.Row, b.Row) })
	by := tiles.Labels{Answers: s.answers, Weights: s.weights}
	by.OfAnswers, by.OfOthers = t.settings.Labels(t.entities.Count)
	return a.overEntities.BinaryCrossEntropy(t.kernels, t.entities, by, s.softmax)
}
