package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/datasets"
)

const (
	// unitTriples is how many triples a unit has at most.
	unitTriples = 48
	// unitQueries is how many queries these are.
	unitQueries = 2 * unitTriples
	// queryBlock is what the number of queries is padded to: they are rows of
	// one product and columns of another.
	queryBlock = 48
)

// queries are the tail queries of some triples, then their head queries, then
// padding, which is zero.
type queries struct {
	triples []datasets.Triple
	count   int // of rows, padded

	heads, relations, tails kernel.Table // the rows of the triples
	rows                    kernel.Table // the queries: q for the tails, then p for the heads
	columns                 kernel.Table // their transpose, [d, count]
}

func newQueries(dim int) *queries {
	return &queries{
		heads: newTable(unitTriples, dim), relations: newTable(unitTriples, dim), tails: newTable(unitTriples, dim),
		rows:    newTable(unitQueries, dim),
		columns: kernel.Table{Data: make([]float32, dim*unitQueries), Stride: unitQueries},
	}
}

// ask looks up the triples, at most unitTriples, and mixes their queries by the
// structure: q_j = Σ sign·h_i·r_k and p_i = Σ sign·r_k·t_j.
func (q *queries) ask(m *model, triples []datasets.Triple) {
	n := len(triples)
	q.triples, q.count = triples, kernel.Pad(2*n, queryBlock)
	for i, t := range triples {
		copy(q.heads.Row(i)[:m.dim], m.entities.Row(int(t.Head)))
		copy(q.relations.Row(i)[:m.dim], m.relations.Row(int(t.Relation)))
		copy(q.tails.Row(i)[:m.dim], m.entities.Row(int(t.Tail)))
	}
	clear(q.rows.Data)
	toTails, toHeads := q.rows, q.rows.From(n)
	for _, t := range m.terms {
		m.kernels.MulAdd(chunk(toTails, t.tail), chunk(q.heads, t.head), chunk(q.relations, t.relation), n, m.width, t.sign)
		m.kernels.MulAdd(chunk(toHeads, t.head), chunk(q.relations, t.relation), chunk(q.tails, t.tail), n, m.width, t.sign)
	}
	for row := range q.count {
		for column, x := range q.rows.Row(row)[:m.dim] {
			q.columns.Data[column*unitQueries+row] = x
		}
	}
}

// answer is the row of the true entity of a query.
func (q *queries) answer(row int) []float32 {
	if n := len(q.triples); row >= n {
		return q.heads.Row(row - n)[:q.heads.Stride]
	}
	return q.tails.Row(row)[:q.tails.Stride]
}

// scores fills a table with the scores [rows, count] of the given rows of embeddings.
func (q *queries) scores(m *model, to kernel.Table, embeddings kernel.Table, rows int) {
	m.kernels.Product(to, embeddings.Data, embeddings.Stride, 1, q.columns, rows, q.count, m.dim, false)
}
