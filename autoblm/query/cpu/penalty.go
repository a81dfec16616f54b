package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
)

// penalizeRows returns the penalties of a unit's rows and adds the gradient by them.
func (t *trainer) penalizeRows(b *bench, u *unit, weight float32) float64 {
	w := t.member.Weights
	loss := t.penalize(b, u.gradients.anchors, u.anchors, u.paths, w.L2+w.EntityL2, weight) +
		t.penalize(b, u.byAnswers, u.answers, u.paths, w.L2+w.EntityL2, weight)
	for hop := range u.hops {
		loss += t.penalize(b, u.gradients.relations[hop], u.relations[hop], u.paths*t.relationRows, w.L2+w.RelationL2, weight)
	}
	return loss
}

func (t *trainer) penalize(b *bench, gradient, x kernel.Table, rows int, l2 float64, weight float32) float64 {
	n3 := t.member.N3
	if l2 == 0 && n3 == 0 {
		return 0
	}
	squares, cubes := t.kernels.Penalize(first(gradient, rows), first(x, rows), float32(2*l2)*weight, float32(3*n3)*weight, &b.lanes)
	return float64(weight) * (l2*squares + n3*cubes)
}

// penalizeProducts returns the penalty of what paths make of the rows at their
// start, and adds the gradient.
func (t *trainer) penalizeProducts(ends, byEnds kernel.Table, paths int, weight float32) float64 {
	w := t.member.Products
	if w == 0 {
		return 0
	}
	loss := 0.0
	for i := range paths {
		x := tiles.WholeRow(ends, i)
		loss += w * float64(weight) * tiles.Dot(x, x)
		t.kernels.ScaleAdd(tiles.WholeRow(byEnds, i), x, float32(2*w)*weight)
	}
	return loss
}

// penalizeHome penalizes what the paths make of the drawn answers on the way home.
func (t *trainer) penalizeHome(b *bench, u *unit, weight float32) float64 {
	if t.member.Products == 0 {
		return 0
	}
	t.walk(home, &u.passage, u.answers, &b.states)
	b.gradients.reset(t.model, &u.passage)
	loss := t.penalizeProducts(b.states[u.hops], b.gradients[u.hops], u.paths, weight)
	t.walkBack(home, &u.passage, b.states, b.gradients, u.byAnswers, u.gradients.relations)
	return loss
}
