package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// penalizeIntermediates returns the penalty IVR of [kge.Weights] of the examples of a unit and
// adds its gradient. weight is the weight of an example, or of its reverse, in the batch.
func (t *trainer) penalizeIntermediates(
	s *scratch, u *unit, a *activeUnit, weight float32,
) float64 {
	if !t.member.HasIVR() {
		return 0
	}
	if t.cores != nil {
		return t.penalizeCoreIVR(s, u, a, weight)
	}
	if s.ivr == nil {
		s.ivr = newIVRRows(t.dim)
	}
	w := t.member.Weights
	of := ivr{
		mixture: t.hop.(mixture), entries: &t.entries, ivrRows: s.ivr, dim: t.dim,
		single: float32(w.IVR), double: float32(w.IVRProducts),
		power: float32(2 * w.IVRExponent()), eighths: int(8 * (w.IVRExponent() - 1)),
	}
	clear(of.columns(of.loss))
	for i := range u.examples {
		x := &u.examples[i]
		rows := byRole{a.anchors.From(i), a.relations[0][0].From(i), a.targets.From(i)}
		gradients := &u.gradients
		to := byRole{
			gradients.anchors.From(i), gradients.relations[0][0].From(i), gradients.targets.From(i),
		}
		head, tail := weight*t.startScale(forward, x), weight*t.startScale(backward, x)
		of.penalize(rows, to, [3]float32{head, weight * t.hopScale(x, 0), tail},
			[3]float32{asHead: tail, asRelation: (head + tail) / 2, asTail: head})
	}
	return tiles.Dot(of.columns(of.loss), of.columns(of.ones))
}

// ivr computes the penalty IVR of one triple at a time, with loops over positions.
type ivr struct {
	mixture
	entries *[3][]entry
	*ivrRows
	dim            int
	single, double float32 // the weights λ1 and λ2
	power          float32 // α
	eighths        int     // of α/2-1, the power of squared norms in slopes
}

// ivrRows holds rows with a number for each position, and two rows of embeddings.
type ivrRows struct {
	norms           [3]powers // of the embeddings, by role
	other           powers    // of a matrix or product, without norm
	slope, sum      kernel.Table
	loss            kernel.Table // of all triples so far
	ones            kernel.Table
	query, gradient kernel.Table // [1, d]
}

// powers holds squared norms q at all positions with q^(α/2-1) and q^(α/2).
type powers struct{ squared, slope, norm kernel.Table }

func newIVRRows(dim int) *ivrRows {
	row := func() kernel.Table { return tiles.NewTable(1, dim) }
	powersOf := func() powers { return powers{row(), row(), row()} }
	rows := &ivrRows{
		norms: [3]powers{powersOf(), powersOf(), powersOf()},
		other: powers{squared: row(), slope: row()},
		slope: row(), sum: row(), loss: row(), ones: row(), query: row(), gradient: row(),
	}
	for i := range rows.ones.Data {
		rows.ones.Data[i] = 1
	}
	return rows
}

// penalize adds the penalty of a triple and its gradient. weights are the weights of the triple by
// role, and pairs those of two rows, by the role of the third.
func (p *ivr) penalize(x, to byRole, weights, pairs [3]float32) {
	for r := range p.norms {
		norm := &p.norms[r]
		p.square(norm, x[r])
		clear(p.columns(norm.norm))
		p.mulAdd(norm.norm, norm.squared, norm.slope, 1)
	}
	single, double := p.single, p.double
	for r := range p.norms {
		y, z := role(r).others()
		norm, next := &p.norms[r], &p.norms[y]
		p.mulAdd(p.loss, norm.norm, p.ones, single*weights[r])
		p.mulAdd(p.loss, norm.norm, next.norm, double*pairs[z])
		p.kernels.Scale(p.columns(p.slope), p.columns(norm.slope), p.power*single*weights[r])
		p.mulAdd(p.slope, norm.slope, next.norm, p.power*double*pairs[z])
		p.mulAdd(p.slope, norm.slope, p.norms[z].norm, p.power*double*pairs[y])
		p.addScaled(to[r], x[r])
	}
	for r := range p.norms {
		if single != 0 {
			p.penalizeMatrix(role(r), x[r], to[r], single*weights[r])
		}
		if double != 0 {
			p.penalizeProduct(role(r), x, to, double*pairs[r])
		}
	}
}

// penalizeMatrix adds the penalty of W×x, for x in a role, and its gradient.
func (p *ivr) penalizeMatrix(r role, x, to kernel.Table, weight float32) {
	clear(p.columns(p.other.squared))
	for _, e := range p.entries[r] {
		value := p.value(e, x)
		p.mulAdd(p.other.squared, value, value, e.weight)
	}
	p.raise(&p.other)
	p.addNorm(p.other, weight)
	for _, e := range p.entries[r] {
		value := p.value(e, x)
		for _, s := range e.summands {
			p.mulAdd(columnsFrom(to, s.column), p.slope, value, s.sign*e.weight)
		}
	}
}

// penalizeProduct adds the penalty of the query in a role, the product of W with the rows in both
// other roles, and its gradient.
func (p *ivr) penalizeProduct(as role, x, to byRole, weight float32) {
	clear(first(p.query, 1))
	p.mix(p.query, as, x, 1)
	p.square(&p.other, p.query)
	p.addNorm(p.other, weight)
	clear(first(p.gradient, 1))
	p.addScaled(p.gradient, p.query)
	p.mixGradient(p.gradient, as, x, to, 1)
}

// addNorm adds norms to the loss, and sets slope to its derivative by half of the squared norms.
func (p *ivr) addNorm(of powers, weight float32) {
	p.mulAdd(p.loss, of.squared, of.slope, weight)
	p.kernels.Scale(p.columns(p.slope), p.columns(of.slope), p.power*weight)
}

// square computes the squared norms of a row at all positions, and their slopes.
func (p *ivr) square(to *powers, row kernel.Table) {
	clear(p.columns(to.squared))
	for column := 0; column < p.dim; column += p.width {
		x := columnsFrom(row, column)
		p.mulAdd(to.squared, x, x, 1)
	}
	p.raise(to)
}

// raise computes the slopes of squared norms.
func (p *ivr) raise(of *powers) {
	p.kernels.Power(p.columns(of.slope), p.columns(of.squared), p.eighths)
}

// addScaled adds slope·x for all chunks of a row x.
func (p *ivr) addScaled(to, x kernel.Table) {
	for column := 0; column < p.dim; column += p.width {
		p.mulAdd(columnsFrom(to, column), p.slope, columnsFrom(x, column), 1)
	}
}

func (p *ivr) mulAdd(to, x, y kernel.Table, factor float32) {
	p.kernels.MulAdd(to, x, y, 1, p.width, factor)
}

// columns returns a row of one number for each position, with padding.
func (p *ivr) columns(row kernel.Table) []float32 {
	return row.Data[:kernel.Pad(p.width, kernel.Columns)]
}
