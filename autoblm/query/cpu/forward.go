package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// forward returns the part of the loss of a unit, whose first example has a number
// in the batch, and leaves the gradients by its rows. weight is that of a query
// in the mean over the batch.
func (t *trainer) forward(b *bench, u *unit, s *tiles.Softmax, examples []query.Example, number int, weight float32) float64 {
	u.fetch(t.model, examples)
	t.walk(there, &u.passage, u.anchors, &b.states)
	b.gradients.reset(t.model, &u.passage)
	ends, byEnds := b.states[u.hops], b.gradients[u.hops]
	copy(u.queries.Data, first(ends, u.paths*t.stateRows))
	if t.set.Dropout > 0 {
		t.drop(b.mask, number, u.paths)
		b.mask.Apply(u.queries, u.paths)
	}
	var loss float64
	if t.set.Negatives > 0 {
		loss = t.logistic(u, byEnds, number, weight)
	} else {
		loss = t.crossEntropy(u, s, byEnds, weight)
	}
	if t.set.Dropout > 0 {
		b.mask.Apply(byEnds, u.paths)
	}
	loss += t.penalizeProducts(ends, byEnds, u.paths, weight)
	t.walkBack(there, &u.passage, b.states, b.gradients, u.gradients.anchors, u.gradients.relations)
	return loss + t.penalizeHome(b, u, weight) + t.penalizeRows(b, u, weight)
}

// drop decides which coordinates of the queries are dropped.
func (t *trainer) drop(mask *tiles.Mask, number, paths int) {
	key := tiles.MaskKey(t.member.Seed, t.steps)
	for i := range paths {
		mask.Draw(key, i, number+i, t.dim, t.set.Dropout)
	}
}

// crossEntropy is the log-loss over all entities: of each query the mean over its
// answers, times its weight.
func (t *trainer) crossEntropy(u *unit, s *tiles.Softmax, byQuery kernel.Table, weight float32) float64 {
	s.Reset(u.paths)
	copy(s.Rows.Data, first(u.queries, u.paths*t.stateRows))
	s.Walk(t.kernels, t.entities)
	loss := 0.0
	for i, x := range u.examples {
		weight := weight * t.share(x)
		s.Weigh(t.kernels, i, weight)
		copy(part(byQuery, i, t.stateRows), s.OfQuery(s.ByQuery, i))
		sum := 0.0
		for _, answer := range x.Hard {
			sum += t.measure.score(part(u.queries, i, t.stateRows), tiles.WholeRow(t.entities.Table, int(answer)))
			u.learn(t.model, byQuery, i, answer, -weight/float32(len(x.Hard)))
		}
		loss += float64(weight) * (s.LogSum(i) - sum/float64(len(x.Hard)))
	}
	return loss
}

// logistic is the loss of the drawn answers and of entities that are no answers.
func (t *trainer) logistic(u *unit, byQuery kernel.Table, number int, weight float32) float64 {
	loss := 0.0
	for i, x := range u.examples {
		learn := func(entity int32, sign float64, weight float32) {
			score := t.measure.score(part(u.queries, i, t.stateRows), tiles.WholeRow(t.entities.Table, int(entity)))
			logit := sign * (t.set.Margin + score)
			loss += float64(weight) * softplus(-logit)
			u.learn(t.model, byQuery, i, entity, -weight*float32(sign/(1+math.Exp(logit))))
		}
		weight := weight * t.share(x)
		learn(x.Answer, 1, weight)
		t.negatives.Draw(t.steps, number+i, x.Query, func(entity int32) {
			learn(entity, -1, weight/float32(t.set.Negatives))
		})
	}
	return loss
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// share is what a query counts beside one with a single answer.
func (t *trainer) share(x query.Example) float32 {
	return float32(math.Pow(float64(len(x.Hard)), t.set.AnswerPower))
}
