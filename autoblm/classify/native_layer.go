package classify

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// nativeLayer is a layer of a run, with room for all that it computes.
type nativeLayer struct {
	*way
	kernels *kernel.Set
	o       *nativeOperators

	mask               []float32 // [targets, d]
	dropped            bool      // whether the last forward pass had a mask
	carried, products  table     // of carriers
	selfRows           table     // of targets
	after              table
	byAfter, byCarried table
	bySelf             table
}

func newNativeLayer(n *native, w *way, o *nativeOperators) *nativeLayer {
	d, carriers := n.settings.Dim, len(w.ones)
	l := &nativeLayer{
		way: w, kernels: n.kernels, o: o, mask: make([]float32, w.targets*d),
		carried: newTable(carriers, o.rows), products: newTable(carriers, d), byCarried: newTable(carriers, o.rows),
		after: newTable(w.targets, d), byAfter: newTable(w.targets, d),
	}
	if o.self.rows > 0 {
		l.selfRows, l.bySelf = newTable(w.targets, o.rows), newTable(w.targets, o.rows)
	}
	return l
}

// forward computes the layer's rows from those below; see [placed.forward].
func (l *nativeLayer) forward(x table, mask []float32) table {
	d := l.after.columns
	l.dropped = mask != nil
	l.collect.sum(l.kernels, l.carried, x, l.carrier, l.source)
	if l.o.rows > d {
		for i, ones := range l.ones {
			l.carried.row(i)[d] = ones
		}
	}
	for _, s := range l.relations {
		product(l.kernels, l.products.From(s.from), l.carried.From(s.from), l.o.matrix(s.relation), s.to-s.from, l.products.Stride, l.o.rows, false)
	}
	l.spread.sum(l.kernels, l.after, l.products, l.target, nil)
	if l.o.self.rows > 0 {
		for t, row := range l.self {
			own := l.selfRows.row(t)
			copy(own, x.row(int(row)))
			if l.o.rows > d {
				own[d] = 1
			}
		}
		product(l.kernels, l.after.Table, l.selfRows.Table, l.o.self.Table, l.targets, l.after.Stride, l.o.rows, true)
	}
	bias := l.o.bias.row(0)
	for t := range l.targets {
		row := l.after.row(t)
		for c := range row {
			row[c] = max(row[c]+bias[c], 0)
		}
		if mask != nil {
			for c, keep := range mask[t*d:][:d] {
				row[c] *= keep
			}
		}
	}
	return l.after
}

// backward turns the gradient by the layer's rows, which it writes over, into those
// by the rows below and by the operators; see [placed.backward].
func (l *nativeLayer) backward(bySum, byBelow table) {
	d := l.after.columns
	byBias := l.o.byBias.row(0)
	for t := range l.targets {
		row, after := bySum.row(t), l.after.row(t)
		for c := range row {
			if !(after[c] > 0) {
				row[c] = 0
			}
		}
		if l.dropped {
			for c, keep := range l.mask[t*d:][:d] {
				row[c] *= keep
			}
		}
		for c, g := range row {
			byBias[c] += g
		}
	}
	byProducts := l.products // whose values are not needed any more
	l.unspread.sum(l.kernels, byProducts, bySum, nil, l.target)
	l.o.turn()
	for _, s := range l.relations {
		rows := s.to - s.from
		product(l.kernels, l.byCarried.From(s.from), byProducts.From(s.from), l.o.turned(s.relation), rows, l.byCarried.Stride, d, false)
		productOfTransposed(l.kernels, l.o.byMatrix(s.relation), l.carried.From(s.from), byProducts.From(s.from), l.o.rows, byProducts.Stride, rows)
	}
	l.back.sum(l.kernels, byBelow, l.byCarried, l.source, l.carrier)
	if l.o.self.rows > 0 {
		product(l.kernels, l.bySelf.Table, bySum.Table, l.o.selfTurned.Table, l.targets, l.bySelf.Stride, d, false)
		productOfTransposed(l.kernels, l.o.bySelf.Table, l.selfRows.Table, bySum.Table, l.o.rows, bySum.Stride, l.targets)
		for t, row := range l.self {
			if l.blank != nil && l.blank[row] {
				continue
			}
			l.kernels.ScaleAdd(byBelow.wide(int(row)), l.bySelf.wide(t)[:byBelow.Stride], 1)
		}
	}
	for row := range byBelow.rows { // where the gradient by the 1 may stand
		clear(byBelow.wide(row)[d:])
	}
}

// product is C = A·B or C += A·B, with the columns of C and the inner size given.
// Rows of C behind the last are written over, up to a block of them.
func product(k *kernel.Set, c, a, b kernel.Table, rows, columns, inner int, add bool) {
	k.Product(c, a.Data, a.Stride, 1, b, kernel.Pad(rows, kernel.Rows), columns, inner, add)
}

// productOfTransposed is C = AᵀB, where A and B have so many rows as inner says.
func productOfTransposed(k *kernel.Set, c, a, b kernel.Table, rows, columns, inner int) {
	k.Product(c, a.Data, 1, a.Stride, b, kernel.Pad(rows, kernel.Rows), columns, inner, false)
}
