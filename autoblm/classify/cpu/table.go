package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// table holds rows of numbers, padded with zeros to the block size of the kernels.
type table struct {
	kernel.Table
	rows, columns int
}

// newTable returns a table with spare rows, since kernels write blocks of rows.
func newTable(rows, columns int) table {
	stride := kernel.Pad(columns, kernel.Columns)
	return table{kernel.Table{Data: make([]float32,
		(kernel.Pad(rows, kernel.Rows)+kernel.Rows)*stride), Stride: stride}, rows, columns}
}

// newTableOf returns a table for a parameter. All axes but the last become rows.
func newTableOf(p classify.Parameter) table {
	columns := p.Dims[len(p.Dims)-1]
	return newTable(p.Size()/columns, columns)
}

// row returns a row without its padding.
func (t table) row(i int) []float32 { return t.Data[i*t.Stride:][:t.columns] }

// padded returns a row with its padding.
func (t table) padded(i int) []float32 { return t.Data[i*t.Stride:][:t.Stride] }

// from returns a number of rows, starting at a row.
func (t table) from(row, rows int) table { return table{t.From(row), rows, t.columns} }

// compact returns the numbers without padding.
func (t table) compact() []float32 {
	all := make([]float32, 0, t.rows*t.columns)
	for i := range t.rows {
		all = append(all, t.row(i)...)
	}
	return all
}

// fill sets the numbers without padding.
func (t table) fill(numbers []float32) {
	for i := range t.rows {
		copy(t.row(i), numbers[i*t.columns:])
	}
}

// product computes C = A·B or C += A·B, given the columns of C and the inner size. It overwrites
// up to a block of rows after the last row of C.
func product(k *kernel.Set, c, a, b kernel.Table, rows, columns, inner int, add bool) {
	k.Product(c, a.Data, a.Stride, 1, b, kernel.Pad(rows, kernel.Rows), columns, inner, add)
}

// productOfTransposed computes C = AᵀB; inner is the number of rows of A and B.
func productOfTransposed(k *kernel.Set, c, a, b kernel.Table, rows, columns, inner int) {
	k.Product(c, a.Data, 1, a.Stride, b, kernel.Pad(rows, kernel.Rows), columns, inner, false)
}

// add computes y += factor·x.
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
