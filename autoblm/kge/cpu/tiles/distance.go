package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// The methods of [Pair] do not branch on values: half of the branches would be mispredicted, at
// ten times the cost. Slopes equal those of the kernels, also for equal coordinates. Dim is d
// without padding; the padding stays 0.

// Distances scores by -Σ|e - q|.
type Distances struct{ Dim int }

// RowsPerQuery implements [Measure].
func (Distances) RowsPerQuery() int { return 1 }

// Score implements [Pair].
func (d Distances) Score(query, row []float32) float64 {
	row = row[:d.Dim]
	sum := float32(0)
	for i, q := range query[:d.Dim] {
		sum += kernel.Abs(row[i] - q)
	}
	return -float64(sum)
}

// AddGradQuery implements [Pair].
func (d Distances) AddGradQuery(_ *kernel.Set, gradient, query, row []float32, slope float32) {
	gradient, row = gradient[:d.Dim], row[:d.Dim]
	for i, q := range query[:d.Dim] {
		gradient[i] += kernel.WithSign(slope, row[i]-q)
	}
}

// AddGradRow implements [Pair].
func (d Distances) AddGradRow(k *kernel.Set, gradient, query, row []float32, slope float32) {
	d.AddGradQuery(k, gradient, row, query, slope)
}

// Scores implements [Measure].
func (Distances) Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.Distances(to, of, q.columns, n, q.PaddedCount, q.dim)
}

// GradQuery implements [Measure].
func (Distances) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	k.DistanceGradient(gradient, weights.Data, 1, weights.Stride, q.Rows, of,
		kernel.Pad(q.Count, kernel.Rows), q.dim, n, add)
}

// GradRows implements [Measure].
func (Distances) GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
	factors []float32, n int, _ kernel.Table, add bool) {
	k.ScaleColumns(weights, n, q.PaddedCount, factors)
	k.DistanceGradient(gradient, weights.Data, weights.Stride, 1, of, q.Rows, n, q.dim, q.Count, add)
}

// BoxDistances scores by minus the distances to boxes, see [kernel.Set.BoxDistances]. A query
// is a row of the centre and a row of half side lengths.
type BoxDistances struct{ Dim int }

// inside is the weight of the distance within a box.
const inside = kernel.InsideWeight

// RowsPerQuery implements [Measure].
func (BoxDistances) RowsPerQuery() int { return 2 }

// rows splits a box or its gradient into centre and half side lengths.
func (d BoxDistances) rows(query []float32) (centre, half []float32) {
	return query[:d.Dim], query[len(query)/2:][:d.Dim]
}

// Score implements [Pair].
func (d BoxDistances) Score(query, row []float32) float64 {
	centre, half := d.rows(query)
	sum := float32(0)
	for i, e := range row[:len(half)] {
		far := kernel.Abs(e - centre[i])
		near := min(far, half[i])
		sum += far - near + inside*near
	}
	return -float64(sum)
}

// AddGradQuery implements [Pair].
func (d BoxDistances) AddGradQuery(_ *kernel.Set, gradient, query, row []float32, slope float32) {
	centre, half := d.rows(query)
	byCentre, byHalf := d.rows(gradient)
	for i, e := range row[:len(half)] {
		away := e - centre[i]
		outside := kernel.IfNegative(half[i]-kernel.Abs(away), slope*(1-inside))
		byCentre[i] += kernel.WithSign(slope*inside+outside, away)
		byHalf[i] += outside
	}
}

// AddGradRow implements [Pair].
func (d BoxDistances) AddGradRow(_ *kernel.Set, gradient, query, row []float32, slope float32) {
	centre, half := d.rows(query)
	gradient = gradient[:len(half)]
	for i, e := range row[:len(half)] {
		away := centre[i] - e
		outside := kernel.IfNegative(half[i]-kernel.Abs(away), slope*(1-inside))
		gradient[i] += kernel.WithSign(slope*inside+outside, away)
	}
}

// Scores implements [Measure].
func (BoxDistances) Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.BoxDistances(to, of, kernel.Boxes{Centres: q.columns, Halves: q.columns.From(q.dim)}, n,
		q.PaddedCount, q.dim)
}

// GradQuery implements [Measure].
func (BoxDistances) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	k.BoxGradient(kernel.PairedBoxes(gradient), weights.Data, 1, weights.Stride,
		kernel.PairedBoxes(q.Rows), of, kernel.Pad(q.Count, kernel.Rows), q.dim, n, add)
}

// GradRows implements [Measure].
func (BoxDistances) GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
	factors []float32, n int, _ kernel.Table, add bool) {
	k.ScaleColumns(weights, n, q.PaddedCount, factors)
	k.BoxPointGradient(gradient, weights.Data, weights.Stride, 1, of, kernel.PairedBoxes(q.Rows), n,
		q.dim, q.Count, add)
}
