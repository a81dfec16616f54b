package cpu

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// layer is a layer of a model with its intermediate results.
type layer struct {
	*lists
	kernels *kernel.Set
	m       *matrices

	mask                []float32 // [rows, d]
	dropped             bool      // the last forward pass had a mask
	gathered, products  table     // sums of the sources of messages, before and after multiplication
	selfRows            table     // input rows of self-loops
	after               table     // output rows
	byAfter, byGathered table
	bySelfRows          table
}

func newLayer(of *model, at int) *layer {
	lists, m, d := of.lists[at], of.matrices[at], of.Settings.Dim
	messages := len(lists.ones)
	l := &layer{
		lists:    lists,
		kernels:  of.engine.kernels,
		m:        m,
		mask:     make([]float32, lists.rows*d),
		gathered: newTable(messages, m.rows), products: newTable(messages, d),
		byGathered: newTable(messages, m.rows),
		after:      newTable(lists.rows, d),
		byAfter:    newTable(lists.rows, d),
	}
	if m.self.rows > 0 {
		l.selfRows, l.bySelfRows = newTable(lists.rows, m.rows), newTable(lists.rows, m.rows)
	}
	return l
}

// forward computes the layer's rows from the rows below: the ReLU of the sum of all messages,
// self-loops and bias, times the dropout mask, if any.
func (l *layer) forward(x table, mask []float32) table {
	d := l.after.columns
	l.dropped = mask != nil
	l.sources.sum(l.kernels, l.gathered, x, l.weights, l.sourceWeights)
	if l.m.rows > d {
		for i, ones := range l.ones {
			l.gathered.row(i)[d] = ones
		}
	}
	for _, s := range l.relations {
		matrix := l.m.relations.From(s.relation * l.m.spacing)
		product(l.kernels, l.products.From(s.from), l.gathered.From(s.from), matrix, s.to-s.from,
			l.products.Stride, l.m.rows, false)
	}
	l.incoming.sum(l.kernels, l.after, l.products, l.targetWeights, nil)
	if l.m.self.rows > 0 {
		for i, row := range l.self {
			own := l.selfRows.row(i)
			copy(own, x.row(int(row)))
			if l.m.rows > d {
				own[d] = 1
			}
		}
		product(l.kernels, l.after.Table, l.selfRows.Table, l.m.self.Table, l.rows, l.after.Stride,
			l.m.rows, true)
	}
	bias := l.m.bias.row(0)
	for i := range l.rows {
		row := l.after.row(i)
		for c := range row {
			row[c] = max(row[c]+bias[c], 0)
		}
		if mask != nil {
			for c, keep := range mask[i*d:][:d] {
				row[c] *= keep
			}
		}
	}
	return l.after
}

// backward computes the gradients by the rows below and by the matrices from the gradient by the
// layer's rows, which it overwrites.
func (l *layer) backward(bySum, byBelow table) {
	d := l.after.columns
	byBias := l.m.byBias.row(0)
	for i := range l.rows {
		row, after := bySum.row(i), l.after.row(i)
		for c := range row {
			if !(after[c] > 0) {
				row[c] = 0
			}
		}
		if l.dropped {
			for c, keep := range l.mask[i*d:][:d] {
				row[c] *= keep
			}
		}
		for c, g := range row {
			byBias[c] += g
		}
	}
	byProducts := l.products // reused: its values are not needed any more
	l.targets.sum(l.kernels, byProducts, bySum, nil, l.targetWeights)
	l.m.transpose(l.relations)
	for _, s := range l.relations {
		messages := s.to - s.from
		product(l.kernels, l.byGathered.From(s.from), byProducts.From(s.from),
			l.m.transposed.From(s.relation*d), messages, l.byGathered.Stride, d, false)
		byMatrix := l.m.byRelations.From(s.relation * l.m.spacing)
		productOfTransposed(l.kernels, byMatrix, l.gathered.From(s.from), byProducts.From(s.from),
			l.m.rows, byProducts.Stride, messages)
	}
	l.outgoing.sum(l.kernels, byBelow, l.byGathered, l.sourceWeights, l.weights)
	if l.m.self.rows > 0 {
		product(l.kernels, l.bySelfRows.Table, bySum.Table, l.m.selfTransposed.Table, l.rows,
			l.bySelfRows.Stride, d, false)
		productOfTransposed(l.kernels, l.m.bySelf.Table, l.selfRows.Table, bySum.Table, l.m.rows,
			bySum.Stride, l.rows)
		for i, row := range l.self {
			if l.blank != nil && l.blank[row] {
				continue
			}
			l.kernels.ScaleAdd(byBelow.padded(int(row)), l.bySelfRows.padded(i)[:byBelow.Stride], 1)
		}
	}
	for row := range byBelow.rows { // remove the gradient by the appended 1
		clear(byBelow.padded(row)[d:])
	}
}
