package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// answers learns all targets of an example at once, given the anchor and the path.
type answers struct{}

func (answers) ways() int { return 1 }

func (answers) mean(losses []float64, sizes []int, all int) (mean float64) {
	for i, loss := range losses {
		mean += loss * float64(sizes[i])
	}
	return mean / float64(all)
}

func (answers) learn(t *trainer, b *bench, u *unit, w *work, _ int, weight float32) float64 {
	n := w.count * t.stateRows
	clear(first(u.queries, n))
	t.walk(forward, &w.paths, u.queries, &b.between)
	ends := t.products(b, u, w)
	if t.set.Dropout > 0 {
		t.draw(b.mask, u.first, w.count)
		t.dropping().Drop(b.mask, u.queries, w.count)
	}
	clear(first(b.gradQueries, n))
	var loss float64
	if t.set.Negatives > 0 {
		loss = t.logistic(u, b.gradQueries, weight)
	} else {
		loss = t.crossEntropy(b, u, w, b.gradQueries, weight)
	}
	if t.set.Dropout > 0 {
		t.dropping().DropGradient(b.mask, b.gradQueries, w.count)
	}
	loss += t.penalizeEnds(ends, b.gradQueries, w.count, weight)
	t.walkBack(forward, &w.paths, b.gradQueries, b.between, &b.room, &u.gradients)
	loss += t.penalizeBackward(b, u, w, weight)
	rows := t.penalizeAnchors(b, u, w, weight) + t.penalizeTargets(b, u, w, weight)
	for hop := range w.hops {
		rows += t.penalizeHop(b, u, w, hop, weight)
	}
	return loss + rows
}

// crossEntropy is the log-loss over all entities: of each question the mean over its
// answers, times its weight.
func (t *trainer) crossEntropy(b *bench, u *unit, w *work, gradient kernel.Table, weight float32) float64 {
	s := w.overEntities
	s.Reset(w.count)
	copy(s.Rows.Data, first(u.queries, w.count*t.stateRows))
	e := t.candidates()
	s.Forward(t.kernels, e, b.softmax)
	scores := b.scores[:0] // of all answers
	for i, x := range u.examples {
		for _, answer := range x.Targets {
			score := t.measure.Score(part(u.queries, i, t.stateRows), tiles.PaddedRow(t.entities.Table, int(answer)))
			if t.outside(answer) {
				s.Include(i, score)
			}
			scores = append(scores, score)
		}
		s.SetWeight(t.kernels, i, weight*x.Weight)
	}
	b.scores = scores
	s.Sampling = t.chance(u)
	s.Finish(e, b.softmax)
	loss := 0.0
	for i, x := range u.examples {
		copy(part(gradient, i, t.stateRows), s.QueryRows(s.ByQuery, i))
		weight, sum := weight*x.Weight, 0.0
		for n, answer := range x.Targets {
			slope := -weight / float32(len(x.Targets))
			if t.outside(answer) {
				slope += weight * s.Probability(i, scores[n])
			}
			t.learnPair(u, gradient, i, answer, slope)
			sum += scores[n]
		}
		scores = scores[len(x.Targets):]
		loss += float64(weight) * (s.LogSum(i) - sum/float64(len(x.Targets)))
	}
	return loss
}

// logistic is the loss of the drawn answers and of entities that are no answers.
func (t *trainer) logistic(u *unit, gradient kernel.Table, weight float32) float64 {
	loss := 0.0
	for i := range u.examples {
		if t.over() {
			return 0
		}
		x := &u.examples[i]
		learn := func(entity int32, sign float64, weight float32) {
			score := t.measure.Score(part(u.queries, i, t.stateRows), tiles.PaddedRow(t.entities.Table, int(entity)))
			logit := sign * (t.set.Margin + score)
			loss += float64(weight) * softplus(-logit)
			t.learnPair(u, gradient, i, entity, -weight*float32(sign/(1+math.Exp(logit))))
		}
		weight := weight * x.Weight
		learn(x.Target, 1, weight)
		t.negatives.Draw(t.steps, u.first+i, x.Targets, func(entity int32) {
			learn(entity, -1, weight/float32(t.set.Negatives))
		})
	}
	return loss
}

// softplus is log(1 + exp(x)).
func softplus(x float64) float64 { return max(x, 0) + math.Log1p(math.Exp(-math.Abs(x))) }

// learnPair adds a pair to the gradient by the query, and keeps it for that by the
// entity.
func (t *trainer) learnPair(u *unit, gradient kernel.Table, path int, entity int32, slope float32) {
	row := tiles.PaddedRow(t.entities.Table, int(entity))
	t.measure.AddGradQuery(t.kernels, part(gradient, path, t.stateRows), part(u.queries, path, t.stateRows), row, slope)
	u.pairs = append(u.pairs, pair{entity, int32(path), slope})
}

// products are the ends of the paths before anything is dropped, where they are
// penalized.
func (t *trainer) products(b *bench, u *unit, w *work) kernel.Table {
	if t.member.Products == 0 {
		return kernel.Table{}
	}
	copy(b.scratch.Data, first(u.queries, w.count))
	return b.scratch
}

// penalizeEnds returns the penalty of the ends of paths, and adds the gradient.
func (t *trainer) penalizeEnds(ends, gradient kernel.Table, paths int, weight float32) (loss float64) {
	product := t.member.Products
	if product == 0 {
		return 0
	}
	for i := range paths {
		x := tiles.PaddedRow(ends, i)
		loss += product * float64(weight) * tiles.Dot(x, x)
		t.kernels.ScaleAdd(tiles.PaddedRow(gradient, i), x, float32(2*product)*weight)
	}
	return loss
}

// penalizeBackward penalizes what the paths make of the drawn answers, walked the other
// way.
func (t *trainer) penalizeBackward(b *bench, u *unit, w *work, weight float32) float64 {
	if t.member.Products == 0 {
		return 0
	}
	clear(first(b.scratch, w.count))
	clear(first(b.gradQueries, w.count))
	t.walk(backward, &w.paths, b.scratch, &b.between)
	loss := t.penalizeEnds(b.scratch, b.gradQueries, w.count, weight)
	t.walkBack(backward, &w.paths, b.gradQueries, b.between, &b.room, &u.gradients)
	return loss
}
