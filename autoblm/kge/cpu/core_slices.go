package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// sliceBuffers multiplies with a slice W of a core, [C, C], in the precision of the training.
type sliceBuffers struct {
	partitionLayout
	kernels           *kernel.Set
	bf16              *kernel.BF16Set // nil in float32
	slice, transposed kernel.Table    // set by transpose, and in float32 by load
	gramRows          int             // of H and T that are computed at a time

	// Factors in bfloat16. The left ones are W and Wᵀ, the right ones are the same in this order.
	left, right [2]kernel.Tiles
	swap        kernel.Tiles // two tiles
}

func newSliceBuffers(c *cores, bf16 *kernel.BF16Set) *sliceBuffers {
	b := &sliceBuffers{
		partitionLayout: c.partitionLayout, kernels: c.kernels, bf16: bf16, gramRows: 3 * kernel.Rows,
	}
	if bf16 != nil {
		b.gramRows = 2 * kernel.Band
	}
	return b
}

// allocate allocates the memory that matrices H and T or folding need, unless it exists.
func (b *sliceBuffers) allocate(hasGrams, hasEnds bool) {
	rows := b.paddedSize()
	if b.slice.Data == nil && (b.bf16 == nil || hasEnds) {
		b.slice, b.transposed = tiles.NewTable(rows, b.width), tiles.NewTable(rows, b.width)
	}
	if b.swap.Data == nil && b.bf16 != nil && hasGrams {
		for i := range b.left {
			b.left[i] = kernel.NewTiles(rows/kernel.Band, rows/kernel.TileInner)
			b.right[i] = kernel.NewTiles(rows/kernel.Band, rows/kernel.TileInner)
		}
		b.swap = kernel.NewTiles(1, 2)
	}
}

// paddedSize returns C padded for products in both precisions.
func (l partitionLayout) paddedSize() int { return kernel.Pad(l.size, 2*kernel.Band) }

// load prepares products with a slice.
func (b *sliceBuffers) load(c *cores, k, coordinate int) {
	if b.bf16 == nil {
		b.transpose(c, k, coordinate)
		return
	}
	of := c.tensors.From((k*c.size + coordinate) * c.size)
	bands, steps := b.paddedSize()/kernel.Band, b.paddedSize()/kernel.TileInner
	roundRows(b.bf16, b.left[0], of, b.size, b.width)
	b.bf16.Pairs(b.right[0], b.left[0], bands, steps)
}

// transpose copies a slice, with rows of zeros after it, and transposes it. The copy is in cache.
func (b *sliceBuffers) transpose(c *cores, k, coordinate int) {
	of := c.tensors.From((k*c.size + coordinate) * c.size)
	copy(b.slice.Data, of.Data[:b.size*b.width])
	b.kernels.Transpose(b.transposed, b.slice, b.size, b.size)
}

// addGrams adds W·Wᵀ and Wᵀ·W, or sets them if add is false. It leaves out columns left of the
// diagonal.
func (b *sliceBuffers) addGrams(to [2]kernel.Table, add bool) {
	if b.bf16 != nil {
		bands, steps := b.paddedSize()/kernel.Band, b.paddedSize()/kernel.TileInner
		b.bf16.Columns(b.left[1], b.left[0], bands, steps, b.swap)
		b.bf16.Right(b.right[1], b.left[0], bands, steps)
	}
	factors := [2]kernel.Table{b.slice, b.transposed}
	for row := 0; row < b.size; row += b.gramRows {
		column := firstColumn(row)
		for side, table := range to {
			table = columnsFrom(table.From(row), column)
			if b.bf16 != nil {
				b.bf16.Multiply(table, b.left[side].From(row/kernel.Band, 0),
					b.right[1-side].From(column/kernel.Band, 0), b.gramRows, b.width-column,
					b.paddedSize(), add)
				continue
			}
			left, right := factors[side], factors[1-side]
			rows := kernel.Pad(min(b.gramRows, b.size-row), kernel.Rows)
			b.kernels.Product(table, left.Row(row), left.Stride, 1, columnsFrom(right, column), rows,
				b.width-column, b.size, add)
		}
	}
}

// roundSquares rounds the matrix of heads or of tails for back. The matrices are symmetric.
func (b *sliceBuffers) roundSquares(to kernel.Tiles, squares kernel.Table, side int) {
	if b.bf16 == nil {
		return
	}
	rounded := to
	if side == ofTail {
		rounded = b.left[0]
	}
	roundRows(b.bf16, rounded, squares, b.size, b.width)
	if side == ofTail {
		b.bf16.Right(to, rounded, b.paddedSize()/kernel.Band, b.paddedSize()/kernel.TileInner)
	}
}

// back sets a matrix to heads·W + W·tails, for two matrices, which are also rounded in bfloat16. It
// also writes rows after the last.
func (b *sliceBuffers) back(to kernel.Table, of [2]kernel.Table, rounded [2]kernel.Tiles) {
	if b.bf16 != nil {
		rows := b.paddedSize()
		b.bf16.Multiply(to, rounded[ofHead], b.right[0], rows, b.width, rows, false)
		b.bf16.Multiply(to, b.left[0], rounded[ofTail], rows, b.width, rows, true)
		return
	}
	rows, heads, tails := kernel.Pad(b.size, kernel.Rows), of[ofHead], of[ofTail]
	b.kernels.Product(to, heads.Data, heads.Stride, 1, b.slice, rows, b.width, b.size, false)
	b.kernels.Product(to, b.slice.Data, b.slice.Stride, 1, tails, rows, b.width, b.size, true)
}

// roundRows packs rows into bands.
func roundRows(k *kernel.BF16Set, to kernel.Tiles, rows kernel.Table, n, width int) {
	for row := 0; row < n; row += kernel.Band {
		k.Round(to.From(row/kernel.Band, 0), rows.From(row), min(kernel.Band, n-row), width, bandOfOnes[:])
	}
}

// bandOfOnes holds the factors of rows that are only rounded.
var bandOfOnes = func() (ones [kernel.Band]float32) {
	for i := range ones {
		ones[i] = 1
	}
	return ones
}()
