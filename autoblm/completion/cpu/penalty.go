package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
)

// penalize returns the penalties of a unit's rows and adds the gradient by them.
// weight is that of a triple, or of its reverse, in the batch.
func (t *trainer) penalize(u *unit, g *lookup, weight float32) float64 {
	w := t.member.Weights
	loss := 0.0
	for as, l2 := range [...]float64{mix.AsHead: w.L2 + w.EntityL2, mix.AsRelation: w.L2 + w.RelationL2, mix.AsTail: w.L2 + w.EntityL2} {
		if l2 == 0 && w.N3 == 0 {
			continue
		}
		x, gradient := u.rows[as], g.rows[as]
		n := len(u.triples) * x.Stride // whole rows: what pads them is 0 and stays so
		squares, cubes := t.kernels.Penalize(gradient.Data[:n], x.Data[:n], float32(2*l2)*weight, float32(3*w.N3)*weight, &u.lanes)
		loss += float64(weight) * (l2*squares + w.N3*cubes)
	}
	return loss
}

// penalizeProducts returns the penalty of what the unit's triples make of their
// heads, hᵀg(A,r), and of their tails, g(A,r)t, and adds the gradient. They are
// mixed anew, because queries may be dropped in part, and with reverses
// only some of them are queries. scratch has room for them.
func (t *trainer) penalizeProducts(u *unit, g *lookup, weight float32, scratch kernel.Table) float64 {
	w := t.member.Products
	if w == 0 {
		return 0
	}
	n, squares := len(u.triples), 0.0
	for _, as := range [...]mix.Role{mix.AsTail, mix.AsHead} {
		products := scratch.Data[:n*scratch.Stride]
		clear(products)
		t.Mix(scratch, as, u.rows, n)
		for i := range n {
			x := tiles.WholeRow(scratch, i)
			squares += tiles.Dot(x, x)
		}
		t.kernels.Scale(products, products, float32(2*w)*weight)
		t.MixBack(scratch, as, u.rows, g.rows, n)
	}
	return w * float64(weight) * squares
}
