package kernel

// Tables are padded to multiples of Columns and Rows.
const (
	Columns = 16
	Rows    = 12
)

// Pad rounds n up to a multiple of block.
func Pad(n, block int) int { return (n + block - 1) / block * block }

// Set is one implementation of the float32 kernels.
type Set struct {
	// Name is "avx512", "avx2" or "go".
	Name string
	raw  raw
}

// raw holds kernels on bare pointers, with strides in bytes. The methods of Set check all
// bounds before they call them.
type raw struct {
	product   productFunc
	columnMax func(x *float32, rows, columns, stride int, most *float32)
	expSum    func(x *float32, rows, columns, stride int, shift, sum *float32)
	count     func(x *float32, rows, columns, stride int, limit *float32, above, atLeast *int32)
	mulAdd    func(y, a, b *float32, rows, width, stride int, sign float32)
	scale     func(y, x *float32, n int, factor float32)
	scaleAdd  func(y, x *float32, n int, factor float32)
	dot       func(x, y *float32, n int, sums *float32)
	adagrad   func(x, g, sum *float32, n int, rate float32)
	adam      func(x, g, mean, square *float32, n int, rate, correction float32)
	penalize  func(g, x *float32, n int, slope2, slope3 float32, squares, cubes *float32)

	power func(y, x *float32, n, eighths int)

	penalizeGroups func(
		g, x *float32, rows, width, parts, stride int, slope float32, cubes *float32)

	prefetch func(x *float32, n int) // nil if there is none

	transpose func(from, to *float32, fromRow, toRow int) // of Columns×Columns floats; nil if there is none

	scaleColumns func(
		x *float32, rows, columns, stride int, factor *float32)
	distances, boxDistances                         distanceFunc
	distanceGradient, boxGradient, boxPointGradient gradientFunc
	scaledDistances                                 distanceFunc
	scaledGradient, scaledPointGradient             gradientFunc
	moduli                                          moduliFunc
	modulusGradient                                 modulusGradientFunc
}

// productFunc is the type of matrix product kernels.
type productFunc func(rows, columns, inner int, a *float32, aRow, aStep int,
	b *float32, bRow int, c *float32, cRow int, add bool)

// distanceFunc is the type of distance kernels. half is nil for points.
type distanceFunc func(rows, columns, inner int, a *float32, aRow int,
	b, half *float32, bRow int, c *float32, cRow int)

// gradientFunc is the type of kernels for gradients of distances between rows x and rows b.
// Half pointers are nil where the rows are points.
type gradientFunc func(rows, columns, inner int, w *float32, wRow, wStep int,
	x, xHalf *float32, xRow int, b, bHalf *float32, bRow int, y, yHalf *float32, yRow int, add bool)

// moduliFunc is the type of kernels for sums of moduli.
type moduliFunc func(rows, columns, inner int, a, aIm *float32, aRow int,
	b, bIm *float32, bRow int, c *float32, cRow int)

// modulusGradientFunc is the type of kernels for gradients of sums of moduli between rows x and b.
type modulusGradientFunc func(rows, columns, inner int, w *float32, wRow, wStep int,
	x, xIm *float32, xRow int, b, bIm *float32, bRow int, y, yIm *float32, yRow int, add bool)

const floatBytes = 4

// Table holds rows of floats that start Stride floats apart.
type Table struct {
	Data   []float32
	Stride int
}

// Row returns the data from the start of row i.
func (t Table) Row(i int) []float32 { return t.Data[i*t.Stride:] }

// From returns the table without the rows before row.
func (t Table) From(row int) Table { return Table{t.Data[row*t.Stride:], t.Stride} }

// Product computes C = A·B, or C += A·B if add is set. A is [rows, inner] with any two
// strides, so it may be the transpose of a table; B is [inner, columns] and C is
// [rows, columns]. rows is a multiple of Rows, columns of Columns.
func (s *Set) Product(c Table, a []float32, aRow, aStep int, b Table, rows, columns, inner int,
	add bool) {
	if rows == 0 || columns == 0 {
		return
	}
	check(rows%Rows == 0 && columns%Columns == 0 && inner > 0)
	check(len(a) > (rows-1)*aRow+(inner-1)*aStep)
	check(b.has(inner, columns) && c.has(rows, columns))
	s.raw.product(rows, columns, inner, &a[0], aRow*floatBytes, aStep*floatBytes,
		&b.Data[0], b.Stride*floatBytes, &c.Data[0], c.Stride*floatBytes, add)
}

// ColumnMax raises most[j] to the maximum of column j. It ignores NaN.
func (s *Set) ColumnMax(x Table, rows, columns int, most []float32) {
	checkColumns(x, rows, columns)
	check(len(most) >= columns)
	s.raw.columnMax(&x.Data[0], rows, columns, x.Stride*floatBytes, &most[0])
}

// ExpSum replaces x by exp(x - shift[j]) and adds the sum of column j to sum[j].
// x - shift[j] must be at most 0; the exponential is 0 below exp(-87).
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

// Count adds the number of values of column j that are > limit[j] to above[j], and the
// number that are ≥ limit[j] to atLeast[j]. NaN counts as neither.
func (s *Set) Count(x Table, rows, columns int, limit []float32, above, atLeast []int32) {
	checkColumns(x, rows, columns)
	check(len(limit) >= columns && len(above) >= columns && len(atLeast) >= columns)
	s.raw.count(&x.Data[0], rows, columns, x.Stride*floatBytes,
		&limit[0], &above[0], &atLeast[0])
}

