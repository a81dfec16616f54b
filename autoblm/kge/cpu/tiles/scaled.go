package tiles

import (
	"math"
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// ScaledDistances scores by -Σ|w·e/‖e‖ - q|. A query is a row of q and a row of w.
type ScaledDistances struct {
	dim       int
	leastNorm float64 // by which rows are divided
	buffers   *sync.Pool
}

// scaledBuffers holds a thread's tables for a tile.
type scaledBuffers struct {
	units, gradient kernel.Table // normalized rows, and their gradient
}

// NewScaledDistances returns the measure for rows of dimension dim, which are divided by leastNorm if
// their norm is less.
func NewScaledDistances(dim int, leastNorm float64) ScaledDistances {
	return ScaledDistances{dim, leastNorm, &sync.Pool{New: func() any {
		return &scaledBuffers{units: NewTable(Rows, dim), gradient: NewTable(Rows, dim)}
	}}}
}

// RowsPerQuery implements [Measure].
func (ScaledDistances) RowsPerQuery() int { return 2 }

// parts splits a query or its gradient into q and w, without padding.
func (m ScaledDistances) parts(query []float32) (q, w []float32) {
	return query[:m.dim], query[len(query)/2:][:m.dim]
}

// PerNorm returns the factor that normalizes a row.
func (m ScaledDistances) PerNorm(row []float32) float32 {
	return float32(1 / max(math.Sqrt(Dot(row, row)), m.leastNorm))
}

// AddThroughNorm adds the gradient of a row, given that of the normalized row.
func (m ScaledDistances) AddThroughNorm(k *kernel.Set, to, row, gradient []float32) {
	norm := math.Sqrt(Dot(row, row))
	per := float32(1 / max(norm, m.leastNorm))
	k.ScaleAdd(to, gradient, per)
	if norm > m.leastNorm {
		k.ScaleAdd(to, row, -float32(Dot(row, gradient))*per*per*per)
	}
}

// Score implements [Pair].
func (m ScaledDistances) Score(query, row []float32) float64 {
	q, w := m.parts(query)
	per, sum := m.PerNorm(row), float32(0)
	for i, e := range row[:m.dim] {
		sum += kernel.Abs(e*per*w[i] - q[i])
	}
	return -float64(sum)
}

// AddGradQuery implements [Pair].
func (m ScaledDistances) AddGradQuery(_ *kernel.Set, gradient, query, row []float32, slope float32) {
	q, w := m.parts(query)
	byQ, byW := m.parts(gradient)
	per := m.PerNorm(row)
	for i, e := range row[:m.dim] {
		unit := e * per
		pull := kernel.WithSign(slope, unit*w[i]-q[i])
		byQ[i] += pull
		byW[i] -= pull * unit
	}
}

// AddGradRow implements [Pair].
func (m ScaledDistances) AddGradRow(k *kernel.Set, gradient, query, row []float32, slope float32) {
	b := m.buffers.Get().(*scaledBuffers)
	defer m.buffers.Put(b)
	q, w := m.parts(query)
	per, byUnit := m.PerNorm(row), PaddedRow(b.gradient, 0)
	clear(byUnit)
	for i, e := range row[:m.dim] {
		byUnit[i] = -kernel.WithSign(slope, e*per*w[i]-q[i]) * w[i]
	}
	m.AddThroughNorm(k, gradient, row, byUnit)
}

// normalize sets the units of n rows.
func (m ScaledDistances) normalize(k *kernel.Set, b *scaledBuffers, of kernel.Table, n int) {
	for i := range n {
		row := PaddedRow(of, i)
		k.Scale(PaddedRow(b.units, i), row, m.PerNorm(row))
	}
}

// Scores implements [Measure].
func (m ScaledDistances) Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	b := m.buffers.Get().(*scaledBuffers)
	defer m.buffers.Put(b)
	m.normalize(k, b, of, n)
	down := kernel.ScaledPoints{Points: q.columns, Scales: q.columns.From(q.dim)}
	k.ScaledDistances(to, b.units, down, n, q.PaddedCount, q.dim)
}

// GradQuery implements [Measure].
func (m ScaledDistances) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	b := m.buffers.Get().(*scaledBuffers)
	defer m.buffers.Put(b)
	m.normalize(k, b, of, n)
	k.ScaledGradient(kernel.PairedScales(gradient), weights.Data, 1, weights.Stride,
		kernel.PairedScales(q.Rows), b.units, kernel.Pad(q.Count, kernel.Rows), q.dim, n, add)
}

// GradRows implements [Measure].
func (m ScaledDistances) GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
	factors []float32, n int, _ kernel.Table, add bool) {
	b := m.buffers.Get().(*scaledBuffers)
	defer m.buffers.Put(b)
	m.normalize(k, b, of, n)
	k.ScaleColumns(weights, n, q.PaddedCount, factors)
	k.ScaledPointGradient(b.gradient, weights.Data, weights.Stride, 1, b.units,
		kernel.PairedScales(q.Rows), n, q.dim, q.Count, false)
	for i := range n {
		to := PaddedRow(gradient, i)
		if !add {
			clear(to)
		}
		m.AddThroughNorm(k, to, PaddedRow(of, i), PaddedRow(b.gradient, i))
	}
}
