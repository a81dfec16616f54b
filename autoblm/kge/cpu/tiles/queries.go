package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

const (
	// MaxQueries is the maximum number of queries of a unit with float32 products.
	MaxQueries = 96
	// queryBlock divides the padded number of queries, which are rows of one product and
	// columns of another.
	queryBlock = 48
)

// Queries holds the queries of a unit. With Products, a query is a vector of one row.
type Queries struct {
	Count, PaddedCount int          // number of queries without and with zero padding
	Rows               kernel.Table // [PaddedCount·RowsPerQuery, d]

	measure  Measure
	dim      int
	multiple int          // divides PaddedCount
	columns  kernel.Table // transpose of Rows, [RowsPerQuery·d, PaddedCount]
}

// NewQueries allocates space for MaxQueries queries.
func NewQueries(m Measure, dim int) Queries {
	rows := m.RowsPerQuery()
	return Queries{
		measure:  m,
		dim:      dim,
		multiple: queryBlock,
		Rows:     NewTable(rows*MaxQueries, dim),
		columns:  kernel.Table{Data: make([]float32, rows*dim*MaxQueries), Stride: MaxQueries},
	}
}

// NewScoringQueries allocates space for queries that have no gradients, so that a few need less
// padding.
func NewScoringQueries(m Measure, dim int) Queries {
	q := NewQueries(m, dim)
	q.multiple = kernel.Columns
	return q
}

// newRoundedQueries allocates space for MaxRoundedQueries queries with bfloat16 products,
// which do not use the transpose.
func newRoundedQueries(dim int) Queries {
	return Queries{
		measure:  Products{},
		dim:      dim,
		multiple: kernel.TileInner,
		Rows:     NewTable(MaxRoundedQueries, dim),
	}
}

// Reset starts a new unit of count zero queries.
func (q *Queries) Reset(count int) {
	q.Count, q.PaddedCount = count, kernel.Pad(count, q.multiple)
	clear(q.Rows.Data)
}

// Transpose prepares the queries for Scores after their rows are set.
func (q *Queries) Transpose() {
	rows := q.measure.RowsPerQuery()
	for i := range q.PaddedCount {
		for row := range rows {
			down := q.columns.From(row * q.dim)
			for column, x := range q.Rows.Row(i*rows + row)[:q.dim] {
				down.Data[column*MaxQueries+i] = x
			}
		}
	}
}

// Scores computes the scores [n, PaddedCount] of the first n rows of a table.
func (q *Queries) Scores(k *kernel.Set, to, of kernel.Table, n int) {
	q.measure.Scores(k, q, to, of, n)
}

// QueryRows returns the rows of query i in a table shaped like Rows.
func (q *Queries) QueryRows(t kernel.Table, i int) []float32 {
	size := q.measure.RowsPerQuery() * t.Stride
	return t.Data[i*size:][:size]
}
