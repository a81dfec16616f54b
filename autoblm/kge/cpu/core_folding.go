package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// folding lists the entries (i, j) on and above the diagonal of a slice W_k[c], a C×C matrix, by
// rows i. A row begins at a multiple of [kernel.Columns], so it also has some entries below the
// diagonal. Folding replaces a slice by entries W_ij + W_ji and W_ij - W_ji, both halved in the
// blocks on the diagonal, because these have (i, j) and (j, i).
//
// For rows x and y let q = xᵀ W_k[c] y and q' = yᵀ W_k[c] x. Then q + q' is the sum of the first
// entries times x_i y_j + x_j y_i, and q - q' that of the second times x_i y_j - x_j y_i. So both
// directions of a triple take together as many multiplications as one of them takes without folding.
type folding struct {
	partitionLayout
	entryRows, entryColumns []int32 // of each entry
	starts                  []int   // number of the first entry of each row
	entries                 int     // with padding
}

// entriesTogether is the number of entries that are multiplied together: a multiple of the blocks
// of products in both precisions.
const entriesTogether = 16 * kernel.Rows

// The parts of a folded core.
const (
	ofSum = iota
	ofDifference
	foldedParts
)

var foldedSigns = [foldedParts]float32{ofSum: 1, ofDifference: -1}

func newFolding(l partitionLayout) folding {
	f := folding{partitionLayout: l, entries: l.foldedEntries()}
	for i := range l.size {
		f.starts = append(f.starts, len(f.entryRows))
		for j := firstColumn(i); j < l.width; j++ {
			f.entryRows = append(f.entryRows, int32(i))
			f.entryColumns = append(f.entryColumns, int32(j))
		}
	}
	return f
}

// foldedEntries returns the number of entries of a folded slice, with padding.
func (l partitionLayout) foldedEntries() (n int) {
	for i := range l.size {
		n += l.width - firstColumn(i)
	}
	return kernel.Pad(n, entriesTogether)
}

// firstColumn returns the column of the first entry of a row.
func firstColumn(row int) int { return row / kernel.Columns * kernel.Columns }

// blocks returns the number of blocks of [entriesTogether] entries.
func (f *folding) blocks() int { return f.entries / entriesTogether }

// fold writes the folded entries of a slice, given with its transpose.
func (f *folding) fold(k *kernel.Set, to [foldedParts][]float32, slice, transposed kernel.Table) {
	for i, start := range f.starts {
		column := firstColumn(i)
		row, mirrored := slice.Row(i)[column:f.width], transposed.Row(i)[column:f.width]
		for part, sign := range foldedSigns {
			x := to[part][start:][:len(row)]
			k.Scale(x, row, 1)
			k.ScaleAdd(x, mirrored, sign)
			k.Scale(x[:kernel.Columns], x[:kernel.Columns], 0.5)
		}
	}
}

// unfold adds the gradient of a slice, from that of its folded entries, which it overwrites.
func (f *folding) unfold(
	k *kernel.Set, to kernel.Table, from [foldedParts][]float32, scratch kernel.Table,
) {
	for i, start := range f.starts {
		column := firstColumn(i)
		row, mirrored := to.Row(i)[column:f.width], scratch.Row(i)[column:f.width]
		clear(mirrored)
		for part, sign := range foldedSigns {
			x := from[part][start:][:len(row)]
			k.Scale(x[:kernel.Columns], x[:kernel.Columns], 0.5)
			k.ScaleAdd(row, x, 1)
			k.ScaleAdd(mirrored, x, sign)
		}
	}
	var data [kernel.Columns * kernel.Columns]float32
	block := kernel.Table{Data: data[:], Stride: kernel.Columns}
	for top := 0; top < f.size; top += kernel.Columns {
		height := min(kernel.Columns, f.size-top)
		for left := top; left < f.size; left += kernel.Columns {
			width := min(kernel.Columns, f.size-left)
			if height < kernel.Columns {
				clear(data[:]) // of the padding
			}
			k.Transpose(block, columnsFrom(scratch.From(top), left), height, width)
			for j := range width {
				k.ScaleAdd(to.Row(left + j)[top:][:kernel.Columns], block.Row(j)[:kernel.Columns], 1)
			}
		}
	}
}

