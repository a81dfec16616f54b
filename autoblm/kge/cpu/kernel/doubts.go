package kernel

// rawDoubts are the kernels by which products of bfloat16 numbers say what is certain of
// those in float32, and what is not.
type rawDoubts struct {
	sift    func(x *float32, rows, columns, stride int, limit, whole, lost, byWhole, byLost *float32, least float32, above *int32, marks *uint16)
	dots    func(to *float32, pairs *int32, n int, a *float32, aRow int, b *float32, bRow, width int)
	squares func(x *float32, rows, width, stride int, to *float32)
}

// Marks are those of a row's columns: bit i of number n is that of column 16n + i.
type Marks [8]uint16

// MarkedColumns is how many columns have marks at most.
const MarkedColumns = 8 * Columns

// Pair is a row of one table and one of another.
type Pair struct{ Left, Right int32 }

// Squares are the sums of the squares of a row, of the row in bfloat16, and of the
// difference.
type Squares struct{ Whole, Rounded, Lost float32 }

// Reach is how far numbers may be from those they stand for: in row i and column j
// ByWhole[i]·Whole[j] + ByLost[i]·Lost[j] + Least.
type Reach struct {
	Whole, Lost, ByWhole, ByLost []float32
	Least                        float32
}

// Sift adds to above[j] how many numbers of column j are above limit[j] by more than their
// reach, and marks those that are neither that nor as far below it, so what is not a number
// too.
func (u *Unit) Sift(x Table, rows, columns int, limit []float32, r Reach, above []int32, marks []Marks) {
	checkColumns(x, rows, columns)
	check(columns <= MarkedColumns && len(limit) >= columns && len(above) >= columns && len(marks) >= rows)
	check(len(r.Whole) >= columns && len(r.Lost) >= columns && len(r.ByWhole) >= rows && len(r.ByLost) >= rows)
	u.raw.sift(&x.Data[0], rows, columns, x.Stride*floatBytes, &limit[0], &r.Whole[0], &r.Lost[0], &r.ByWhole[0], &r.ByLost[0], r.Least, &above[0], &marks[0][0])
}

// Dots makes the scalar products of pairs of rows, whose width is a multiple of Columns; their
// terms go through no more than width/Columns + 8 roundings each.
func (u *Unit) Dots(to []float32, pairs []Pair, a, b Table, width int) {
	if len(pairs) == 0 {
		return
	}
	check(len(to) >= len(pairs) && width > 0 && width%Columns == 0)
	for _, p := range pairs {
		check(p.Left >= 0 && p.Right >= 0 && int(p.Left)*a.Stride+width <= len(a.Data) && int(p.Right)*b.Stride+width <= len(b.Data))
	}
	u.raw.dots(&to[0], &pairs[0].Left, len(pairs), &a.Data[0], a.Stride*floatBytes, &b.Data[0], b.Stride*floatBytes, width)
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
