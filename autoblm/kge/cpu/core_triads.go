package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// triads holds triples of rows: heads, tails, and the gradients of their queries for relations. The
// gradient of a core W_k[c] is the sum over triads of query_c·head tailᵀ.
type triads struct {
	rows  [3][]float32 // packed, by role
	count int
}

// add appends n triads.
func (t *triads) add(l partitionLayout, of byRole, n int) {
	for r, from := range of {
		t.rows[r] = l.grow(t.rows[r], t.count+n)
		l.pack(t.rows[r][t.count*l.stride:], from, n)
	}
	t.count += n
}

// coreAsker makes queries for relations with cores, and records in a unit what the gradients of the
// cores need.
type coreAsker struct {
	*cores
	to *triads
}

// relationAsker returns what makes the queries for relations of a unit.
func (t *trainer) relationAsker(u *unit) relationAsker {
	if t.cores != nil {
		return coreAsker{t.cores, &u.gradients.triads}
	}
	return t.hop.(relationAsker)
}

// askedTogether is the number of triples whose queries are computed together, a multiple of
// [kernel.Columns].
var askedTogether = 64

// askBuffers holds the rows of triples that are computed together.
type askBuffers struct {
	heads, tails, queries []float32 // packed rows
	gradHeads, gradTails  []float32
	columns               [3]kernel.Table // by role, [C, triples]
	matrices              kernel.Table    // a part of the matrix of each triple
	products              kernel.Table    // the same of products of heads and tails, [numbers, triples]
	strip                 kernel.Table    // rows of a core
}

// takeBuffers returns unused buffers.
func (c *cores) takeBuffers() *askBuffers {
	if b, ok := c.asking.Get().(*askBuffers); ok {
		return b
	}
	b := &askBuffers{}
	for _, rows := range []*[]float32{&b.heads, &b.tails, &b.queries, &b.gradHeads, &b.gradTails} {
		*rows = c.resize(nil, kernel.Pad(askedTogether, kernel.Rows))
	}
	for r := range b.columns {
		b.columns[r] = tiles.NewTable(kernel.Pad(c.size, kernel.Rows), askedTogether)
	}
	numbers := c.rowsAsked() * c.width
	b.matrices = tiles.NewTable(askedTogether, numbers)
	b.products = tiles.NewTable(numbers, askedTogether)
	b.strip = tiles.NewTable(kernel.Rows, numbers)
	return b
}

// rowsAsked returns the number of rows of a core that are multiplied at a time.
func (c *cores) rowsAsked() int { return max(1, min(c.size, numbersTogether/c.width)) }

// AskRelations implements [relationAsker]. In each partition coordinate c of a query is hᵀ W_k[c] t.
func (a coreAsker) AskRelations(to, heads, tails kernel.Table, n int) {
	b := a.takeBuffers()
	defer a.asking.Put(b)
	for from := 0; from < n; from += askedTogether {
		a.ask(b, to.From(from), heads.From(from), tails.From(from), min(askedTogether, n-from))
	}
}

func (a coreAsker) ask(b *askBuffers, to, heads, tails kernel.Table, n int) {
	clear(b.heads)
	clear(b.tails)
	a.pack(b.heads, heads, n)
	a.pack(b.tails, tails, n)
	for k := range a.count {
		ofHeads, ofTails, ofQueries := b.columns[asHead], b.columns[asTail], b.columns[asRelation]
		a.kernels.Transpose(ofHeads, a.partOf(b.heads, k), askedTogether, a.size)
		a.kernels.Transpose(ofTails, a.partOf(b.tails, k), askedTogether, a.size)
		clear(ofQueries.Data)
		for row := 0; row < a.size; row += a.rowsAsked() {
			rows := min(a.rowsAsked(), a.size-row)
			clear(first(b.products, rows*a.width))
			for i := range rows {
				for j := range a.size {
					a.kernels.MulAdd(b.products.From(i*a.width+j),
						ofHeads.From(row+i), ofTails.From(j), 1, askedTogether, 1)
				}
			}
			factor := columnsFrom(a.tensor(k), row*a.width)
			for strip := 0; strip < a.size; strip += kernel.Rows {
				part := a.wholeStrip(b.strip, factor.From(strip), a.size-strip, rows*a.width)
				a.kernels.Product(ofQueries.From(strip), part.Data, part.Stride, 1, b.products,
					kernel.Rows, askedTogether, rows*a.width, true)
			}
		}
		a.kernels.Transpose(a.partOf(b.queries, k), ofQueries, a.size, askedTogether)
	}
	a.addUnpacked(to, b.queries, n)
}