// multiplyEnds computes the factors of a block of entries of a part: x_i y_j + x_j y_i, or
// x_i y_j - x_j y_i.
func (f *folding) multiplyEnds(k *kernel.Set, to kernel.Table, e *ends, part, block int) {
	x, y := e.rows[asHead], e.rows[asTail]
	clear(first(to, entriesTogether))
	start := block * entriesTogether
	for n := range min(entriesTogether, len(f.entryRows)-start) {
		i, j := int(f.entryRows[start+n]), int(f.entryColumns[start+n])
		k.MulAdd(to.From(n), x.From(i), y.From(j), 1, e.columns, 1)
		k.MulAdd(to.From(n), x.From(j), y.From(i), 1, e.columns, foldedSigns[part])
	}
}

// addBack adds the gradients of x and y from those of the products of a block, which it
// overwrites.
func (f *folding) addBack(
	k *kernel.Set, to endSums, of [foldedParts]kernel.Table, e *ends, block int,
) {
	x, y, toX, toY := e.rows[asHead], e.rows[asTail], to[0], to[1]
	start := block * entriesTogether
	for n := range min(entriesTogether, len(f.entryRows)-start) {
		i, j := int(f.entryRows[start+n]), int(f.entryColumns[start+n])
		// straight is the gradient of x_i y_j, and crossed that of x_j y_i.
		straight, crossed := of[ofSum].From(n), of[ofDifference].From(n)
		sum, difference := straight.Data[:e.columns], crossed.Data[:e.columns]
		k.ScaleAdd(sum, difference, 1)
		k.Scale(difference, difference, -2)
		k.ScaleAdd(difference, sum, 1)
		for _, g := range []struct{ to, of, factor kernel.Table }{
			{toX.From(i), straight, y.From(j)}, {toY.From(j), straight, x.From(i)},
			{toX.From(j), crossed, y.From(i)}, {toY.From(i), crossed, x.From(j)},
		} {
			k.MulAdd(g.to, g.of, g.factor, 1, e.columns, 1)
		}
	}
}

// foldedCore multiplies with a folded core F, [C, entries] for each part, in a precision.
type foldedCore interface {
	// memoryFor returns memory for the entries of the slices from a multiple of [slicesTogether]
	// on. store keeps the first n of them.
	memoryFor(b *endBuffers, slice int) [foldedParts]kernel.Table
	store(rows [foldedParts]kernel.Table, slice, n int)
	// addValues adds the products of F with those of b, of a block of entries.
	addValues(b *endBuffers, to kernel.Table, part, block, columns int)
	// prepare prepares the gradients of values for back and collect.
	prepare(b *endBuffers, x *ends)
	// back sets the matrices of b to the products of F and the gradients of values.
	back(b *endBuffers, x *ends, part, block int)
	// collect sets the gradient of a block of entries of F, [C, entries].
	collect(b *endBuffers, to kernel.Table, all []*ends, part, block int)
}

// slicesTogether is the number of slices that are folded together.
const slicesTogether = kernel.Band

// newFoldedTables returns tables [C, entries]. Their rows are not a multiple of 4 kB apart: that
// would be the same place in the cache for all of them.
func newFoldedTables(f *folding) (parts [foldedParts]kernel.Table) {
	for part := range parts {
		parts[part] = tiles.NewTable(f.paddedSize(), f.entries+kernel.Columns)
	}
	return parts
}

// foldedFloat32 is a folded core in float32.
type foldedFloat32 struct {
	*folding
	kernels *kernel.Set
	parts   [foldedParts]kernel.Table
}

func (f *foldedFloat32) memoryFor(_ *endBuffers, slice int) (rows [foldedParts]kernel.Table) {
	for part, table := range f.parts {
		rows[part] = table.From(slice)
	}
	return rows
}

func (f *foldedFloat32) store([foldedParts]kernel.Table, int, int) {}

func (f *foldedFloat32) addValues(b *endBuffers, to kernel.Table, part, block, columns int) {
	of := f.parts[part]
	f.kernels.Product(to, of.Data[block*entriesTogether:], of.Stride, 1, b.products,
		kernel.Pad(f.size, kernel.Rows), columns, entriesTogether, true)
}

func (f *foldedFloat32) prepare(_ *endBuffers, x *ends) {
	for part, gradient := range x.gradients {
		if x.byEnd[part].Data == nil {
			x.byEnd[part] = tiles.NewTable(endsTogether, f.width)
		}
		f.kernels.Transpose(x.byEnd[part], gradient, f.size, x.columns)
	}
}

