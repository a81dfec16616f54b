package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
)

// predictEntities asks for the heads and the tails of the triples.
func (t *trainer) predictEntities(u *unit, g *lookup, number int, weight float32) float64 {
	s := u.entities
	u.ask(t.model, &s.Queries)
	if u.mask != nil {
		t.drop(u, number)
		u.mask.Apply(s.Rows, s.Asked)
	}
	loss := s.CrossEntropy(t.kernels, t.entities, weight, 1-float32(t.set.LabelSmoothing), func(query int) (row, gradient []float32) {
		return u.answer(query), g.answer(query)
	})
	if t.smoothing != nil {
		loss += t.smoothing.Spread(t.kernels, number, s, weight)
	}
	if u.mask != nil {
		u.mask.Apply(s.ByQuery, s.Asked)
	}
	u.askBack(t.model, s.ByQuery, g)
	return loss
}

// predictRelations asks for the relations of the triples, where that has weight.
func (t *trainer) predictRelations(u *unit, g *lookup, weight float32) float64 {
	if t.member.RelationPrediction == 0 {
		return 0
	}
	s, n := u.relations, len(u.triples)
	s.Reset(n)
	t.Mix(s.Rows, mix.AsRelation, u.rows, n)
	loss := s.CrossEntropy(t.kernels, t.relations, weight*float32(t.member.RelationPrediction), 1, func(query int) (row, gradient []float32) {
		return tiles.WholeRow(u.rows[mix.AsRelation], query), tiles.WholeRow(g.rows[mix.AsRelation], query)
	})
	t.MixBack(s.ByQuery, mix.AsRelation, u.rows, g.rows, n)
	return loss
}

// drop decides which coordinates of a unit's queries are dropped: query 2i is for
// the tail of the batch's triple i, query 2i+1 for its head.
func (t *trainer) drop(u *unit, number int) {
	first, n := number*unitTriples, u.entities.Asked/2
	for i := range n {
		u.mask.Draw(t.dropoutKey, i, 2*(first+i), t.dim, t.set.Dropout)
		u.mask.Draw(t.dropoutKey, n+i, 2*(first+i)+1, t.dim, t.set.Dropout)
	}
}
