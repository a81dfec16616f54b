package kernel

// InsideWeight is the weight of the distance within a box (Ren et al., 2020, Query2Box).
const InsideWeight = 0.02

// Boxes holds boxes as rows of two tables with one stride: the centres, and half the side
// lengths, which are not negative.
type Boxes struct{ Centres, Halves Table }

// PairedBoxes returns the boxes of a table in which each centre row precedes its row of
// halves.
func PairedBoxes(t Table) Boxes {
	return Boxes{Table{t.Data, 2 * t.Stride}, Table{t.Data[t.Stride:], 2 * t.Stride}}
}

// Distances computes C[i,j] = -Σ_k |A[i,k] - B[k,j]|. A is [rows, inner], B is
// [inner, columns] and C is [rows, columns]. rows is a multiple of Rows, columns of Columns.
func (s *Set) Distances(c, a, b Table, rows, columns, inner int) {
	distances(s.raw.distances, c, a, Boxes{Centres: b}, rows, columns, inner)
}

// BoxDistances computes minus the distances of points A to boxes B, whose coordinates go
// down the columns. A coordinate adds its distance to the centre; the part within the box
// has weight InsideWeight.
func (s *Set) BoxDistances(c, a Table, b Boxes, rows, columns, inner int) {
	distances(s.raw.boxDistances, c, a, b, rows, columns, inner)
}

func distances(run distanceFunc, c, a Table, b Boxes, rows, columns, inner int) {
	if rows == 0 || columns == 0 {
		return
	}
	check(rows%Rows == 0 && columns%Columns == 0 && inner > 0)
	check(a.has(rows, inner) && b.has(inner, columns) && c.has(rows, columns))
	run(rows, columns, inner, &a.Data[0], a.Stride*floatBytes, &b.Centres.Data[0], b.half(),
		b.Centres.Stride*floatBytes, &c.Data[0], c.Stride*floatBytes)
}

// The next three methods compute gradients of weighted sums of minus distances. The weights
// W are [rows, inner] with any two strides. Where two coordinates are equal, the slope is
// positive. Rows have width coordinates; zeros are written up to the next multiple of
// Columns. rows is a multiple of Rows.

// DistanceGradient computes Y[i,k] = Σ_j W[i,j] · sign(B[j,k] - X[i,k]), or adds it to Y.
func (s *Set) DistanceGradient(y Table, w []float32, wRow, wStep int, x, b Table,
	rows, width, inner int, add bool) {
	gradient(s.raw.distanceGradient, Boxes{Centres: y}, w, wRow, wStep, Boxes{Centres: x},
		Boxes{Centres: b}, rows, width, inner, add)
}

// BoxGradient computes the gradient with respect to boxes X. The gradient of the centres is
// like that of DistanceGradient. The gradient of the halves sums the weights of the points
// outside, times 1 - InsideWeight.
func (s *Set) BoxGradient(y Boxes, w []float32, wRow, wStep int, x Boxes, b Table,
	rows, width, inner int, add bool) {
	gradient(s.raw.boxGradient, y, w, wRow, wStep, x, Boxes{Centres: b}, rows, width, inner, add)
}

// BoxPointGradient computes the gradient with respect to points X of distances to boxes B.
func (s *Set) BoxPointGradient(y Table, w []float32, wRow, wStep int, x Table, b Boxes,
	rows, width, inner int, add bool) {
	gradient(s.raw.boxPointGradient, Boxes{Centres: y}, w, wRow, wStep, Boxes{Centres: x}, b,
		rows, width, inner, add)
}

// gradient calls a kernel for points and boxes. Points are boxes without halves.
func gradient(run gradientFunc, y Boxes, w []float32, wRow, wStep int, x, b Boxes,
	rows, width, inner int, add bool) {
	if rows == 0 {
		return
	}
	columns := Pad(width, Columns)
	check(rows%Rows == 0 && width > 0 && inner > 0)
	check(len(w) > (rows-1)*wRow+(inner-1)*wStep)
	check(x.has(rows, columns) && b.has(inner, columns) && y.has(rows, columns))
	run(rows, columns, inner, &w[0], wRow*floatBytes, wStep*floatBytes,
		&x.Centres.Data[0], x.half(), x.Centres.Stride*floatBytes,
		&b.Centres.Data[0], b.half(), b.Centres.Stride*floatBytes,
		&y.Centres.Data[0], y.half(), y.Centres.Stride*floatBytes, add)
	clearAfter(y.Centres, rows, width, columns)
	if y.Halves.Data != nil {
		clearAfter(y.Halves, rows, width, columns)
	}
}

// has reports whether the tables hold rows boxes, or points, with columns coordinates.
func (b Boxes) has(rows, columns int) bool {
	return b.Centres.has(rows, columns) && (b.Halves.Data == nil ||
		b.Halves.has(rows, columns) && b.Halves.Stride == b.Centres.Stride)
}

// half returns the first number of the halves; nil for points.
func (b Boxes) half() *float32 {
	if b.Halves.Data == nil {
		return nil
	}
	return &b.Halves.Data[0]
}

func clearAfter(y Table, rows, width, columns int) {
	if width == columns {
		return
	}
	for i := range rows {
		clear(y.Row(i)[width:columns])
	}
}
