package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// triples learns examples both ways: the target given the anchor and the path, and the
// anchor given the target and the path back. With reverses of relations the way back is
// an example of its own, in the same unit or wherever it comes.
type triples struct {
	oneWay bool // ways back come as examples
}

func (l triples) ways() int {
	if l.oneWay {
		return 1
	}
	return 2
}

func (triples) mean(losses []float64, sizes []int, all int) (mean float64) {
	for i, loss := range losses {
		mean += loss * float64(sizes[i]) / float64(all)
	}
	return mean
}

func (l triples) learn(t *trainer, b *bench, u *unit, w *work, number int, weight float32) float64 {
	each := weight // of an example, or of its reverse
	switch {
	case l.oneWay: // of which two are a triple
		weight *= 2
	case t.reciprocal:
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
	t.ask(b, u, w)
	if t.set.Dropout > 0 {
		t.draw(b.mask, u.first, s.Count)
		t.dropping().Drop(b.mask, s.Rows, s.Count)
	}
	s.Sampling = t.chance(u)
	answers := n
	if !t.reciprocal {
		answers += n
	}
	loss := s.CrossEntropy(t.kernels, t.candidates(), answers, 1-float32(t.set.LabelSmoothing), b.softmax, func(i int) tiles.Answer {
		if i >= n { // at the other end, which has no reverse
			x := &u.examples[i-n]
			return tiles.Answer{Query: i, Weight: weight * x.BackWeight, Row: tiles.PaddedRow(w.anchors, i-n), Gradient: tiles.PaddedRow(u.gradients.anchors, i-n), NotSampled: t.outside(x.Anchor)}
		}
		x := &u.examples[i]
		return tiles.Answer{
			Query: int(u.questions[i]), Weight: weight * x.Weight, Row: tiles.PaddedRow(w.targets, i), Gradient: tiles.PaddedRow(u.gradients.targets, i),
			NotSampled: t.outside(x.Target), Repeated: u.joins(i) && u.examples[i-1].Target == x.Target,
		}
	})
	if t.smoothing != nil {
		loss += t.smoothing.AddQueries(t.kernels, number, s, weight)
	}
	if t.set.Dropout > 0 {
		t.dropping().DropGradient(b.mask, s.ByQuery, s.Count)
	}
	t.askedBack(b, u, w)
	return loss
}

// ask makes a query of each question: of the ends of the paths, walked forward, and without
// reverses of these walked backward after them.
func (t *trainer) ask(b *bench, u *unit, w *work) {
	s, n := w.overEntities, w.count
	if !t.layout.shared {
		s.Reset(n)
		if !t.reciprocal {
			s.Reset(2 * n)
			t.walk(backward, &w.paths, s.Rows.From(n*t.stateRows), &b.between)
		}
		t.walk(forward, &w.paths, s.Rows, &b.between)
		return
	}
	clear(first(b.gradQueries, n*t.stateRows))
	t.walk(forward, &w.paths, b.gradQueries, &b.between)
	s.Reset(int(u.questions[n-1]) + 1)
	for path, question := range u.questions {
		if !u.joins(path) {
			copy(s.QueryRows(s.Rows, int(question)), part(b.gradQueries, path, t.stateRows))
		}
	}
}

// askedBack carries the gradient by the queries back to the rows of the paths. Of those that
// share a question the first has all of it.
func (t *trainer) askedBack(b *bench, u *unit, w *work) {
	s, n := w.overEntities, w.count
	if !t.layout.shared {
		t.walkBack(forward, &w.paths, s.ByQuery, b.between, &b.room, &u.gradients)
		if !t.reciprocal {
			t.walkBack(backward, &w.paths, s.ByQuery.From(n*t.stateRows), b.between, &b.room, &u.gradients)
		}
		return
	}
	for path, question := range u.questions {
		gradient := part(b.gradQueries, path, t.stateRows)
		if u.joins(path) {
			clear(gradient)
		} else {
			copy(gradient, s.QueryRows(s.ByQuery, int(question)))
		}
	}
	t.walkBack(forward, &w.paths, b.gradQueries, b.between, &b.room, &u.gradients)
}

// predictRelations asks for the relations of the triples, where that has weight.
func (t *trainer) predictRelations(b *bench, u *unit, w *work, weight float32) (loss float64) {
	if t.member.RelationPrediction == 0 {
		return 0
	}
	h, g := t.hop.(mixture), &u.gradients
	weight *= float32(t.member.RelationPrediction)
	for i, s := range w.overRelations {
		from := min(i*t.mostQueries(), w.count)
		n := min(t.mostQueries(), w.count-from)
		s.Reset(max(1, n)) // one of zeros, without an answer, where none are left
		h.AskRelations(s.Rows, w.anchors.From(from), w.targets.From(from), n)
		loss += s.CrossEntropy(t.kernels, t.relations[0].Embeddings, n, 1, b.softmax, func(i int) tiles.Answer {
			return tiles.Answer{Query: i, Weight: weight, Row: tiles.PaddedRow(w.relations[0][0], from+i), Gradient: tiles.PaddedRow(g.relations[0][0], from+i)}
		})
		h.AskRelationsBack(s.ByQuery, w.anchors.From(from), w.targets.From(from), g.anchors.From(from), g.targets.From(from), n)
	}
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
			x := tiles.PaddedRow(b.scratch, i)
			sum += tiles.Dot(x, x)
		}
		t.kernels.Scale(products, products, float32(2*product)*weight)
		t.walkBack(d, &w.paths, b.scratch, b.between, &b.room, &u.gradients)
	}
	return product * float64(weight) * sum
}
