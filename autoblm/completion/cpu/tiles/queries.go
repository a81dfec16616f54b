package tiles

import "github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"

const (
	// MostQueries is how many queries are asked at a time at most.
	MostQueries = 96
	// queryBlock is what the number of queries is padded to: they are rows of
	// one product and columns of another.
	queryBlock = 48
)

// Queries are vectors whose scalar products with the rows of a table are scores.
type Queries struct {
	Asked, Count int          // without and with padding, which is zero
	Rows         kernel.Table // [Count, d]

	dim     int
	columns kernel.Table // their transpose, [d, Count]
}

// NewQueries has room for MostQueries.
func NewQueries(dim int) Queries {
	return Queries{
		dim: dim, Rows: NewTable(MostQueries, dim),
		columns: kernel.Table{Data: make([]float32, dim*MostQueries), Stride: MostQueries},
	}
}

// Reset makes room for new queries, of zeros.
func (q *Queries) Reset(asked int) {
	q.Asked, q.Count = asked, kernel.Pad(asked, queryBlock)
	clear(q.Rows.Data)
}

// Transpose readies the queries for Scores, once their rows are set.
func (q *Queries) Transpose() {
	for i := range q.Count {
		for column, x := range q.Rows.Row(i)[:q.dim] {
			q.columns.Data[column*MostQueries+i] = x
		}
	}
}

// Scores fills a table with the scores [n, Count] of the first n rows of another.
func (q *Queries) Scores(k *kernel.Set, to, of kernel.Table, n int) {
	k.Product(to, of.Data, of.Stride, 1, q.columns, n, q.Count, q.dim, false)
}
