package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// table is rows of numbers, padded with zeros to what kernels work on.
type table struct {
	kernel.Table
	rows, columns int
}

// newTable has room for more rows that kernels may write to, since they write
// blocks of them.
func newTable(rows, columns int) table {
	stride := kernel.Pad(columns, kernel.Columns)
	return table{kernel.Table{Data: make([]float32, (kernel.Pad(rows, kernel.Rows)+kernel.Rows)*stride), Stride: stride}, rows, columns}
}

// newTableOf is for a parameter: all its axes but the last are rows.
func newTableOf(p classify.Parameter) table {
	columns := p.Dims[len(p.Dims)-1]
	return newTable(p.Size()/columns, columns)
}

// row is a row without its padding.
func (t table) row(i int) []float32 { return t.Data[i*t.Stride:][:t.columns] }

// padded is a row with its padding.
func (t table) padded(i int) []float32 { return t.Data[i*t.Stride:][:t.Stride] }

// from is some rows, the first of them given.
func (t table) from(row, rows int) table { return table{t.From(row), rows, t.columns} }

// compact is the numbers without padding, and fill takes them.
func (t table) compact() []float32 {
	all := make([]float32, 0, t.rows*t.columns)
	for i := range t.rows {
		all = append(all, t.row(i)...)
	}
	return all
}

func (t table) fill(numbers []float32) {
	for i := range t.rows {
		copy(t.row(i), numbers[i*t.columns:])
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
