package linear

import "slices"

// vector is a row of integers, matrix a list of rows of one length.
type (
	vector []integer
	matrix []vector
)

func newMatrix(rows, columns int) matrix {
	cells := make(vector, rows*columns)
	m := make(matrix, rows)
	for i := range m {
		m[i] = cells[i*columns : (i+1)*columns : (i+1)*columns]
	}
	return m
}

func identity(n int) matrix {
	m := newMatrix(n, n)
	for i := range m {
		m[i][i] = whole(1)
	}
	return m
}

func (m matrix) clone() matrix {
	out := make(matrix, len(m))
	for i, row := range m {
		out[i] = slices.Clone(row)
	}
	return out
}

func (m matrix) equals(other matrix) bool {
	return slices.EqualFunc(m, other, func(a, b vector) bool {
		return slices.EqualFunc(a, b, integer.equals)
	})
}

// plus returns m + factor·other.
func (m matrix) plus(other matrix, factor int64) matrix {
	out := m.clone()
	for i, row := range other {
		for j, number := range row {
			out[i][j] = out[i][j].plus(number.times(whole(factor)))
		}
	}
	return out
}

// flipped returns the transpose of a square matrix.
func (m matrix) flipped() matrix {
	out := newMatrix(len(m), len(m))
	for i, row := range m {
		for j, number := range row {
			out[j][i] = number
		}
	}
	return out
}

// columns returns a copy of the given columns.
func (m matrix) columns(from, count int) matrix {
	out := newMatrix(len(m), count)
	for i, row := range m {
		copy(out[i], row[from:from+count])
	}
	return out
}

// reduce changes the rows to the reduced echelon basis of the space that they
// span, in lowest terms with positive pivots, so that two spaces are equal when
// their bases are. It is Gauss-Jordan elimination without fractions.
func (m matrix) reduce() (basis matrix, pivots []int) {
	if len(m) == 0 {
		return nil, nil
	}
	for column := range m[0] {
		row := len(pivots)
		source := row
		for source < len(m) && m[source][column].isZero() {
			source++
		}
		if source == len(m) {
			continue
		}
		m[row], m[source] = m[source], m[row]
		m[row].shorten(column)
		for other := range m {
			if other != row && !m[other][column].isZero() {
				m[other].clear(column, m[row])
			}
		}
		if pivots = append(pivots, column); len(pivots) == len(m) {
			break
		}
	}
	basis = m[:len(pivots)]
	for row, column := range pivots {
		basis[row].shorten(column)
	}
	return basis, pivots
}

// clear makes v's number in a column 0 by means of another row, the pivot of
// which is positive and stands there.
func (v vector) clear(column int, pivotRow vector) {
	pivot, factor := pivotRow[column], v[column].negative()
	if common := divisor(pivot, factor); !common.isOne() {
		pivot, factor = pivot.over(common), factor.over(common)
	}
	scaled := !pivot.isOne()
	grown := false
	for n, number := range pivotRow {
		if scaled && !v[n].isZero() {
			v[n] = v[n].times(pivot)
		}
		if !number.isZero() {
			v[n] = v[n].plus(number.times(factor))
		}
		grown = grown || !v[n].isFactor()
	}
	if grown {
		v.shorten(column)
	}
}

// shorten divides by the greatest common divisor and makes the number in the
// given column positive, if it is not 0.
func (v vector) shorten(column int) {
	var common integer
	for _, number := range v {
		if !number.isZero() {
			if common = divisor(number, common); common.isOne() {
				break
			}
		}
	}
	if v[column].sign() < 0 {
		common = common.negative()
	}
	if common.isZero() || common.isOne() {
		return
	}
	for n, number := range v {
		v[n] = number.over(common)
	}
}

// rank changes m.
func (m matrix) rank() int {
	_, pivots := m.reduce()
	return len(pivots)
}

// kernel returns a basis of {x : m·x = 0} for rows of the given length. It changes m.
func (m matrix) kernel(columns int) matrix {
	basis, pivots := m.reduce()
	isPivot := make([]bool, columns)
	for _, column := range pivots {
		isPivot[column] = true
	}
	kernel := newMatrix(columns-len(pivots), columns)
	next := 0
	for free := range columns {
		if isPivot[free] {
			continue
		}
		solution := kernel[next]
		next++
		multiple := whole(1) // of all pivots of the rows that matter
		for row, column := range pivots {
			if !basis[row][free].isZero() {
				pivot := basis[row][column]
				multiple = multiple.times(pivot.over(divisor(multiple, pivot)))
			}
		}
		solution[free] = multiple
		for row, column := range pivots {
			if !basis[row][free].isZero() {
				solution[column] = basis[row][free].times(multiple.over(basis[row][column])).negative()
			}
		}
		solution.shorten(free)
	}
	return kernel
}

// inertia returns the numbers of positive and negative squares of the quadratic form with
// the given symmetric matrix (Sylvester). Elimination with positive multiples only
// keeps the signs. It changes m.
func (m matrix) inertia() (positive, negative int) {
	n := len(m)
	for done := range n {
		at := m.diagonalPivot(done)
		if at < 0 {
			return positive, negative
		}
		m.exchange(done, at)
		pivot := m[done][done]
		if pivot.sign() > 0 {
			positive++
		} else {
			negative++
		}
		for i := done + 1; i < n; i++ {
			factor := m[i][done]
			if factor.isZero() && pivot.isOne() {
				continue
			}
			for j := done + 1; j < n; j++ {
				number := m[i][j].times(pivot).plus(factor.times(m[done][j]).negative())
				if pivot.sign() < 0 {
					number = number.negative()
				}
				m[i][j] = number
			}
		}
		m.shortenFrom(done + 1)
	}
	return positive, negative
}

// diagonalPivot finds a number on the diagonal behind the first ones that is
// not 0. When all are 0 but m is not, adding a row and column to another, a
// change of basis, makes one.
func (m matrix) diagonalPivot(from int) int {
	for i := from; i < len(m); i++ {
		if !m[i][i].isZero() {
			return i
		}
	}
	for i := from; i < len(m); i++ {
		for j := from; j < i; j++ {
			if m[i][j].isZero() {
				continue
			}
			for n := from; n < len(m); n++ {
				m[i][n] = m[i][n].plus(m[j][n])
			}
			for n := from; n < len(m); n++ {
				m[n][i] = m[n][i].plus(m[n][j])
			}
			return i
		}
	}
	return -1
}

func (m matrix) exchange(i, j int) {
	m[i], m[j] = m[j], m[i]
	for _, row := range m {
		row[i], row[j] = row[j], row[i]
	}
}

// shortenFrom divides the square block that is left by its common divisor.
func (m matrix) shortenFrom(from int) {
	var common integer
	for i := from; i < len(m); i++ {
		for j := from; j < len(m); j++ {
			if common = divisor(m[i][j], common); common.isOne() {
				return
			}
		}
	}
	if common.isZero() {
		return
	}
	for i := from; i < len(m); i++ {
		for j := from; j < len(m); j++ {
			m[i][j] = m[i][j].over(common)
		}
	}
}
