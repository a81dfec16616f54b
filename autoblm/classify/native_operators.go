package classify

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// nativeOperators are a layer's operators and the gradients by them; see
// [operators].
type nativeOperators struct {
	n           *native
	layer       int
	rows        int   // of a matrix: d or d+1
	slot        int   // rows between the first of a matrix and of the next
	matrices    table // of relations
	byMatrices  table
	self        table // no rows without self-loops
	bySelf      table
	bias        table
	byBias      table
	transposed  table // the matrices; their slots are d rows
	selfTurned  table
	relations   table // CompGCN's
	byRelations table
}

func newNativeOperators(n *native, layer int) *nativeOperators {
	s, d := n.settings, n.settings.Dim
	o := &nativeOperators{n: n, layer: layer, rows: d, bias: n.value(layer, bias), byBias: n.by(layer, bias)}
	if s.Encoder == CompGCNSub {
		o.rows++
	}
	o.slot = kernel.Pad(o.rows, kernel.Rows)
	relations := n.field.relations
	o.matrices, o.byMatrices, o.transposed = newTable(relations*o.slot, d), newTable(relations*o.slot, d), newTable(relations*d, o.rows)
	if s.SelfLoops {
		o.self, o.bySelf, o.selfTurned = newTable(o.rows, d), newTable(o.rows, d), newTable(d, o.rows)
	}
	if s.Encoder.composes() {
		o.relations, o.byRelations = newTable(relations+1, d), newTable(relations+1, d)
	}
	return o
}

// matrix is a relation's.
func (o *nativeOperators) matrix(relation int) kernel.Table {
	return o.matrices.From(relation * o.slot)
}

func (o *nativeOperators) byMatrix(relation int) kernel.Table {
	return o.byMatrices.From(relation * o.slot)
}

// turned is a relation's matrix, transposed by [nativeOperators.turn].
func (o *nativeOperators) turned(relation int) kernel.Table {
	return o.transposed.From(relation * o.n.settings.Dim)
}

// turn transposes all matrices.
func (o *nativeOperators) turn() {
	d := o.n.settings.Dim
	for _, s := range o.n.ways[o.layer].relations {
		for i := range o.rows {
			for c, x := range o.matrices.row(s.relation*o.slot + i) {
				o.transposed.row(s.relation*d + c)[i] = x
			}
		}
	}
	for i := range o.self.rows {
		for c, x := range o.self.row(i) {
			o.selfTurned.row(c)[i] = x
		}
	}
}

// makeOperators computes all operators from the parameters.
func (n *native) makeOperators() {
	for l, o := range n.operators {
		if o.relations.rows > 0 {
			if l == 0 {
				copy(o.relations.Data, n.value(0, relation).Data)
			} else {
				product(n.kernels, o.relations.Table, n.operators[l-1].relations.Table, n.value(l-1, relationStep).Table, o.relations.rows, o.relations.Stride, n.settings.Dim, false)
			}
		}
		for _, s := range n.ways[l].relations {
			clear(o.matrix(s.relation).Data[:o.slot*o.matrices.Stride])
			o.compose(s.relation, false)
		}
		o.own(false)
	}
}

// backThroughOperators turns the gradients by all operators into those by the
// parameters.
func (n *native) backThroughOperators() {
	for l := len(n.operators) - 1; l >= 0; l-- {
		o := n.operators[l]
		if l == len(n.operators)-1 {
			clear(o.byRelations.Data)
		}
		for _, s := range n.ways[l].relations {
			o.compose(s.relation, true)
		}
		o.own(true)
		switch {
		case o.relations.rows == 0:
		case l == 0:
			copy(n.by(0, relation).Data, o.byRelations.Data)
		default:
			below, step, byStep := n.operators[l-1], n.value(l-1, relationStep), n.by(l-1, relationStep)
			productOfTransposed(n.kernels, byStep.Table, below.relations.Table, o.byRelations.Table, step.rows, byStep.Stride, o.relations.rows)
			clear(below.byRelations.Data)
			for r := range o.relations.rows {
				by, to := o.byRelations.row(r), below.byRelations.row(r)
				for i := range step.rows {
					to[i] += dot(by, step.row(i))
				}
			}
		}
	}
}