// MulAdd computes y += sign·a·b elementwise on the first width columns of three tables
// with the same stride.
func (s *Set) MulAdd(y, a, b Table, rows, width int, sign float32) {
	if rows == 0 || width == 0 {
		return
	}
	check(a.Stride == y.Stride && b.Stride == y.Stride)
	check(y.has(rows, width) && a.has(rows, width) && b.has(rows, width))
	s.raw.mulAdd(&y.Data[0], &a.Data[0], &b.Data[0], rows, width, y.Stride*floatBytes, sign)
}

// Scale computes y = factor·x for a multiple of Columns floats.
func (s *Set) Scale(y, x []float32, factor float32) {
	check(len(x) == len(y) && len(x) > 0 && len(x)%Columns == 0)
	s.raw.scale(&y[0], &x[0], len(x), factor)
}

// ScaleAdd computes y += factor·x for a multiple of Columns floats.
func (s *Set) ScaleAdd(y, x []float32, factor float32) {
	check(len(x) == len(y) && len(x) > 0 && len(x)%Columns == 0)
	s.raw.scaleAdd(&y[0], &x[0], len(x), factor)
}

// Adagrad computes sum += g², x -= rate·g/(√sum + 1e-10) for a multiple of Columns floats.
// It then adds 1e-10 to x and subtracts it again. That rounds numbers near 0 to a grid of
// about 1e-17, so none becomes subnormal, as L2 penalties would make them; processors are a
// hundred times slower on subnormal numbers.
func (s *Set) Adagrad(x, g, sum []float32, rate float32) {
	check(len(x) == len(g) && len(x) == len(sum) && len(x) > 0 && len(x)%Columns == 0)
	s.raw.adagrad(&x[0], &g[0], &sum[0], len(x), rate)
}

// Power computes y = x^(eighths/8) for a multiple of Columns floats that are at least 0. It
// multiplies roots, so eighths is from 0 to 15; x⁰ is 1.
func (s *Set) Power(y, x []float32, eighths int) {
	check(len(x) == len(y) && len(x) > 0 && len(x)%Columns == 0 && eighths >= 0 && eighths < 16)
	s.raw.power(&y[0], &x[0], len(x), eighths)
}

// Adam computes mean = 0.9·mean + 0.1·g, square = 0.999·square + 0.001·g² and
// x -= rate·mean/(√(correction·square) + 1e-8) for a multiple of Columns floats. It rounds the
// mean to a grid of about 1e-27, so that the mean of a row without gradients does not become
// subnormal.
func (s *Set) Adam(x, g, mean, square []float32, rate, correction float32) {
	check(len(x) == len(g) && len(x) == len(mean) && len(x) == len(square))
	check(len(x) > 0 && len(x)%Columns == 0)
	s.raw.adam(&x[0], &g[0], &mean[0], &square[0], len(x), rate, correction)
}

// Prefetch asks for x to be loaded into the cache, so that a later use does not wait for memory.
func (s *Set) Prefetch(x []float32) {
	if s.raw.prefetch != nil && len(x) > 0 {
		s.raw.prefetch(&x[0], len(x))
	}
}

// Lanes is scratch space for two sums, one partial sum for each lane of the widest register.
type Lanes [2][Columns]float32

// Dot returns the scalar product of a multiple of Columns floats. It uses lanes as scratch space.
func (s *Set) Dot(x, y []float32, lanes *Lanes) (sum float64) {
	check(len(x) == len(y) && len(x) > 0 && len(x)%Columns == 0)
	*lanes = Lanes{}
	s.raw.dot(&x[0], &y[0], len(x), &lanes[0][0])
	for _, lane := range lanes[0] {
		sum += float64(lane)
	}
	return sum
}

// Penalize computes g += x·(slope2 + slope3·|x|) for a multiple of Columns floats.
// It returns the sums of x² and of |x|³ and uses lanes as scratch space.
func (s *Set) Penalize(g, x []float32, slope2, slope3 float32, lanes *Lanes) (
	squares, cubes float64) {
	check(len(x) == len(g) && len(x) > 0 && len(x)%Columns == 0)
	*lanes = Lanes{}
	s.raw.penalize(&g[0], &x[0], len(x), slope2, slope3, &lanes[0][0], &lanes[1][0])
	for i := range Columns {
		squares, cubes = squares+float64(lanes[0][i]), cubes+float64(lanes[1][i])
	}
	return squares, cubes
}

// PenalizeGroups computes g += slope·‖z‖·x for rows of groups z of numbers: the first width·parts
// columns of a row are parts of equal width, and the i-th numbers of all parts are a group. It
// returns the sum of ‖z‖³ and uses lanes as scratch space. Both tables have the same stride.
func (s *Set) PenalizeGroups(
	g, x Table, rows, width, parts int, slope float32, lanes *Lanes,
) (cubes float64) {
	if rows == 0 {
		return 0
	}
	check(width > 0 && parts > 0 && x.Stride == g.Stride)
	check(x.has(rows, width*parts) && g.has(rows, width*parts))
	*lanes = Lanes{}
	s.raw.penalizeGroups(
		&g.Data[0], &x.Data[0], rows, width, parts, g.Stride*floatBytes, slope, &lanes[0][0])
	for _, lane := range lanes[0] {
		cubes += float64(lane)
	}
	return cubes
}

// has reports whether the table holds rows rows with columns columns.
func (t Table) has(rows, columns int) bool { return len(t.Data) >= (rows-1)*t.Stride+columns }

func checkColumns(x Table, rows, columns int) {
	check(rows > 0 && columns > 0 && columns%Columns == 0 && x.has(rows, columns))
}

// check guards the kernels, which do not check bounds themselves.
func check(ok bool) {
	if !ok {
		panic("kernel: a table is too small for its sizes, or a size is no multiple of its block")
	}
}
