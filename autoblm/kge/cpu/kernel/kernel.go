package kernel

// Columns and Rows are what tables are padded to multiples of.
const (
	Columns = 16
	Rows    = 12
)

// Pad is the least multiple of block that is at least n.
func Pad(n, block int) int { return (n + block - 1) / block * block }

// Set is one implementation of the kernels.
type Set struct {
	// Name is "avx512", "avx2" or "go".
	Name string
	raw  raw
}

// raw are the kernels on bare pointers, strides in bytes. The wrappers below
// check all bounds before they call them.
type raw struct {
	product   func(rows, columns, inner int, a *float32, aRow, aStep int, b *float32, bRow int, c *float32, cRow int, add bool)
	columnMax func(x *float32, rows, columns, stride int, most *float32)
	expSum    func(x *float32, rows, columns, stride int, shift, sum *float32)
	count     func(x *float32, rows, columns, stride int, limit *float32, above, atLeast *int32)
	mulAdd    func(y, a, b *float32, rows, width, stride int, sign float32)
	scale     func(y, x *float32, n int, factor float32)
	scaleAdd  func(y, x *float32, n int, factor float32)
	adagrad   func(x, g, sum *float32, n int, rate float32)
	penalize  func(g, x *float32, n int, slope2, slope3 float32, squares, cubes *float32)

	scaleColumns func(x *float32, rows, columns, stride int, factor *float32)
	// Of boxes and of points; without boxes half, or the halves that are not theirs, are nil.
	distances, boxDistances           func(rows, columns, inner int, a *float32, aRow int, b, half *float32, bRow int, c *float32, cRow int)
	pull, pullBoxes, pullTowardsBoxes pull
}

// pull is one of the kernels by which rows x pull each other with rows b.
type pull func(rows, columns, inner int, w *float32, wRow, wStep int, x, xHalf *float32, xRow int, b, bHalf *float32, bRow int, y, yHalf *float32, yRow int, add bool)

const floatBytes = 4

// Table is rows of floats, Stride apart.
type Table struct {
	Data   []float32
	Stride int
}

// Row is the row from its first float on.
func (t Table) Row(i int) []float32 { return t.Data[i*t.Stride:] }

// From is the table without its first rows.
func (t Table) From(row int) Table { return Table{t.Data[row*t.Stride:], t.Stride} }

// Product is C = A·B, or C += A·B when add is set. A is [rows, inner] with any
// two strides, so that it may be the transpose of a table; B is [inner,
// columns] and C [rows, columns]. rows is a multiple of Rows, columns of Columns.
func (s *Set) Product(c Table, a []float32, aRow, aStep int, b Table, rows, columns, inner int, add bool) {
	if rows == 0 || columns == 0 {
		return
	}
	check(rows%Rows == 0 && columns%Columns == 0 && inner > 0)
	check(len(a) > (rows-1)*aRow+(inner-1)*aStep && len(b.Data) >= (inner-1)*b.Stride+columns && len(c.Data) >= (rows-1)*c.Stride+columns)
	s.raw.product(rows, columns, inner, &a[0], aRow*floatBytes, aStep*floatBytes, &b.Data[0], b.Stride*floatBytes, &c.Data[0], c.Stride*floatBytes, add)
}

// ColumnMax raises most[j] to the largest number of column j. What is not a
// number counts as less than any.
func (s *Set) ColumnMax(x Table, rows, columns int, most []float32) {
	checkColumns(x, rows, columns)
	check(len(most) >= columns)
	s.raw.columnMax(&x.Data[0], rows, columns, x.Stride*floatBytes, &most[0])
}

// ExpSum replaces x by exp(x - shift[j]), which must not be above 1, and adds
// the sum of column j to sum[j]. Below exp(-87) it is 0.
func (s *Set) ExpSum(x Table, rows, columns int, shift, sum []float32) {
	checkColumns(x, rows, columns)
	check(len(shift) >= columns && len(sum) >= columns)
	s.raw.expSum(&x.Data[0], rows, columns, x.Stride*floatBytes, &shift[0], &sum[0])
}