func (f *foldedFloat32) back(b *endBuffers, x *ends, part, block int) {
	of := f.parts[part]
	f.kernels.Product(b.matrices[part], of.Data[block*entriesTogether:], 1, of.Stride,
		x.gradients[part], entriesTogether, x.columns, f.size, false)
}

func (f *foldedFloat32) collect(b *endBuffers, to kernel.Table, all []*ends, part, block int) {
	for i, x := range all {
		f.multiplyEnds(f.kernels, b.products, x, part, block)
		f.kernels.Product(b.byEntry, b.products.Data, b.products.Stride, 1, x.byEnd[part],
			entriesTogether, f.width, x.columns, i > 0)
	}
	f.kernels.Transpose(columnsFrom(to, block*entriesTogether), b.byEntry, entriesTogether, f.size)
}

// foldedBfloat16 is a folded core whose entries are rounded, as are the other factors of its
// products.
type foldedBfloat16 struct {
	*folding
	kernels *kernel.Set
	bf16    *kernel.BF16Set
	parts   [foldedParts]kernel.Tiles // bands of rows, along the entries
}

// The numbers of bands of a block of entries, and of tiles along them.
const (
	entryBands = entriesTogether / kernel.Band
	entrySteps = entriesTogether / kernel.TileInner
)

func (f *foldedBfloat16) bands() int { return f.paddedSize() / kernel.Band }

func newFoldedBfloat16(f *folding, k *kernel.Set, bf16 *kernel.BF16Set) *foldedBfloat16 {
	folded := &foldedBfloat16{folding: f, kernels: k, bf16: bf16}
	for part := range folded.parts {
		folded.parts[part] = kernel.NewTiles(folded.bands(), f.entries/kernel.TileInner)
	}
	return folded
}

func (f *foldedBfloat16) memoryFor(b *endBuffers, _ int) [foldedParts]kernel.Table { return b.slices }

func (f *foldedBfloat16) store(rows [foldedParts]kernel.Table, slice, n int) {
	for part, of := range rows {
		roundRows(f.bf16, f.parts[part].From(slice/kernel.Band, 0), of, n, f.entries)
	}
}

func (f *foldedBfloat16) addValues(b *endBuffers, to kernel.Table, part, block, columns int) {
	r, steps := &b.rounded, columns/kernel.TileInner
	roundRows(f.bf16, r.products, b.products, entriesTogether, columns)
	f.bf16.Pairs(r.right, r.products, entryBands, steps)
	f.bf16.Multiply(to, f.parts[part].From(0, block*entrySteps), r.right,
		f.paddedSize(), columns, entriesTogether, true)
}

func (f *foldedBfloat16) prepare(b *endBuffers, x *ends) {
	steps := x.columns / kernel.TileInner
	for part, gradient := range x.gradients {
		if x.left[part].Data == nil {
			x.left[part] = kernel.NewTiles(f.bands(), endsTogether/kernel.TileInner)
			x.right[part] = kernel.NewTiles(endsTogether/kernel.Band, f.bands()/2)
		}
		roundRows(f.bf16, x.left[part], gradient, f.paddedSize(), x.columns)
		f.bf16.Pairs(x.right[part], x.left[part], f.bands(), steps)
	}
}

func (f *foldedBfloat16) back(b *endBuffers, x *ends, part, block int) {
	r := &b.rounded
	f.bf16.Columns(r.transposed, f.parts[part].From(0, block*entrySteps), f.bands(), entrySteps, r.swap)
	f.bf16.Multiply(b.matrices[part], r.transposed, x.right[part], entriesTogether, x.columns,
		f.paddedSize(), false)
}

func (f *foldedBfloat16) collect(b *endBuffers, to kernel.Table, all []*ends, part, block int) {
	r := &b.rounded
	to = columnsFrom(to, block*entriesTogether)
	for i, x := range all {
		f.multiplyEnds(f.kernels, b.products, x, part, block)
		steps := x.columns / kernel.TileInner
		roundRows(f.bf16, r.products, b.products, entriesTogether, x.columns)
		f.bf16.Right(r.entries, r.products, entryBands, steps)
		f.bf16.Multiply(to, x.left[part], r.entries, f.paddedSize(), entriesTogether, x.columns, i > 0)
	}
}
