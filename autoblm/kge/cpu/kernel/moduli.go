package kernel

// A row of the tables below has half complex numbers: their real parts, and then their imaginary
// parts. Moduli are accurate to float32 except below 1e-15.

// Moduli computes C[i,j] = -Σ_k |A[i,k] - B[k,j]| for complex numbers. A is [rows, 2·half], B is
// [2·half, columns] and C is [rows, columns]. rows is a multiple of Rows, columns of Columns.
func (s *Set) Moduli(c, a, b Table, rows, columns, half int) {
	if rows == 0 || columns == 0 {
		return
	}
	check(rows%Rows == 0 && columns%Columns == 0 && half > 0)
	check(a.has(rows, 2*half) && b.has(2*half, columns) && c.has(rows, columns))
	s.raw.moduli(rows, columns, half, &a.Data[0], &a.Data[half], a.Stride*floatBytes,
		&b.Data[0], &b.Row(half)[0], b.Stride*floatBytes, &c.Data[0], c.Stride*floatBytes)
}

// ModulusGradient computes Y[i,k] = Σ_j W[i,j] · (B[j,k] - X[i,k]) / |B[j,k] - X[i,k]| for complex
// numbers, or adds it to Y. It is the gradient of the weighted sum of minus distances. Terms of
// equal numbers are 0. The weights W are [rows, inner] with any two strides. Zeros are written after
// a row up to the next multiple of Columns. rows is a multiple of Rows.
func (s *Set) ModulusGradient(y Table, w []float32, wRow, wStep int, x, b Table,
	rows, half, inner int, add bool) {
	if rows == 0 {
		return
	}
	columns := Pad(2*half, Columns)
	check(rows%Rows == 0 && half > 0 && inner > 0)
	check(len(w) > (rows-1)*wRow+(inner-1)*wStep)
	check(x.has(rows, columns) && b.has(inner, columns) && y.has(rows, columns))
	s.raw.modulusGradient(rows, half, inner, &w[0], wRow*floatBytes, wStep*floatBytes,
		&x.Data[0], &x.Data[half], x.Stride*floatBytes,
		&b.Data[0], &b.Data[half], b.Stride*floatBytes,
		&y.Data[0], &y.Data[half], y.Stride*floatBytes, add)
	clearAfter(y, rows, 2*half, columns)
}