// ScaleColumns multiplies column j by factor[j].
func (s *Set) ScaleColumns(x Table, rows, columns int, factor []float32) {
	checkColumns(x, rows, columns)
	check(len(factor) >= columns)
	s.raw.scaleColumns(&x.Data[0], rows, columns, x.Stride*floatBytes, &factor[0])
}

// Count adds to above[j] how many numbers of column j are > limit[j], and to
// atLeast[j] how many are ≥. What is not a number is neither.
func (s *Set) Count(x Table, rows, columns int, limit []float32, above, atLeast []int32) {
	checkColumns(x, rows, columns)
	check(len(limit) >= columns && len(above) >= columns && len(atLeast) >= columns)
	s.raw.count(&x.Data[0], rows, columns, x.Stride*floatBytes, &limit[0], &above[0], &atLeast[0])
}

// MulAdd is y += sign·a·b, elementwise on rows of the given width, which all
// three tables have at their beginning; they have one stride.
func (s *Set) MulAdd(y, a, b Table, rows, width int, sign float32) {
	if rows == 0 || width == 0 {
		return
	}
	needed := (rows-1)*y.Stride + width
	check(a.Stride == y.Stride && b.Stride == y.Stride && len(y.Data) >= needed && len(a.Data) >= needed && len(b.Data) >= needed)
	s.raw.mulAdd(&y.Data[0], &a.Data[0], &b.Data[0], rows, width, y.Stride*floatBytes, sign)
}

// Scale is y = factor·x, for a multiple of Columns floats.
func (s *Set) Scale(y, x []float32, factor float32) {
	check(len(x) == len(y) && len(x) > 0 && len(x)%Columns == 0)
	s.raw.scale(&y[0], &x[0], len(x), factor)
}

// ScaleAdd is y += factor·x, for a multiple of Columns floats.
func (s *Set) ScaleAdd(y, x []float32, factor float32) {
	check(len(x) == len(y) && len(x) > 0 && len(x)%Columns == 0)
	s.raw.scaleAdd(&y[0], &x[0], len(x), factor)
}

// Adagrad is sum += g², x -= rate·g/(√sum + 1e-10), for a multiple of Columns floats.
// Adding 1e-10 and taking it away again then rounds numbers near 0 to a grid of some
// 1e-17, so that none becomes subnormal, as penalties of squares would have it:
// processors take a hundred times as long for those.
func (s *Set) Adagrad(x, g, sum []float32, rate float32) {
	check(len(x) == len(g) && len(x) == len(sum) && len(x) > 0 && len(x)%Columns == 0)
	s.raw.adagrad(&x[0], &g[0], &sum[0], len(x), rate)
}

// Lanes is room for two sums in as many parts as the widest register has lanes.
type Lanes [2][Columns]float32

// Penalize is g += x·(slope2 + slope3·|x|), for a multiple of Columns floats. It
// returns the sums of x² and of |x|³, for which it needs room.
func (s *Set) Penalize(g, x []float32, slope2, slope3 float32, lanes *Lanes) (squares, cubes float64) {
	check(len(x) == len(g) && len(x) > 0 && len(x)%Columns == 0)
	*lanes = Lanes{}
	s.raw.penalize(&g[0], &x[0], len(x), slope2, slope3, &lanes[0][0], &lanes[1][0])
	for i := range Columns {
		squares, cubes = squares+float64(lanes[0][i]), cubes+float64(lanes[1][i])
	}
	return squares, cubes
}

func checkColumns(x Table, rows, columns int) {
	check(rows > 0 && columns > 0 && columns%Columns == 0 && len(x.Data) >= (rows-1)*x.Stride+columns)
}

// check guards the kernels, which do not look where they write.
func check(ok bool) {
	if !ok {
		panic("kernel: a table is smaller than the sizes say, or a size is no multiple of its block")
	}
}
