package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// matrices holds the matrices of a layer, one for each relation and one for self-loops, with their
// gradients. A matrix has d rows, or d+1 if a 1 is appended to the rows that it multiplies.
type matrices struct {
	of      *model
	layer   int
	rows    int // of a matrix
	spacing int // from the first row of a matrix to that of the next

	relations, byRelations table // all matrices, one below the other
	transposed             table // d rows each
	self, bySelf           table // no rows without self-loops
	selfTransposed         table
	bias, byBias           table
	embeddings             table // of CompGCN's relations
	byEmbeddings           table
}

func newMatrices(of *model, layer int) *matrices {
	s, d, relations := of.Settings, of.Settings.Dim, of.Relations
	m := &matrices{of: of, layer: layer, rows: d, bias: of.value(layer, classify.Bias),
		byBias: of.by(layer, classify.Bias)}
	if s.Encoder == classify.CompGCNSub {
		m.rows++
	}
	m.spacing = kernel.Pad(m.rows, kernel.Rows)
	m.relations, m.byRelations, m.transposed = newTable(relations*m.spacing, d),
		newTable(relations*m.spacing, d), newTable(relations*d, m.rows)
	if s.SelfLoops {
		m.self, m.bySelf, m.selfTransposed = newTable(m.rows, d), newTable(m.rows, d), newTable(d, m.rows)
	}
	if s.Encoder.IsCompGCN() {
		m.embeddings, m.byEmbeddings = newTable(relations+1, d), newTable(relations+1, d)
	}
	return m
}

// transpose transposes the matrices of some relations and of self-loops.
func (m *matrices) transpose(relations []span) {
	d := m.of.Settings.Dim
	for _, s := range relations {
		transpose(m.transposed.from(s.relation*d, d), m.relations.from(s.relation*m.spacing, m.rows))
	}
	transpose(m.selfTransposed, m.self)
}

func transpose(to, from table) {
	for i := range from.rows {
		for c, x := range from.row(i) {
			to.row(c)[i] = x
		}
	}
}

// makeMatrices computes all matrices from the parameters.
func (m *model) makeMatrices() {
	for l, own := range m.matrices {
		if own.embeddings.rows > 0 {
			if l == 0 {
				copy(own.embeddings.Data, m.value(0, classify.RelationEmbeddings).Data)
			} else {
				product(m.engine.kernels, own.embeddings.Table, m.matrices[l-1].embeddings.Table,
					m.value(l-1, classify.RelationStep).Table, own.embeddings.rows, own.embeddings.Stride,
					m.Settings.Dim, false)
			}
		}
		for _, s := range m.lists[l].relations {
			clear(own.relations.From(s.relation * own.spacing).Data[:own.spacing*own.relations.Stride])
			own.compose(s.relation, false)
		}
		own.composeSelf(false)
	}
}

// backThroughMatrices computes the gradients by the parameters from the gradients by all matrices.
func (m *model) backThroughMatrices() {
	for l := len(m.matrices) - 1; l >= 0; l-- {
		own := m.matrices[l]
		if l == len(m.matrices)-1 {
			clear(own.byEmbeddings.Data)
		}
		for _, s := range m.lists[l].relations {
			own.compose(s.relation, true)
		}
		own.composeSelf(true)
		switch {
		case own.embeddings.rows == 0:
		case l == 0:
			copy(m.by(0, classify.RelationEmbeddings).Data, own.byEmbeddings.Data)
		default:
			below, step, byStep := m.matrices[l-1], m.value(l-1, classify.RelationStep),
				m.by(l-1, classify.RelationStep)
			productOfTransposed(m.engine.kernels, byStep.Table, below.embeddings.Table,
				own.byEmbeddings.Table, step.rows, byStep.Stride, own.embeddings.rows)
			clear(below.byEmbeddings.Data)
			for r := range own.embeddings.rows {
				by, to := own.byEmbeddings.row(r), below.byEmbeddings.row(r)
				for i := range step.rows {
					to[i] += dot(by, step.row(i))
				}
			}
		}
	}
}

