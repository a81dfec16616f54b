package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// triples learns examples both ways: the target given the anchor and the path, and the
// anchor given the target and the path back. With reverses of relations the way back is
// an example of its own.
type triples struct{}

func (triples) ways() int { return 2 }

func (triples) mean(losses []float64, sizes []int, all int) (mean float64) {
	for i, loss := range losses {
		mean += loss * float64(sizes[i]) / float64(all)
	}
	return mean
}

func (triples) learn(t *trainer, b *bench, u *unit, w *work, number int, weight float32) float64 {
	each := weight // of an example, or of its reverse
	if t.reciprocal {
		each /= 2
	}
	loss := t.predictEntities(b, u, w, number, weight)
	loss += t.predictRelations(b, u, w, weight)
	loss += t.penalizeAnchors(b, u, w, each) + t.penalizeHop(b, u, w, 0, each) + t.penalizeTargets(b, u, w, each)
	return loss + t.penalizeProducts(b, u, w, each)
}

// predictEntities asks for both ends of the paths.
func (t *trainer) predictEntities(b *bench, u *unit, w *work, number int, weight float32) float64 {
	s, n := w.overEntities, w.count
	s.Reset(n)
	if !t.reciprocal {
		s.Reset(2 * n)
		t.walk(backward, &w.paths, s.Rows.From(n*t.stateRows), &b.between)
	}
	t.walk(forward, &w.paths, s.Rows, &b.between)
	if t.set.Dropout > 0 {
		t.drop(b.mask, number, s.Asked)
		b.mask.Apply(s.Rows, s.Asked)
	}
	weigh := func(query int) float32 {
		if query >= n {
			return weight * u.examples[query-n].Back
		}
		return weight * u.examples[query].Weight
	}
	loss := s.CrossEntropy(t.kernels, t.candidates(), weigh, 1-float32(t.set.LabelSmoothing), b.rounding, func(query int) tiles.Answer {
		if query >= n {
			return tiles.Answer{Row: tiles.WholeRow(w.anchors, query-n), Gradient: tiles.WholeRow(u.gradients.anchors, query-n), Outside: t.outside(u.examples[query-n].Anchor)}
		}
		return tiles.Answer{Row: tiles.WholeRow(w.targets, query), Gradient: tiles.WholeRow(u.gradients.targets, query), Outside: t.outside(u.examples[query].Target)}
	})
	if t.smoothing != nil {
		loss += t.smoothing.Spread(t.kernels, number, s, weight)
	}
	if t.set.Dropout > 0 {
		b.mask.Apply(s.ByQuery, s.Asked)
	}
	t.walkBack(forward, &w.paths, s.ByQuery, b.between, &b.room, &u.gradients)
	if !t.reciprocal {
		t.walkBack(backward, &w.paths, s.ByQuery.From(n*t.stateRows), b.between, &b.room, &u.gradients)
	}
	return loss
}

// predictRelations asks for the relations of the triples, where that has weight.
func (t *trainer) predictRelations(b *bench, u *unit, w *work, weight float32) float64 {
	if t.member.RelationPrediction == 0 {
		return 0
	}
	h, s, g := t.hop.(form.Mixture), w.overRelations, &u.gradients
	s.Reset(w.count)
	h.AskRelations(s.Rows, w.anchors, w.targets, w.count)
	weigh := func(int) float32 { return weight * float32(t.member.RelationPrediction) }
	loss := s.CrossEntropy(t.kernels, t.relations[0].Embeddings, weigh, 1, b.rounding, func(query int) tiles.Answer {
		return tiles.Answer{Row: tiles.WholeRow(w.relations[0][0], query), Gradient: tiles.WholeRow(g.relations[0][0], query)}
	})
	h.AskRelationsBack(s.ByQuery, w.anchors, w.targets, g.anchors, g.targets, w.count)
	return loss
}

// penalizeProducts returns the penalty of what the paths make of their two ends and
// adds the gradient. They are walked anew, because queries may be dropped in part,
// and with reverses only some of them are queries.
func (t *trainer) penalizeProducts(b *bench, u *unit, w *work, weight float32) float64 {
	product := t.member.Products
	if product == 0 {
		return 0
	}
	sum := 0.0
	for _, d := range []direction{forward, backward} {
		products := first(b.scratch, w.count)
		clear(products)
		t.walk(d, &w.paths, b.scratch, &b.between)
		for i := range w.count {
			x := tiles.WholeRow(b.scratch, i)
			sum += tiles.Dot(x, x)
		}
		t.kernels.Scale(products, products, float32(2*product)*weight)
		t.walkBack(d, &w.paths, b.scratch, b.between, &b.room, &u.gradients)
	}
	return product * float64(weight) * sum
}
