package tiles

import "github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"

// Measure is how queries score the rows of a table, a tile at a time. It is Products,
// Distances or BoxDistances.
type Measure interface {
	// rowsOfQuery is how many rows a query has.
	rowsOfQuery() int
	// scores makes the scores, [n, Count], of n rows.
	scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int)
	// byQuery makes the gradient by the queries of the sum of all scores times their
	// weights, [n, Count], or adds it.
	byQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int, add bool)
	// byRow makes the gradient by the rows, where the weights are yet to be multiplied
	// by the factors of the queries; then they may be, in place. scratch has room for
	// a row for each query.
	byRow(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, factors []float32, n int, scratch kernel.Table, add bool)
}

// Products are scalar products.
type Products struct{}

func (Products) rowsOfQuery() int { return 1 }

func (Products) scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.Product(to, of.Data, of.Stride, 1, q.columns, n, q.Count, q.dim, false)
}

func (Products) byQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int, add bool) {
	k.Product(gradient, weights.Data, 1, weights.Stride, of, q.Count, gradient.Stride, n, add)
}

func (Products) byRow(k *kernel.Set, q *Queries, gradient, weights, _ kernel.Table, factors []float32, n int, scratch kernel.Table, add bool) {
	for i, factor := range factors {
		k.Scale(WholeRow(scratch, i), WholeRow(q.Rows, i), factor)
	}
	k.Product(gradient, weights.Data, weights.Stride, 1, scratch, n, gradient.Stride, q.Count, add)
}

// Distances are -Σ|e - q|.
type Distances struct{}

func (Distances) rowsOfQuery() int { return 1 }

func (Distances) scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.Distances(to, of, q.columns, n, q.Count, q.dim)
}

func (Distances) byQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int, add bool) {
	k.Pull(gradient, weights.Data, 1, weights.Stride, q.Rows, of, kernel.Pad(q.Asked, kernel.Rows), q.dim, n, add)
}

func (Distances) byRow(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, factors []float32, n int, _ kernel.Table, add bool) {
	k.ScaleColumns(weights, n, q.Count, factors)
	k.Pull(gradient, weights.Data, weights.Stride, 1, of, q.Rows, n, q.dim, q.Asked, add)
}

// BoxDistances are minus the distances to boxes, as of [kernel.Set.BoxDistances]. A
// query is a row of the centre and one of half the sides.
type BoxDistances struct{}

func (BoxDistances) rowsOfQuery() int { return 2 }

func (BoxDistances) scores(k *kernel.Set, q *Queries, to, of kernel.Table, n int) {
	k.BoxDistances(to, of, kernel.Boxes{Centres: q.columns, Halves: q.columns.From(q.dim)}, n, q.Count, q.dim)
}

func (BoxDistances) byQuery(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, n int, add bool) {
	k.PullBoxes(kernel.InPairs(gradient), weights.Data, 1, weights.Stride, kernel.InPairs(q.Rows), of, kernel.Pad(q.Asked, kernel.Rows), q.dim, n, add)
}

func (BoxDistances) byRow(k *kernel.Set, q *Queries, gradient, weights, of kernel.Table, factors []float32, n int, _ kernel.Table, add bool) {
	k.ScaleColumns(weights, n, q.Count, factors)
	k.PullTowardsBoxes(gradient, weights.Data, weights.Stride, 1, of, kernel.InPairs(q.Rows), n, q.dim, q.Asked, add)
}