// compose computes a relation's matrix from the parameters or, backward, the gradients by the
// parameters from the gradient by the matrix.
func (m *matrices) compose(r int, back bool) {
	of, s, l := m.of, m.of.Settings, m.layer
	to := composed{m.relations.from(r*m.spacing, m.rows), m.byRelations.from(r*m.spacing, m.rows),
		back}
	weights := func(name string) (table, table) { return of.value(l, name), of.by(l, name) }
	switch s.Encoder {
	case classify.BLM:
		m.mix(r, to)
	case classify.GCN:
		w, byW := weights(classify.MessageWeights)
		to.add(w, byW, 0, 0, s.Dim, 1)
	case classify.RGCN:
		c, byC := of.value(l, classify.Coefficients).row(r), of.by(l, classify.Coefficients).row(r)
		bases, byBases := weights(classify.Bases)
		for b := range c {
			byC[b] += to.add(bases, byBases, 0, b*s.Dim, s.Dim, c[b])
		}
	case classify.RGCNBlock:
		width := s.Dim / s.Parts
		blocks, byBlocks := weights(classify.Bases)
		for i := range s.Dim {
			first, row := i/width*width, r*s.Dim+i
			if back {
				add(byBlocks.row(row), to.by.row(i)[first:][:width], 1)
			} else {
				copy(to.m.row(i)[first:], blocks.row(row))
			}
		}
	default:
		direction := classify.MessageWeights
		if s.Reverse && r >= of.Relations/2 {
			direction = classify.ReverseWeights
		}
		w, byW := weights(direction)
		to.compGCN(s.Encoder, m.embeddings.row(r), m.byEmbeddings.row(r), w, byW)
	}
}

// composeSelf works like compose, for the matrix of self-loops.
func (m *matrices) composeSelf(back bool) {
	if m.self.rows == 0 {
		return
	}
	s := m.of.Settings
	w, byW := m.of.value(m.layer, classify.SelfWeights), m.of.by(m.layer, classify.SelfWeights)
	to := composed{m.self, m.bySelf, back}
	if !back {
		clear(m.self.Data)
	}
	if s.Encoder.IsCompGCN() {
		r := m.of.Relations
		to.compGCN(s.Encoder, m.embeddings.row(r), m.byEmbeddings.row(r), w, byW)
		return
	}
	to.add(w, byW, 0, 0, s.Dim, 1)
}

// mix works like compose, for a structure: chunk i of a message is the sum over j of
// sign(A_ij) r_|A_ij| ⊙ e_j, multiplied by W.
func (m *matrices) mix(r int, to composed) {
	a := m.of.member.Structure
	values, byValues := m.of.value(m.layer, classify.RelationEmbeddings).row(r),
		m.of.by(m.layer, classify.RelationEmbeddings).row(r)
	w, byW := m.of.value(m.layer, classify.MessageWeights), m.of.by(m.layer, classify.MessageWeights)
	width := m.of.Settings.Dim / a.K()
	for i := range a.K() {
		for j := range a.K() {
			chunk, sign := int(a.At(i, j)), float32(1)
			if chunk < 0 {
				chunk, sign = -chunk, -1
			}
			for c := 0; chunk != 0 && c < width; c++ {
				from, column, of := j*width+c, i*width+c, (chunk-1)*width+c
				switch x := sign * values[of]; {
				case w.rows > 0:
					byValues[of] += sign * to.add(w, byW, from, column, 1, x)
				case to.back:
					byValues[of] += sign * to.by.row(from)[column]
				default:
					to.m.row(from)[column] += x
				}
			}
		}
	}
}

// composed is a matrix that compose computes, with its gradient.
type composed struct {
	m, by table
	back  bool
}

// compGCN works like compose, for CompGCN: the composition with r, times W.
func (to composed) compGCN(e classify.Encoder, r, byR []float32, w, byW table) {
	d := len(r)
	switch e {
	case classify.CompGCNSub:
		to.add(w, byW, 0, 0, d, 1)
		for k := range d {
			byR[k] -= to.add(w, byW, d, k, 1, -r[k])
		}
	case classify.CompGCNMult:
		for k := range d {
			byR[k] += to.add(w, byW, k, k, 1, r[k])
		}
	case classify.CompGCNCorr:
		for i := range d {
			for k := range d {
				at := (i + k) % d
				byR[at] += to.add(w, byW, i, k, 1, r[at])
			}
		}
	}
}

// add adds rows of w, times x, to rows of the matrix. Backward, it adds the gradient by the matrix,
// times x, to the gradient by w, and returns the gradient by x.
func (to composed) add(w, byW table, row, from, rows int, x float32) (byX float32) {
	for i := range rows {
		if to.back {
			byX += dot(to.by.row(row+i), w.row(from+i))
			add(byW.row(from+i), to.by.row(row+i), x)
		} else {
			add(to.m.row(row+i), w.row(from+i), x)
		}
	}
	return byX
}
