package kernel

// Inside is how much the distance within a box counts (Ren et al., 2020).
const Inside = 0.02

// Boxes are rows of two tables: the centres, and half the sides, which are not
// negative. Both have one stride.
type Boxes struct{ Centres, Halves Table }

// InPairs are boxes whose halves follow their centres in rows of one table.
func InPairs(t Table) Boxes {
	return Boxes{Table{t.Data, 2 * t.Stride}, Table{t.Data[t.Stride:], 2 * t.Stride}}
}

// Distances is C[i,j] = -Σ_k |A[i,k] - B[k,j]|. A is [rows, inner], B [inner,
// columns] and C [rows, columns]. rows is a multiple of Rows, columns of Columns.
func (s *Set) Distances(c, a, b Table, rows, columns, inner int) {
	if rows == 0 || columns == 0 {
		return
	}
	checkDistances(c, a, b, rows, columns, inner)
	s.raw.distances(rows, columns, inner, &a.Data[0], a.Stride*floatBytes, &b.Data[0], nil, b.Stride*floatBytes, &c.Data[0], c.Stride*floatBytes)
}

// BoxDistances is the same of points A and boxes B, whose coordinates go down the
// columns: a coordinate adds what it is away from the centre, but within a box
// Inside as much.
func (s *Set) BoxDistances(c, a Table, b Boxes, rows, columns, inner int) {
	if rows == 0 || columns == 0 {
		return
	}
	checkDistances(c, a, b.Centres, rows, columns, inner)
	checkDistances(c, a, b.Halves, rows, columns, inner)
	check(b.Centres.Stride == b.Halves.Stride)
	s.raw.boxDistances(rows, columns, inner, &a.Data[0], a.Stride*floatBytes, &b.Centres.Data[0], &b.Halves.Data[0], b.Centres.Stride*floatBytes, &c.Data[0], c.Stride*floatBytes)
}

// The three kernels of pulling are the gradients of distances, each times a weight:
// W is [rows, inner] with any two strides. A row x is pulled up along a coordinate by
// a row that is greater there or equal, and down by one that is less; by Inside as
// much within a box. They have width coordinates; up to the next multiple of Columns
// zeros are written. rows is a multiple of Rows.

// Pull is Y[i,k] = Σ_j W[i,j] · sign(B[j,k] - X[i,k]), or adds to Y.
func (s *Set) Pull(y Table, w []float32, wRow, wStep int, x, b Table, rows, width, inner int, add bool) {
	if rows == 0 {
		return
	}
	columns := checkPull(w, wRow, wStep, x, b, rows, width, inner, y)
	s.raw.pull(rows, columns, inner, &w[0], wRow*floatBytes, wStep*floatBytes, &x.Data[0], nil, x.Stride*floatBytes, &b.Data[0], nil, b.Stride*floatBytes, &y.Data[0], nil, y.Stride*floatBytes, add)
	clearAfter(y, rows, width, columns)
}

// PullBoxes pulls the centres of boxes X towards points B, as Pull does, and their
// halves by the weights of the points outside, less those of the distance inside.
func (s *Set) PullBoxes(y Boxes, w []float32, wRow, wStep int, x Boxes, b Table, rows, width, inner int, add bool) {
	if rows == 0 {
		return
	}
	columns := checkPull(w, wRow, wStep, x.Centres, b, rows, width, inner, y.Centres)
	checkPull(w, wRow, wStep, x.Halves, b, rows, width, inner, y.Halves)
	check(x.Centres.Stride == x.Halves.Stride && y.Centres.Stride == y.Halves.Stride)
	s.raw.pullBoxes(rows, columns, inner, &w[0], wRow*floatBytes, wStep*floatBytes, &x.Centres.Data[0], &x.Halves.Data[0], x.Centres.Stride*floatBytes,
		&b.Data[0], nil, b.Stride*floatBytes, &y.Centres.Data[0], &y.Halves.Data[0], y.Centres.Stride*floatBytes, add)
	clearAfter(y.Centres, rows, width, columns)
	clearAfter(y.Halves, rows, width, columns)
}

// PullTowardsBoxes pulls points X towards boxes B, as Pull does towards their centres.
func (s *Set) PullTowardsBoxes(y Table, w []float32, wRow, wStep int, x Table, b Boxes, rows, width, inner int, add bool) {
	if rows == 0 {
		return
	}
	columns := checkPull(w, wRow, wStep, x, b.Centres, rows, width, inner, y)
	checkPull(w, wRow, wStep, x, b.Halves, rows, width, inner, y)
	check(b.Centres.Stride == b.Halves.Stride)
	s.raw.pullTowardsBoxes(rows, columns, inner, &w[0], wRow*floatBytes, wStep*floatBytes, &x.Data[0], nil, x.Stride*floatBytes,
		&b.Centres.Data[0], &b.Halves.Data[0], b.Centres.Stride*floatBytes, &y.Data[0], nil, y.Stride*floatBytes, add)
	clearAfter(y, rows, width, columns)
}

func checkDistances(c, a, b Table, rows, columns, inner int) {
	check(rows%Rows == 0 && columns%Columns == 0 && inner > 0)
	check(len(a.Data) >= (rows-1)*a.Stride+inner && len(b.Data) >= (inner-1)*b.Stride+columns && len(c.Data) >= (rows-1)*c.Stride+columns)
}

// checkPull returns how many columns are walked.
func checkPull(w []float32, wRow, wStep int, x, b Table, rows, width, inner int, y Table) (columns int) {
	columns = Pad(width, Columns)
	check(rows%Rows == 0 && width > 0 && inner > 0 && len(w) > (rows-1)*wRow+(inner-1)*wStep)
	check(len(x.Data) >= (rows-1)*x.Stride+columns && len(b.Data) >= (inner-1)*b.Stride+columns && len(y.Data) >= (rows-1)*y.Stride+columns)
	return columns
}

func clearAfter(y Table, rows, width, columns int) {
	if width == columns {
		return
	}
	for i := range rows {
		clear(y.Row(i)[width:columns])
	}
}
