package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// softmaxCandidates returns the number of entities in the softmax of a step, or the number of
// negatives that its queries share. It is 0 if each query draws its own.
func softmaxCandidates(d *kge.Data, s kge.Settings) int {
	switch {
	case s.Negatives == 0:
		return s.Candidates(len(d.Entities))
	case d.BothDirections:
		return min(s.Negatives, len(d.Entities))
	}
	return 0
}

// negatives returns the loss of negative sampling for a unit of triples. A query's training answers
// are no negatives.
func (t *trainer) negatives(s *scratch, u *unit, a *activeUnit) tiles.Negatives {
	s.excluded = s.excluded[:0]
	for i := range u.examples {
		x := &u.examples[i]
		if !u.repeatsQuestion(i) {
			t.exclude(s, int(u.questions[i]), x.Anchor, x.Path[0])
		}
		if !t.reciprocal {
			t.exclude(s, a.count+i, x.Target, x.Path[0]^1)
		}
	}
	return tiles.Negatives{
		Margin: t.settings.Margin, Temperature: t.settings.AdversarialTemperature, Excluded: s.excluded,
	}
}

// exclude excludes the training answers of a query.
func (t *trainer) exclude(s *scratch, query int, anchor, relation int32) {
	for _, entity := range t.trainingAnswers(anchor, relation) {
		row := int(entity)
		if t.sample != nil {
			if !t.sample.isDrawn[entity] {
				continue
			}
			row, _ = slices.BinarySearch(t.sample.drawn, entity)
		}
		s.excluded = append(s.excluded, tiles.Place{Row: int32(row), Query: int32(query)})
	}
}