// partOf returns a partition of packed rows.
func (l partitionLayout) partOf(rows []float32, k int) kernel.Table {
	return kernel.Table{Data: rows[k*l.width:], Stride: l.stride}
}

// wholeStrip returns the first [kernel.Rows] rows of a table of which some are valid: a product
// needs all of them. If some are not, it returns a copy in scratch, with rows of zeros.
func (c *cores) wholeStrip(scratch, from kernel.Table, valid, columns int) kernel.Table {
	if valid >= kernel.Rows {
		return from
	}
	for row := range kernel.Rows {
		to := scratch.Row(row)[:columns]
		if row < valid {
			copy(to, from.Row(row))
		} else {
			clear(to)
		}
	}
	return scratch
}

// AskRelationsBack implements [relationAsker]. A gradient of a query makes a matrix, as the row of a
// relation does, which maps heads to the gradients of tails.
func (a coreAsker) AskRelationsBack(gradient, heads, tails, gradHeads, gradTails kernel.Table, n int) {
	a.to.add(a.partitionLayout, byRole{asHead: heads, asRelation: gradient, asTail: tails}, n)
	b := a.takeBuffers()
	defer a.asking.Put(b)
	for from := 0; from < n; from += askedTogether {
		count := min(askedTogether, n-from)
		for _, x := range []struct {
			to   []float32
			from kernel.Table
		}{{b.heads, heads}, {b.tails, tails}, {b.queries, gradient}} {
			clear(x.to)
			a.pack(x.to, x.from.From(from), count)
		}
		clear(b.gradHeads)
		clear(b.gradTails)
		for k := range a.count {
			a.back(b, k, count)
		}
		a.addUnpacked(gradHeads.From(from), b.gradHeads, count)
		a.addUnpacked(gradTails.From(from), b.gradTails, count)
	}
}

// back adds the gradients of heads and tails in a partition.
func (a coreAsker) back(b *askBuffers, k, n int) {
	for row := 0; row < a.size; row += a.rowsAsked() {
		rows := min(a.rowsAsked(), a.size-row)
		a.kernels.Product(b.matrices, b.queries[k*a.width:], a.stride, 1,
			columnsFrom(a.tensor(k), row*a.width), kernel.Pad(n, kernel.Rows), rows*a.width, a.size, false)
		for i := range n {
			start := i*a.stride + k*a.width
			tail, gradTail := b.tails[start:][:a.width], b.gradTails[start:][:a.width]
			for m := range rows {
				matrix := b.matrices.Row(i)[m*a.width:][:a.width]
				b.gradHeads[start+row+m] += float32(tiles.Dot(matrix, tail))
				a.kernels.ScaleAdd(gradTail, matrix, b.heads[start+row+m])
			}
		}
	}
}

// addTriads adds the gradient of some rows of W_k[c] from the triads of all units. scaled is memory
// for them.
func (c *cores) addTriads(
	to, scratch kernel.Table, scaled []float32, k, coordinate, row, rows int,
) []float32 {
	for _, t := range c.gradients.triads {
		// A product reads, but does not use, numbers after the last.
		scaled = append(scaled[:0], make([]float32, t.count*rowsTogether+kernel.Rows)...)
		for i := range t.count {
			start := i*c.stride + k*c.width
			factor := t.rows[asRelation][start+coordinate]
			heads := t.rows[asHead][start+row:][:rows]
			for m, x := range heads {
				scaled[i*rowsTogether+m] = factor * x
			}
		}
		tails := kernel.Table{Data: t.rows[asTail][k*c.width:], Stride: c.stride}
		c.kernels.Product(scratch, scaled, 1, rowsTogether, tails,
			kernel.Pad(rows, kernel.Rows), c.width, t.count, false)
		c.kernels.ScaleAdd(to.Data[:rows*c.width], scratch.Data[:rows*c.width], 1)
	}
	return scaled
}
