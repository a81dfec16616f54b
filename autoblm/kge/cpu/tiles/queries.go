package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

const (
	// MostQueries is how many queries are asked at a time at most, of rows that are not
	// rounded.
	MostQueries = 96
	// queryBlock is what the number of queries is padded to: they are rows of
	// one product and columns of another.
	queryBlock = 48
)

// Queries are what the rows of a table are scored by: with Products vectors, a row each.
type Queries struct {
	Asked, Count int          // without and with padding, which is zero
	Rows         kernel.Table // [Count·rows of a query, d]

	measure Measure
	dim     int
	block   int          // what their number is padded to
	columns kernel.Table // their transpose, [rows of a query·d, Count]
}

// NewQueries has room for MostQueries.
func NewQueries(m Measure, dim int) Queries {
	rows := m.RowsOfQuery()
	return Queries{
		measure: m, dim: dim, block: queryBlock, Rows: NewTable(rows*MostQueries, dim),
		columns: kernel.Table{Data: make([]float32, rows*dim*MostQueries), Stride: MostQueries},
	}
}

// newRoundedQueries has room for MostRounded of products in bfloat16, which need no columns.
func newRoundedQueries(dim int) Queries {
	return Queries{measure: Products{}, dim: dim, block: kernel.TileInner, Rows: NewTable(MostRounded, dim)}
}

// Reset makes room for new queries, of zeros.
func (q *Queries) Reset(asked int) {
	q.Asked, q.Count = asked, kernel.Pad(asked, q.block)
	clear(q.Rows.Data)
}

// Transpose readies the queries for Scores, once their rows are set.
func (q *Queries) Transpose() {
	rows := q.measure.RowsOfQuery()
	for i := range q.Count {
		for row := range rows {
			down := q.columns.From(row * q.dim)
			for column, x := range q.Rows.Row(i*rows + row)[:q.dim] {
				down.Data[column*MostQueries+i] = x
			}
		}
	}
}

// Scores fills a table with the scores [n, Count] of the first n rows of another.
func (q *Queries) Scores(k *kernel.Set, to, of kernel.Table, n int) {
	q.measure.Scores(k, q, to, of, n)
}

// OfQuery is the rows of one query in a table like Rows.
func (q *Queries) OfQuery(t kernel.Table, i int) []float32 {
	size := q.measure.RowsOfQuery() * t.Stride
	return t.Data[i*size:][:size]
}
