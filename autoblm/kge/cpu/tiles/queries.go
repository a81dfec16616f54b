package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

const (
	// MaxQueries is how many queries are asked at a time at most, of rows that are not
	// rounded.
	MaxQueries = 96
	// queryBlock is what the number of queries is padded to: they are rows of
	// one product and columns of another.
	queryBlock = 48
)

// Queries are what the rows of a table are scored by: with Products vectors, a row each.
type Queries struct {
	Count, PaddedCount int          // without and with padding, which is zero
	Rows               kernel.Table // [Count·rows of a query, d]

	measure  Measure
	dim      int
	multiple int          // what their number is padded to
	columns  kernel.Table // their transpose, [rows of a query·d, Count]
}

// NewQueries has room for MostQueries.
func NewQueries(m Measure, dim int) Queries {
	rows := m.RowsPerQuery()
	return Queries{
		measure: m, dim: dim, multiple: queryBlock, Rows: NewTable(rows*MaxQueries, dim),
		columns: kernel.Table{Data: make([]float32, rows*dim*MaxQueries), Stride: MaxQueries},
	}
}

// newRoundedQueries has room for MostRounded of products in bfloat16, which need no columns.
func newRoundedQueries(dim int) Queries {
	return Queries{measure: Products{}, dim: dim, multiple: kernel.TileInner, Rows: NewTable(MaxRoundedQueries, dim)}
}

// Reset makes room for new queries, of zeros.
func (q *Queries) Reset(asked int) {
	q.Count, q.PaddedCount = asked, kernel.Pad(asked, q.multiple)
	clear(q.Rows.Data)
}

// Transpose readies the queries for Scores, once their rows are set.
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

// Scores fills a table with the scores [n, Count] of the first n rows of another.
func (q *Queries) Scores(k *kernel.Set, to, of kernel.Table, n int) {
	q.measure.Scores(k, q, to, of, n)
}

// QueryRows is the rows of one query in a table like Rows.
func (q *Queries) QueryRows(t kernel.Table, i int) []float32 {
	size := q.measure.RowsPerQuery() * t.Stride
	return t.Data[i*size:][:size]
}
