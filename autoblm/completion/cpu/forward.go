package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/datasets"
)

// unit is a part of a batch on its way: its queries, and after forward what
// the tiles need to collect the gradient of the entities.
type unit struct {
	*queries
	weight float32 // of a triple in the loss: one by the triples of the batch

	// exponentials[tile] is exp(score - maxima[tile]), [entities of the tile, queries].
	exponentials []kernel.Table
	maxima       [][]float32
	largest      []float32 // of all tiles
	tileSums     []float32
	sums         []float64 // Σ exp(score - largest)

	byQuery kernel.Table // the gradient by the queries
}

func newUnit(m *model) *unit {
	u := &unit{
		queries: newQueries(m.dim),
		largest: make([]float32, unitQueries), tileSums: make([]float32, unitQueries), sums: make([]float64, unitQueries),
		byQuery: newTable(unitQueries, m.dim),
	}
	for i := range m.tiles() {
		_, _, rows := m.tile(i)
		u.exponentials = append(u.exponentials, kernel.Table{Data: make([]float32, rows*unitQueries), Stride: unitQueries})
		u.maxima = append(u.maxima, make([]float32, unitQueries))
	}
	return u
}

// unitBytes is what a unit keeps for the entities of a model.
func unitBytes(m *model) int { return 4 * len(m.entities.Data) / m.entities.Stride * unitQueries }

// forward returns the sum over the triples of weight · (cross entropy of the
// tail + that of the head), and leaves the gradients by the triples' rows in g.
func (u *unit) forward(m *model, triples []datasets.Triple, weight float32, g gradients) float64 {
	u.weight = weight
	u.ask(m, triples)
	for i := range u.count {
		u.largest[i], u.sums[i] = float32(math.Inf(-1)), 0
	}
	for i := range u.exponentials {
		u.walk(m, i)
	}
	loss := 0.0
	for row := range 2 * len(triples) {
		query := u.rows.Row(row)[:u.rows.Stride]
		answer := u.answer(row)
		loss += float64(weight) * (float64(u.largest[row]) + math.Log(u.sums[row]) - dot(query, answer))
		gradient := u.byQuery.Row(row)[:u.byQuery.Stride]
		m.kernels.Scale(gradient, gradient, weight/float32(u.sums[row]))
		m.kernels.ScaleAdd(gradient, answer, -weight)
	}
	u.backToRows(m, g)
	return loss
}

// walk adds one tile of entities to the sums and to the gradient by the queries.
func (u *unit) walk(m *model, tile int) {
	start, count, rows := m.tile(tile)
	x, maxima := u.exponentials[tile], u.maxima[tile]
	entities := m.entities.From(start)
	u.scores(m, x, entities, rows)
	for row := count; row < rows; row++ { // padding is no entity
		for i := range u.count {
			x.Data[row*x.Stride+i] = float32(math.Inf(-1))
		}
	}
	copy(maxima, u.largest)
	m.kernels.ColumnMax(x, rows, u.count, maxima)
	if tile > 0 {
		u.rescale(m, maxima)
	}
	copy(u.largest, maxima)
	clear(u.tileSums)
	m.kernels.ExpSum(x, rows, u.count, maxima, u.tileSums)
	for i, s := range u.tileSums[:u.count] {
		u.sums[i] += float64(s)
	}
	m.kernels.Product(u.byQuery, x.Data, 1, x.Stride, entities, u.count, u.byQuery.Stride, rows, tile > 0)
}

// rescale takes the sums and the gradient from the old maxima to higher ones.
func (u *unit) rescale(m *model, maxima []float32) {
	for i, higher := range maxima[:u.count] {
		if higher > u.largest[i] {
			factor := math.Exp(float64(u.largest[i]) - float64(higher))
			u.sums[i] *= factor
			gradient := u.byQuery.Row(i)[:u.byQuery.Stride]
			m.kernels.Scale(gradient, gradient, float32(factor))
		}
	}
}

// backToRows carries the gradient by the queries to the rows they were mixed
// from, and adds what the rows get as answers.
func (u *unit) backToRows(m *model, g gradients) {
	n := len(u.triples)
	g.clear(n)
	toTails, toHeads := u.byQuery, u.byQuery.From(n)
	for _, t := range m.terms {
		heads, relations, tails := chunk(g.heads, t.head), chunk(g.relations, t.relation), chunk(g.tails, t.tail)
		m.kernels.MulAdd(heads, chunk(u.relations, t.relation), chunk(toTails, t.tail), n, m.width, t.sign)
		m.kernels.MulAdd(relations, chunk(u.heads, t.head), chunk(toTails, t.tail), n, m.width, t.sign)
		m.kernels.MulAdd(relations, chunk(u.tails, t.tail), chunk(toHeads, t.head), n, m.width, t.sign)
		m.kernels.MulAdd(tails, chunk(u.relations, t.relation), chunk(toHeads, t.head), n, m.width, t.sign)
	}
	for i := range n {
		m.kernels.ScaleAdd(g.tails.Row(i)[:g.tails.Stride], u.rows.Row(i)[:u.rows.Stride], -u.weight)
		m.kernels.ScaleAdd(g.heads.Row(i)[:g.heads.Stride], u.rows.Row(n + i)[:u.rows.Stride], -u.weight)
	}
}

// gradients are those by the rows of a unit's triples.
type gradients struct{ heads, relations, tails kernel.Table }

func (g gradients) clear(rows int) {
	for _, t := range []kernel.Table{g.heads, g.relations, g.tails} {
		clear(t.Data[:rows*t.Stride])
	}
}

func dot(a, b []float32) float64 {
	var s0, s1, s2, s3 float32
	for i := 0; i < len(a); i += 4 { // rows are padded to a multiple of 16
		s0 += a[i] * b[i]
		s1 += a[i+1] * b[i+1]
		s2 += a[i+2] * b[i+2]
		s3 += a[i+3] * b[i+3]
	}
	return float64(s0) + float64(s1) + float64(s2) + float64(s3)
}
