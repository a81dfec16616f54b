package kernel

import "slices"

// rawRecheck holds the kernels that compare scores with limits although the scores are
// products in bfloat16: they separate the certain comparisons from those that need a
// float32 product.
type rawRecheck struct {
	countNotAbove func(x *float32, rows, columns, stride int, limit, whole, lost,
		byWhole, byLost *float32, least float32, notAbove *int32, marks *uint64)
	recheck func(places *uint32, n int, a *float32, aRow int, b *float32, bRow, width int,
		limit, whole, byWhole *float32, least float32, notAbove *int32) int
	positions    func(marks *uint64, numbers int, places *uint32) int
	squaredNorms func(x *float32, rows, width, stride int, to *float32)
}

// Position encodes a row and a column of a table with up to maxMarkedColumns columns.
// Positions are ordered by groups of four rows, then by groups of 16 columns, then by row
// and column within the group.
type Position uint32

// NewPosition encodes a row and a column.
func NewPosition(row, column int) Position {
	return Position(row/markedRows*wordsPerGroup*markBits + column/Columns*markBits +
		row%markedRows*Columns + column%Columns)
}

// Row returns the row of a position.
func (p Position) Row() int {
	return int(p/(wordsPerGroup*markBits)*markedRows + p/Columns%markedRows)
}

// Column returns the column of a position.
func (p Position) Column() int { return int(p/markBits%wordsPerGroup*Columns + p%Columns) }

// SquaredNorms holds the squared norms of a row, of the row rounded to bfloat16, and of the
// rounding error.
type SquaredNorms struct{ Exact, Rounded, Error float32 }

// BoundRows is the number of rows that share one error bound.
const BoundRows = 8

// ErrorBound bounds the error of products in bfloat16. Row i and column j differ from the
// float32 product by at most
//
//	RowPerNorm[i/BoundRows]·ColumnNorm[j] + RowPerError[i/BoundRows]·ColumnError[j] + Floor.
type ErrorBound struct {
	ColumnNorm, ColumnError, RowPerNorm, RowPerError []float32
	Floor                                            float32
}

// Marks is a bit set of positions: bit i of word n stands for position 64n + i.
type Marks []uint64

// maxMarkedColumns is the maximum number of columns with marks.
const maxMarkedColumns = wordsPerGroup * Columns

const (
	markBits      = 64
	markedRows    = markBits / Columns // rows per word of marks
	wordsPerGroup = 8                  // words per group of markedRows rows
)

// NewMarks allocates marks for a number of rows.
func NewMarks(rows int) Marks { return make(Marks, Pad(rows, markedRows)/markedRows*wordsPerGroup) }

// CountNotAbove adds to notAbove[j] the number of values in column j that do not exceed
// limit[j] by more than their error bound; NaN is one of them. Among these it marks the
// uncertain ones: those that are not below the limit by more than the bound either.
func (u *BF16Set) CountNotAbove(x Table, rows, columns int, limit []float32, bound ErrorBound,
	notAbove []int32, marks Marks) {
	checkColumns(x, rows, columns)
	groups := (rows + BoundRows - 1) / BoundRows
	check(len(limit) >= columns && len(notAbove) >= columns && columns <= maxMarkedColumns)
	check(rows*wordsPerGroup <= len(marks)*markedRows)
	check(len(bound.ColumnNorm) >= columns && len(bound.ColumnError) >= columns)
	check(len(bound.RowPerNorm) >= groups && len(bound.RowPerError) >= groups)
	clear(marks)
	u.raw.countNotAbove(&x.Data[0], rows, columns, x.Stride*floatBytes, &limit[0],
		&bound.ColumnNorm[0], &bound.ColumnError[0], &bound.RowPerNorm[0], &bound.RowPerError[0],
		bound.Floor, &notAbove[0], &marks[0])
}

// Positions returns the marked positions in order. It reuses buffer if that is large enough.
func (u *BF16Set) Positions(m Marks, buffer []Position) []Position {
	if len(m) == 0 {
		return nil
	}
	buffer = slices.Grow(buffer[:0], len(m)*markBits+1)[:len(m)*markBits+1]
	return buffer[:u.raw.positions(&m[0], len(m), (*uint32)(&buffer[0]))]
}

// Recheck computes the float32 products of rows of a and b at uncertain positions. The width
// of the rows is a multiple of Columns. A value that exceeds its limit by more than
// rowPerNorm[row]·columnNorm[column] + floor is subtracted from notAbove. Positions that are
// still uncertain are kept at the start of positions and returned. Each term of a product
// goes through at most width/Columns + 8 roundings.
func (u *BF16Set) Recheck(positions []Position, a, b Table, width int,
	limit, columnNorm, rowPerNorm []float32, floor float32, notAbove []int32) []Position {
	if len(positions) == 0 {
		return positions
	}
	row, column := 0, 0
	for _, p := range positions {
		row, column = max(row, p.Row()), max(column, p.Column())
	}
	check(width > 0 && width%Columns == 0 && a.has(row+1, width) && b.has(column+1, width))
	check(row < len(rowPerNorm) && column < len(limit))
	check(column < len(columnNorm) && column < len(notAbove))
	kept := u.raw.recheck((*uint32)(&positions[0]), len(positions),
		&a.Data[0], a.Stride*floatBytes, &b.Data[0], b.Stride*floatBytes, width,
		&limit[0], &columnNorm[0], &rowPerNorm[0], floor, &notAbove[0])
	return positions[:kept]
}

// SquaredNorms computes the squared norms of the first rows of a table, whose width is a
// multiple of Columns. Each term goes through at most width/Columns + 8 roundings.
func (u *BF16Set) SquaredNorms(to []SquaredNorms, x Table, rows, width int) {
	if rows == 0 {
		return
	}
	check(len(to) >= rows && width > 0 && width%Columns == 0 && x.has(rows, width))
	u.raw.squaredNorms(&x.Data[0], rows, width, x.Stride*floatBytes, &to[0].Exact)
}
