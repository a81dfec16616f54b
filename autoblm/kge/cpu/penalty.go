package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// penalizeRows returns the penalty of some rows and adds the gradient by them. weight
// is that of an example, or of its reverse, in the batch.
func (t *trainer) penalizeRows(b *bench, gradient, x kernel.Table, rows int, l2 float64, weight float32) (loss float64) {
	n3 := t.member.N3
	if t.member.N3Moduli && n3 != 0 {
		slope := float32(3*n3) * weight
		for i := range rows { // of a structure: all have d columns
			loss += float64(weight) * n3 * kernel.PenalizeModuli(gradient.Row(i)[:t.dim], x.Row(i)[:t.dim], slope)
		}
		n3 = 0
	}
	if l2 == 0 && n3 == 0 {
		return loss
	}
	// Whole rows: what pads them is 0 and stays so.
	squares, cubes := t.kernels.Penalize(first(gradient, rows), first(x, rows), float32(2*l2)*weight, float32(3*n3)*weight, &b.lanes)
	return loss + float64(weight)*(l2*squares+n3*cubes)
}

func (t *trainer) penalizeAnchors(b *bench, u *unit, w *work, weight float32) float64 {
	return t.penalizeRows(b, u.gradients.anchors, w.anchors, w.count, t.member.L2+t.member.EntityL2, weight)
}

func (t *trainer) penalizeTargets(b *bench, u *unit, w *work, weight float32) float64 {
	return t.penalizeRows(b, u.gradients.targets, w.targets, w.count, t.member.L2+t.member.EntityL2, weight)
}

func (t *trainer) penalizeHop(b *bench, u *unit, w *work, hop int, weight float32) (loss float64) {
	l2 := t.member.L2 + t.member.RelationL2
	for i, table := range t.relations {
		gradient, x := u.gradients.relations[hop][i], w.paths.relations[hop][i]
		if !w.shared {
			loss += t.penalizeRows(b, gradient, x, w.count*table.rows, l2, weight)
			continue
		}
		w.cut(func(path int) bool { return !w.opens(hop, path) }, func(path, n int) { // rows weigh as much as the paths that share them
			row := int(w.slots[hop][path].rows) * table.rows
			loss += t.penalizeRows(b, gradient.From(row), x.From(row), table.rows, l2, weight*float32(n))
		})
	}
	return loss
}
