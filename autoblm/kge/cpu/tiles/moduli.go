package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Moduli scores by -Σ|e - q| over complex numbers. The first half of a row, of Half numbers, has
// their real parts.
type Moduli struct{ Half int }

// RowsPerQuery implements [Measure].
func (Moduli) RowsPerQuery() int { return 1 }

// parts returns the real and the imaginary parts of a row.
func (m Moduli) parts(row []float32) (re, im []float32) {
	return row[:m.Half], row[m.Half : 2*m.Half]
}

// Score implements [Pair].
func (m Moduli) Score(query, row []float32) float64 {
	queryRe, queryIm := m.parts(query)
	rowRe, rowIm := m.parts(row)
	sum := float32(0)
	for i, re := range queryRe {
		sum += kernel.Modulus(rowRe[i]-re, rowIm[i]-queryIm[i])
	}
	return -float64(sum)
}

// AddGradQuery implements [Pair].
func (m Moduli) AddGradQuery(_ *kernel.Set, gradient, query, row []float32, slope float32) {
	queryRe, queryIm := m.parts(query)
	rowRe, rowIm := m.parts(row)
	gradientRe, gradientIm := m.parts(gradient)
	for i, re := range queryRe {
		byRe, byIm := rowRe[i]-re, rowIm[i]-queryIm[i]
		scale := kernel.PerModulus(slope, byRe, byIm)
		gradientRe[i] += scale * byRe
		gradientIm[i] += scale * byIm
	}
}

// AddGradRow implements [Pair].
func (m Moduli) AddGradRow(k *kernel.Set, gradient, query, row []float32, slope float32) {
	m.AddGradQuery(k, gradient, row, query, slope)
}

// Scores implements [Measure].
func (m Moduli) Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.Moduli(to, of, q.columns, n, q.PaddedCount, m.Half)
}

// GradQuery implements [Measure].
func (m Moduli) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	k.ModulusGradient(gradient, weights.Data, 1, weights.Stride, q.Rows, of,
		kernel.Pad(q.Count, kernel.Rows), m.Half, n, add)
}

// GradRows implements [Measure].
func (m Moduli) GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
	factors []float32, n int, _ kernel.Table, add bool) {
	k.ScaleColumns(weights, n, q.PaddedCount, factors)
	k.ModulusGradient(
		gradient, weights.Data, weights.Stride, 1, of, q.Rows, n, m.Half, q.Count, add)
}
