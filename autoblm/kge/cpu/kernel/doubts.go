package kernel

import "slices"

// rawDoubts are the kernels by which products of bfloat16 numbers say what is certain of
// those in float32, and what is not.
type rawDoubts struct {
	sift    func(x *float32, rows, columns, stride int, limit, whole, lost, byWhole, byLost *float32, least float32, notAbove *int32, marks *uint64)
	settle  func(places *uint32, n int, a *float32, aRow int, b *float32, bRow, width int, limit, whole, byWhole *float32, least float32, notAbove *int32) int
	list    func(marks *uint64, numbers int, places *uint32) int
	squares func(x *float32, rows, width, stride int, to *float32)
}

// Place is a row and a column of a table of up to MarkedColumns columns. Places are in the
// order of four rows together, of 16 columns of these, and there of rows.
type Place uint32

// NewPlace is that of a row and a column.
func NewPlace(row, column int) Place {
	return Place(row/rowsMarked*numbersOfRows*markBits + column/Columns*markBits + row%rowsMarked*Columns + column%Columns)
}

// Row is that of a place.
func (p Place) Row() int {
	return int(p/(numbersOfRows*markBits)*rowsMarked + p/Columns%rowsMarked)
}

// Column is that of a place.
func (p Place) Column() int { return int(p/markBits%numbersOfRows*Columns + p%Columns) }

// Squares are the sums of the squares of a row, of the row in bfloat16, and of the
// difference.
type Squares struct{ Whole, Rounded, Lost float32 }

// SiftRows is how many rows have one reach.
const SiftRows = 8

// Reach is how far numbers may be from those they stand for: in the rows from i·SiftRows on and
// column j ByWhole[i]·Whole[j] + ByLost[i]·Lost[j] + Least.
type Reach struct {
	Whole, Lost, ByWhole, ByLost []float32
	Least                        float32
}

// Marks are of some places: bit i of number n is that of place 64n + i.
type Marks []uint64

// MarkedColumns is how many columns have marks at most.
const MarkedColumns = numbersOfRows * Columns

const (
	markBits      = 64
	rowsMarked    = markBits / Columns // by one number
	numbersOfRows = 8                  // of as many rows
)

// NewMarks has room for so many rows.
func NewMarks(rows int) Marks { return make(Marks, Pad(rows, rowsMarked)/rowsMarked*numbersOfRows) }

// Sift adds to notAbove[j] how many numbers of column j are not above limit[j] by more than
// their reach, which what is not a number is among, and marks those of them that are not as
// far below it either.
func (u *Unit) Sift(x Table, rows, columns int, limit []float32, r Reach, notAbove []int32, marks Marks) {
	checkColumns(x, rows, columns)
	reaches := (rows + SiftRows - 1) / SiftRows
	check(len(limit) >= columns && len(notAbove) >= columns && columns <= MarkedColumns && rows*numbersOfRows <= len(marks)*rowsMarked)
	check(len(r.Whole) >= columns && len(r.Lost) >= columns && len(r.ByWhole) >= reaches && len(r.ByLost) >= reaches)
	clear(marks)
	u.raw.sift(&x.Data[0], rows, columns, x.Stride*floatBytes, &limit[0], &r.Whole[0], &r.Lost[0], &r.ByWhole[0], &r.ByLost[0], r.Least, &notAbove[0], &marks[0])
}

// Places are where marks are, in order, in the room that is given or more.
func (u *Unit) Places(m Marks, room []Place) []Place {
	if len(m) == 0 {
		return nil
	}
	room = slices.Grow(room[:0], len(m)*markBits+1)[:len(m)*markBits+1]
	return room[:u.raw.list(&m[0], len(m), (*uint32)(&room[0]))]
}

// Settle looks at the numbers at some places of the product of the rows of a and of b, whose
// width is a multiple of Columns. It takes back from notAbove those that are above their limit
// by more than their reach, byWhole of the row times whole of the column and least, and
// returns the places of those that are neither that nor as far below it, where the places
// were. The terms of the products go through no more than width/Columns + 8 roundings.
func (u *Unit) Settle(places []Place, a, b Table, width int, limit, whole, byWhole []float32, least float32, notAbove []int32) []Place {
	if len(places) == 0 {
		return places
	}
	row, column := 0, 0
	for _, p := range places {
		row, column = max(row, p.Row()), max(column, p.Column())
	}
	check(width > 0 && width%Columns == 0 && row*a.Stride+width <= len(a.Data) && row < len(byWhole))
	check(column*b.Stride+width <= len(b.Data) && column < len(limit) && column < len(whole) && column < len(notAbove))
	return places[:u.raw.settle((*uint32)(&places[0]), len(places), &a.Data[0], a.Stride*floatBytes, &b.Data[0], b.Stride*floatBytes, width, &limit[0], &whole[0], &byWhole[0], least, &notAbove[0])]
}

// Squares adds up the squares of the first rows of a table, whose width is a multiple of
// Columns, with no more than width/Columns + 8 roundings of each.
func (u *Unit) Squares(to []Squares, x Table, rows, width int) {
	if rows == 0 {
		return
	}
	check(len(to) >= rows && width > 0 && width%Columns == 0 && len(x.Data) >= (rows-1)*x.Stride+width)
	u.raw.squares(&x.Data[0], rows, width, x.Stride*floatBytes, &to[0].Whole)
}