// compose adds a relation's matrix up, or turns the gradient by it into those by
// the parameters.
func (o *nativeOperators) compose(r int, back bool) {
	n, s, l := o.n, o.n.settings, o.layer
	m, by := o.matrices.from(r*o.slot, o.rows), o.byMatrices.from(r*o.slot, o.rows)
	switch s.Encoder {
	case BLM:
		o.mix(r, m, by, back)
	case GCN:
		accumulate(m, by, n.value(l, message), n.by(l, message), 0, 0, s.Dim, 1, back)
	case RGCN:
		c, byC, bases, byBases := n.value(l, coefficient).row(r), n.by(l, coefficient).row(r), n.value(l, basis), n.by(l, basis)
		for b := range c {
			byC[b] += accumulate(m, by, bases, byBases, 0, b*s.Dim, s.Dim, c[b], back)
		}
	case RGCNBlock:
		width := s.Dim / s.Parts
		blocks, byBlocks := n.value(l, basis), n.by(l, basis)
		for i := range s.Dim {
			first, row := i/width*width, r*s.Dim+i
			if back {
				add(byBlocks.row(row), by.row(i)[first:][:width], 1)
			} else {
				copy(m.row(i)[first:], blocks.row(row))
			}
		}
	default:
		direction := message
		if s.Reverse && r >= n.field.relations/2 {
			direction = reverseMessage
		}
		composeWith(s.Encoder, o.relations.row(r), o.byRelations.row(r), m, by, n.value(l, direction), n.by(l, direction), back)
	}
}

// own is compose for the operator of self-loops.
func (o *nativeOperators) own(back bool) {
	if o.self.rows == 0 {
		return
	}
	n := o.n
	weights, by := n.value(o.layer, selfLoop), n.by(o.layer, selfLoop)
	if !back {
		clear(o.self.Data)
	}
	if n.settings.Encoder.composes() {
		r := n.field.relations
		composeWith(n.settings.Encoder, o.relations.row(r), o.byRelations.row(r), o.self, o.bySelf, weights, by, back)
		return
	}
	accumulate(o.self, o.bySelf, weights, by, 0, 0, n.settings.Dim, 1, back)
}

// mix is compose for a structure: chunk i of a message is the sum over j of
// sign(A_ij) r_|A_ij| ⊙ e_j, and then W.
func (o *nativeOperators) mix(r int, m, by table, back bool) {
	n, l := o.n, o.layer
	a := n.run.member.Structure
	values, byValues := n.value(l, relation).row(r), n.by(l, relation).row(r)
	w, byW := n.value(l, message), n.by(l, message)
	width := n.settings.Dim / a.K()
	for _, e := range entriesOf(a) {
		for c := range width {
			from, to, of := e.column*width+c, e.row*width+c, e.chunk*width+c
			switch x := e.sign * values[of]; {
			case w.rows > 0:
				byValues[of] += e.sign * accumulate(m, by, w, byW, from, to, 1, x, back)
			case back:
				byValues[of] += e.sign * by.row(from)[to]
			default:
				m.row(from)[to] += x
			}
		}
	}
}

// entry is a nonzero of a structure.
type entry struct {
	row, column, chunk int
	sign               float32
}

func entriesOf(a structure.Structure) []entry {
	var all []entry
	for i := range a.K() {
		for j := range a.K() {
			switch v := a.At(i, j); {
			case v > 0:
				all = append(all, entry{i, j, int(v) - 1, 1})
			case v < 0:
				all = append(all, entry{i, j, int(-v) - 1, -1})
			}
		}
	}
	return all
}

// composeWith is compose for CompGCN: the composition with r, times W.
func composeWith(e Encoder, r, byR []float32, m, by, w, byW table, back bool) {
	d := len(r)
	switch e {
	case CompGCNSub:
		accumulate(m, by, w, byW, 0, 0, d, 1, back)
		for k := range d {
			byR[k] -= accumulate(m, by, w, byW, d, k, 1, -r[k], back)
		}
	case CompGCNMult:
		for k := range d {
			byR[k] += accumulate(m, by, w, byW, k, k, 1, r[k], back)
		}
	case CompGCNCorr:
		for i := range d {
			for k := range d {
				at := (i + k) % d
				byR[at] += accumulate(m, by, w, byW, i, k, 1, r[at], back)
			}
		}
	}
}

// accumulate adds some rows of w, times x, to rows of m. Back, it adds the gradient
// by m, times x, to that by w, and returns the gradient by x.
func accumulate(m, byM, w, byW table, row, from, rows int, x float32, back bool) (byX float32) {
	for i := range rows {
		if back {
			byX += dot(byM.row(row+i), w.row(from+i))
			add(byW.row(from+i), byM.row(row+i), x)
		} else {
			add(m.row(row+i), w.row(from+i), x)
		}
	}
	return byX
}

// add is y += factor·x.
func add(y, x []float32, factor float32) {
	for i, v := range x {
		y[i] += factor * v
	}
}

func dot(x, y []float32) (sum float32) {
	for i, v := range x {
		sum += v * y[i]
	}
	return sum
}
