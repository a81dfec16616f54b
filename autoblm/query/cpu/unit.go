package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// unit is a part of a batch on its way, with what the tiles collect of it.
type unit struct {
	passage
	examples  []query.Example
	answers   kernel.Table // [paths, d], the drawn ones
	queries   kernel.Table // [paths·stateRows, d], as they were asked
	gradients passage      // by anchors and relations
	byAnswers kernel.Table
	pairs     []pair
}

// pair is an entity that a query learns by itself, and how fast the loss rises
// with its score.
type pair struct {
	entity, path int32
	slope        float32
}

func newUnit(m *model) *unit {
	return &unit{
		passage: newPassage(m), gradients: newPassage(m),
		answers: tiles.NewTable(tiles.MostQueries, m.dim), byAnswers: tiles.NewTable(tiles.MostQueries, m.dim),
		queries: tiles.NewTable(tiles.MostQueries*m.stateRows, m.dim),
	}
}

// fetch looks up the rows of examples.
func (u *unit) fetch(m *model, examples []query.Example) {
	n, hops := len(examples), examples[0].Hops()
	u.examples, u.pairs = examples, u.pairs[:0]
	u.reset(m, n, hops)
	u.gradients.reset(m, n, hops)
	clear(first(u.byAnswers, n))
	for i, x := range examples {
		u.put(m, i, x.Query)
		copy(tiles.WholeRow(u.answers, i), m.entities.Row(int(x.Answer)))
	}
}

// learn adds a pair to the gradient by the query, and keeps it for that by the
// entity.
func (u *unit) learn(m *model, byQuery kernel.Table, path int, entity int32, slope float32) {
	row := tiles.WholeRow(m.entities.Table, int(entity))
	m.measure.byQuery(part(byQuery, path, m.stateRows), part(u.queries, path, m.stateRows), row, slope)
	u.pairs = append(u.pairs, pair{entity, int32(path), slope})
}

// bench is what a thread needs for the unit or the tile that it is at.
type bench struct {
	states, gradients track
	mask              *tiles.Mask
	tile, scratch     kernel.Table
	lanes             kernel.Lanes
}

func newBench(m *model) *bench {
	return &bench{mask: tiles.NewMask(m.dim), tile: tiles.NewTable(tiles.Rows, m.dim), scratch: tiles.NewTable(tiles.MostQueries, m.dim)}
}
