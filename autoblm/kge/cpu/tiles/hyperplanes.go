package tiles

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Hyperplanes scores by -‖q - (e - (wᵀe)w)‖², the squared distance in the hyperplane with the unit
// normal w. A query is a row of q and a row of w. With b = wᵀe and c = wᵀq, the score is
//
//	2qᵀe - ‖q‖² - ‖e‖² + b² - 2bc
//
// so that tables of scores and gradients are products. Gradients with respect to w leave out parts
// along w, which its normalization removes.
type Hyperplanes struct {
	dim     int
	buffers *sync.Pool
}

// hyperplaneBuffers holds a thread's tables for a tile.
type hyperplaneBuffers struct {
	along    kernel.Table // b, or weights times it: [rows of a tile, queries]
	sum, far kernel.Table // products with rows: [queries, d]
	rows     []float32    // ‖e‖² or sums of weights, by row
	queries  [2][]float32 // by query
}

// NewHyperplanes returns the measure for rows of dimension dim.
func NewHyperplanes(dim int) Hyperplanes {
	return Hyperplanes{dim, &sync.Pool{New: func() any {
		return &hyperplaneBuffers{
			along: NewTable(Rows, MaxQueries), sum: NewTable(MaxQueries, dim),
			far: NewTable(MaxQueries, dim), rows: make([]float32, Rows),
			queries: [2][]float32{make([]float32, MaxQueries), make([]float32, MaxQueries)},
		}
	}}}
}

// RowsPerQuery implements [Measure].
func (Hyperplanes) RowsPerQuery() int { return 2 }

// parts splits a query or its gradient into q and w.
func (Hyperplanes) parts(query []float32) (q, w []float32) {
	return query[:len(query)/2], query[len(query)/2:]
}

// Score implements [Pair].
func (m Hyperplanes) Score(query, row []float32) float64 {
	q, w := m.parts(query)
	b, c := Dot(w, row), Dot(w, q)
	return 2*Dot(q, row) - Dot(q, q) - Dot(row, row) + b*b - 2*b*c
}

// AddGradQuery implements [Pair].
func (m Hyperplanes) AddGradQuery(k *kernel.Set, gradient, query, row []float32, slope float32) {
	q, w := m.parts(query)
	byQ, byW := m.parts(gradient)
	b, c := float32(Dot(w, row)), float32(Dot(w, q))
	k.ScaleAdd(byQ, row, 2*slope)
	k.ScaleAdd(byQ, q, -2*slope)
	k.ScaleAdd(byQ, w, -2*slope*b)
	k.ScaleAdd(byW, row, 2*slope*(b-c))
	k.ScaleAdd(byW, q, -2*slope*b)
}

// AddGradRow implements [Pair].
func (m Hyperplanes) AddGradRow(k *kernel.Set, gradient, query, row []float32, slope float32) {
	q, w := m.parts(query)
	b, c := float32(Dot(w, row)), float32(Dot(w, q))
	k.ScaleAdd(gradient, q, 2*slope)
	k.ScaleAdd(gradient, row, -2*slope)
	k.ScaleAdd(gradient, w, 2*slope*(b-c))
}

// tables returns q and w of all queries in a table shaped like their rows.
func (m Hyperplanes) tables(of kernel.Table) (q, w kernel.Table) {
	return kernel.Table{Data: of.Data, Stride: 2 * of.Stride},
		kernel.Table{Data: of.Data[of.Stride:], Stride: 2 * of.Stride}
}

// project computes b of n rows.
func (m Hyperplanes) project(k *kernel.Set, b *hyperplaneBuffers, q *Queries, of kernel.Table, n int) {
	k.Product(b.along, of.Data, of.Stride, 1, q.columns.From(q.dim), n, q.PaddedCount, q.dim, false)
}

// Scores implements [Measure].
func (m Hyperplanes) Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	b := m.buffers.Get().(*hyperplaneBuffers)
	defer m.buffers.Put(b)
	m.project(k, b, q, of, n)
	k.Product(to, of.Data, of.Stride, 1, q.columns, n, q.PaddedCount, q.dim, false)
	squares, alongs := b.queries[0][:q.PaddedCount], b.queries[1][:q.PaddedCount]
	for i := range squares {
		row, w := m.parts(q.QueryRows(q.Rows, i))
		squares[i], alongs[i] = float32(Dot(row, row)), float32(Dot(w, row))
	}
	for row := range n {
		e := PaddedRow(of, row)
		square := float32(Dot(e, e))
		scores, along := to.Row(row)[:len(squares)], b.along.Row(row)[:len(squares)]
		for i, x := range along {
			scores[i] = 2*scores[i] - squares[i] - square + x*(x-2*alongs[i])
		}
	}
}

// GradQuery implements [Measure].
func (m Hyperplanes) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	b := m.buffers.Get().(*hyperplaneBuffers)
	defer m.buffers.Put(b)
	m.project(k, b, q, of, n)
	sums, alongs := b.queries[0][:q.PaddedCount], b.queries[1][:q.PaddedCount]
	clear(sums)
	clear(alongs)
	for row := range n {
		weights, along := weights.Row(row)[:len(sums)], b.along.Row(row)[:len(sums)]
		for i, weight := range weights {
			along[i] *= weight
			sums[i] += weight
			alongs[i] += along[i]
		}
	}
	k.Product(b.sum, weights.Data, 1, weights.Stride, of, q.PaddedCount, b.sum.Stride, n, false)
	k.Product(b.far, b.along.Data, 1, b.along.Stride, of, q.PaddedCount, b.far.Stride, n, false)
	if !add {
		clear(gradient.Data[:2*q.PaddedCount*gradient.Stride])
	}
	for i := range q.Count {
		row, w := m.parts(q.QueryRows(q.Rows, i))
		byQ, byW := m.parts(q.QueryRows(gradient, i))
		sum, far := PaddedRow(b.sum, i), PaddedRow(b.far, i)
		k.ScaleAdd(byQ, sum, 2)
		k.ScaleAdd(byQ, row, -2*sums[i])
		k.ScaleAdd(byQ, w, -2*alongs[i])
		k.ScaleAdd(byW, far, 2)
		k.ScaleAdd(byW, sum, -2*float32(Dot(w, row)))
		k.ScaleAdd(byW, row, -2*alongs[i])
	}
}

// GradRows implements [Measure].
func (m Hyperplanes) GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
	factors []float32, n int, _ kernel.Table, add bool) {
	b := m.buffers.Get().(*hyperplaneBuffers)
	defer m.buffers.Put(b)
	m.project(k, b, q, of, n)
	k.ScaleColumns(weights, n, q.PaddedCount, factors)
	alongs := b.queries[0][:q.PaddedCount]
	for i := range alongs {
		row, w := m.parts(q.QueryRows(q.Rows, i))
		alongs[i] = float32(Dot(w, row))
	}
	for row := range n {
		weights, along := weights.Row(row)[:len(alongs)], b.along.Row(row)[:len(alongs)]
		sum := float32(0)
		for i, weight := range weights {
			weights[i] = 2 * weight
			along[i] = 2 * weight * (along[i] - alongs[i])
			sum += weight
		}
		b.rows[row] = sum
	}
	rows, normals := m.tables(q.Rows)
	k.Product(gradient, weights.Data, weights.Stride, 1, rows, n, gradient.Stride, q.PaddedCount, add)
	k.Product(gradient, b.along.Data, b.along.Stride, 1, normals, n, gradient.Stride, q.PaddedCount,
		true)
	for row := range n {
		k.ScaleAdd(PaddedRow(gradient, row), PaddedRow(of, row), -2*b.rows[row])
	}
}
