package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/datasets"
)

// lookup is the triples of a unit with a row for each in each role: their
// embeddings, or the gradients by these. With reciprocal relations the reverses
// of all triples come after them.
type lookup struct {
	triples []datasets.Triple
	rows    mix.ByRole
}

func newLookup(m *model) lookup {
	room := unitTriples * m.directions()
	return lookup{triples: make([]datasets.Triple, 0, room), rows: mix.NewRows(room, m.dim)}
}

// fetch looks up the embeddings of triples, at most unitTriples.
func (l *lookup) fetch(m *model, triples []datasets.Triple) {
	l.triples = append(l.triples[:0], triples...)
	if m.reciprocal {
		for _, t := range triples {
			l.triples = append(l.triples, m.reverse(t))
		}
	}
	for i, t := range l.triples {
		copy(l.rows[mix.AsHead].Row(i)[:m.dim], m.entities.Row(int(t.Head)))
		copy(l.rows[mix.AsRelation].Row(i)[:m.dim], m.relations.Row(int(t.Relation)))
		copy(l.rows[mix.AsTail].Row(i)[:m.dim], m.entities.Row(int(t.Tail)))
	}
}

// reset readies a gradient of zeros by the rows of triples.
func (l *lookup) reset(triples []datasets.Triple) {
	l.triples = append(l.triples[:0], triples...)
	for _, t := range l.rows {
		clear(t.Data[:len(triples)*t.Stride])
	}
}

// ask mixes a query for each triple's tail, and then one for each head, unless
// that is the tail of a reverse.
func (l *lookup) ask(m *model, q *tiles.Queries) {
	n := len(l.triples)
	if m.reciprocal {
		q.Reset(n)
	} else {
		q.Reset(2 * n)
		m.Mix(q.Rows.From(n), mix.AsHead, l.rows, n)
	}
	m.Mix(q.Rows, mix.AsTail, l.rows, n)
}

// askBack carries the gradient by the queries to that by the rows.
func (l *lookup) askBack(m *model, byQuery kernel.Table, to *lookup) {
	n := len(l.triples)
	m.MixBack(byQuery, mix.AsTail, l.rows, to.rows, n)
	if !m.reciprocal {
		m.MixBack(byQuery.From(n), mix.AsHead, l.rows, to.rows, n)
	}
}

// answer is the row of the true entity of a query.
func (l *lookup) answer(query int) []float32 {
	if n := len(l.triples); query >= n {
		return tiles.WholeRow(l.rows[mix.AsHead], query-n)
	}
	return tiles.WholeRow(l.rows[mix.AsTail], query)
}
