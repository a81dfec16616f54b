package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Measure scores the rows of a table for queries, in pairs or a tile at a time. A query
// consists of one or more consecutive rows.
type Measure interface {
	Pair
	// RowsPerQuery returns the number of rows of a query.
	RowsPerQuery() int
	// Scores computes the scores [n, PaddedCount] of n rows.
	Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int)
	// GradQuery computes the gradient of Σ weight·score with respect to the queries, or adds
	// it. The weights are [n, PaddedCount].
	GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int, add bool)
	// GradRows computes the same gradient with respect to the rows, or adds it. It multiplies the
	// weights of each query by its factor, perhaps in place. scratch holds one row per query.
	GradRows(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table,
		factors []float32, n int, scratch kernel.Table, add bool)
}

// Pair scores one row for one query.
type Pair interface {
	Score(query, row []float32) float64
	// AddGradQuery adds slope times the gradient of the score with respect to the query.
	AddGradQuery(k *kernel.Set, gradient, query, row []float32, slope float32)
	// AddGradRow adds slope times the gradient of the score with respect to the row.
	AddGradRow(k *kernel.Set, gradient, query, row []float32, slope float32)
}

// Products scores by scalar products.
type Products struct{}

// RowsPerQuery implements [Measure].
func (Products) RowsPerQuery() int { return 1 }

// Score implements [Pair].
func (Products) Score(query, row []float32) float64 { return Dot(query, row) }

// AddGradQuery implements [Pair].
func (Products) AddGradQuery(k *kernel.Set, gradient, _, row []float32, slope float32) {
	k.ScaleAdd(gradient, row, slope)
}

// AddGradRow implements [Pair].
func (Products) AddGradRow(k *kernel.Set, gradient, query, _ []float32, slope float32) {
	k.ScaleAdd(gradient, query, slope)
}

// Scores implements [Measure].
func (Products) Scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.Product(to, of.Data, of.Stride, 1, q.columns, n, q.PaddedCount, q.dim, false)
}

// GradQuery implements [Measure].
func (Products) GradQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int,
	add bool) {
	k.Product(gradient, weights.Data, 1, weights.Stride, of, q.PaddedCount, gradient.Stride, n, add)
}

// GradRows implements [Measure].
func (Products) GradRows(k *kernel.Set, q *Queries, gradient, weights, _ kernel.Table,
	factors []float32, n int, scratch kernel.Table, add bool) {
	for i, factor := range factors {
		k.Scale(PaddedRow(scratch, i), PaddedRow(q.Rows, i), factor)
	}
	k.Product(gradient, weights.Data, weights.Stride, 1, scratch, n, gradient.Stride, q.PaddedCount,
		add)
}
