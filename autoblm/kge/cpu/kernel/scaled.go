package kernel

// ScaledPoints holds points as rows of two tables with one stride: numbers b, and scales s. The
// distance of a row a to a point is Σ_k |a_k·s_k - b_k|.
type ScaledPoints struct{ Points, Scales Table }

// PairedScales returns the points of a table in which each row of b precedes its row of scales.
func PairedScales(t Table) ScaledPoints {
	return ScaledPoints{Table{t.Data, 2 * t.Stride}, Table{t.Data[t.Stride:], 2 * t.Stride}}
}

// boxes returns the two tables in the shape that kernels of distances take.
func (p ScaledPoints) boxes() Boxes { return Boxes{Centres: p.Points, Halves: p.Scales} }

// ScaledDistances computes C[i,j] = -Σ_k |A[i,k]·S[k,j] - B[k,j]| for points whose numbers B and
// scales S go down columns. A is [rows, inner], B and S are [inner, columns] and C is
// [rows, columns]. rows is a multiple of Rows, columns of Columns.
func (s *Set) ScaledDistances(c, a Table, b ScaledPoints, rows, columns, inner int) {
	distances(s.raw.scaledDistances, c, a, b.boxes(), rows, columns, inner)
}

// ScaledGradient computes the gradient of weighted sums of minus scaled distances with respect to
// points X, from rows B. With σ = sign(B[j,k]·S[i,k] - X[i,k]), it is Σ_j W[i,j]·σ for X, and
// -Σ_j W[i,j]·σ·B[j,k] for the scales S. Sizes, strides and slopes are those of DistanceGradient.
func (s *Set) ScaledGradient(y ScaledPoints, w []float32, wRow, wStep int, x ScaledPoints, b Table,
	rows, width, inner int, add bool) {
	gradient(s.raw.scaledGradient, y.boxes(), w, wRow, wStep, x.boxes(), Boxes{Centres: b}, rows, width,
		inner, add)
}

// ScaledPointGradient computes the gradient with respect to rows X, from points B.
func (s *Set) ScaledPointGradient(y Table, w []float32, wRow, wStep int, x Table, b ScaledPoints,
	rows, width, inner int, add bool) {
	gradient(s.raw.scaledPointGradient, Boxes{Centres: y}, w, wRow, wStep, Boxes{Centres: x}, b.boxes(),
		rows, width, inner, add)
}
