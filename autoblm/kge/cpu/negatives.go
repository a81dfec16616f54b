package cpu

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
)

// softmaxCandidates returns the number of entities in the softmax of a step, or the number of
// negatives that the queries of a unit share. It is 0 if each query draws its own.
func softmaxCandidates(d *kge.Data, s kge.Settings) int {
	switch {
	case s.Negatives == 0:
		return s.Candidates(len(d.Entities))
	case d.BothDirections:
		return min(s.Negatives, len(d.Entities))
	}
	return 0
}

// Units of triples with negative sampling have at most MaxQueries/2 triples, and each must be in one
// block. If the number does not divide a block, this constant is negative and does not compile.
const _ uint = -(rules.NegativeBlock % (tiles.MaxQueries / 2))

// drawnNegatives are the negatives that a unit has drawn, and the gradients of their rows.
type drawnNegatives struct {
	drawn    []int32
	gradient kernel.Table // [negatives, d]
}

// negativeScratch holds the rows of a unit's negatives while its loss is computed.
type negativeScratch struct {
	sampler  rules.Sampler
	rows     tiles.Embeddings
	isDrawn  []bool        // by entity
	excluded []tiles.Place // from the negatives of a query
}

func newNegativeScratch(m *model, count int) negativeScratch {
	return negativeScratch{
		sampler: rules.NewSampler(),
		rows:    tiles.Embeddings{Table: tiles.NewTable(count, m.dim), Count: count},
		isDrawn: make([]bool, m.entities.Count),
	}
}

// sampleNegatives returns the loss of negative sampling for a unit of triples. If all entities are
// negatives, their gradients are collected later, as those of a softmax.
func (t *trainer) sampleNegatives(
	s *scratch, u *unit, a *activeUnit, answers int, answer func(i int) tiles.Answer,
) float64 {
	softmax, n := a.overEntities, &s.negatives
	if !t.drawsNegatives {
		by := t.negatives(s, u, a)
		return softmax.NegativeSampling(t.kernels, t.entities, by, answers, s.softmax, answer)
	}
	block := u.first / rules.NegativeBlock
	n.sampler.Draw(t.member.Seed, rules.BlockStep(t.steps, block), u.negatives.drawn, n.isDrawn)
	for i, entity := range u.negatives.drawn {
		from := tiles.PaddedRow(t.entities.Table, int(entity))
		copy(tiles.PaddedRow(n.rows.Table, i), from)
	}
	loss := softmax.NegativeSampling(
		t.kernels, n.rows, t.negatives(s, u, a), answers, s.softmax, answer)
	for tile := range n.rows.Tiles() {
		gradient := u.negatives.gradient.From(tile * tiles.Rows)
		softmax.NegativeGradient(t.kernels, n.rows, tile, gradient, s.rows)
	}
	for _, entity := range u.negatives.drawn {
		n.isDrawn[entity] = false
	}
	return loss
}

// negatives describes the loss of negative sampling for a unit of triples. A query's training
// answers are no negatives.
func (t *trainer) negatives(s *scratch, u *unit, a *activeUnit) tiles.Negatives {
	s.negatives.excluded = s.negatives.excluded[:0]
	for i := range u.examples {
		x := &u.examples[i]
		t.exclude(&s.negatives, u, i, x.Anchor, x.Path[0])
		if !t.reciprocal {
			t.exclude(&s.negatives, u, a.count+i, x.Target, x.Path[0]^1)
		}
	}
	return tiles.Negatives{
		Margin: t.settings.Margin, Temperature: t.settings.AdversarialTemperature,
		Excluded: s.negatives.excluded,
	}
}

// exclude excludes the training answers of a query.
func (t *trainer) exclude(n *negativeScratch, u *unit, query int, anchor, relation int32) {
	for _, entity := range t.trainingAnswers(anchor, relation) {
		row := int(entity)
		if t.drawsNegatives {
			if !n.isDrawn[entity] {
				continue
			}
			row, _ = slices.BinarySearch(u.negatives.drawn, entity)
		}
		n.excluded = append(n.excluded, tiles.Place{Row: int32(row), Query: int32(query)})
	}
}
