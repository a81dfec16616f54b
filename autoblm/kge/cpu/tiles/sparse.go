package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// sparse keeps few slopes of each query in the place of all exponentials: those of rows whose
// probability is least or more, and by chance some of the others, each with the slope of that
// probability. Their mean over the draws is the gradient of the loss over all rows.
type sparse struct {
	least float32
	units [][][]slope // by unit and tile
}

// slope is how fast the loss rises with the score of a query and a row.
type slope struct {
	row, query int32
	value      float32
}

// newSparse keeps count slopes of a query at most, and one by chance.
func newSparse(e Embeddings, units, count int) *sparse {
	x := &sparse{1 / float32(count), make([][][]slope, units)}
	for unit := range x.units {
		x.units[unit] = make([][]slope, e.Tiles())
	}
	return x
}

// Chance is what the slopes of a unit are drawn by: a key of the member and the step, and the
// number in the batch of the first of its examples, each of which is so many queries.
type Chance struct {
	Key         uint32
	First, Ways int
}

// ChanceKey is that of a member's seed and of a step, which counts from 1.
func ChanceKey(seed uint64, step int) uint32 { return dropout.Key(^seed, step) } // others than are dropped by

// of is from 0 to 1, without it, for one of so many queries.
func (c Chance) of(query, asked int) float32 {
	n := asked / c.Ways
	number := c.Ways*(c.First+query%n) + query/n
	return float32(dropout.Scramble(c.Key+dropout.Stride*uint32(number))>>8) / (1 << 24)
}

// walk takes the queries to their sums. What has no weight yet has no gradient.
func (x *sparse) walk(k *kernel.Set, s *Softmax, e Embeddings, room *Room) {
	clear(s.ByQuery.Data[:s.Count*s.measure.RowsOfQuery()*s.ByQuery.Stride])
	if e.Rounded != nil {
		room.roundQueries(s, e)
	} else {
		s.Transpose()
	}
	for tile := range e.Tiles() {
		start, count, rows := e.Tile(tile)
		of := room.exponentials[tile]
		if e.Rounded != nil {
			rows = kernel.Pad(count, 2*kernel.Band)
			e.Rounded.Unit.Multiply(of.Table, e.Rounded.tile(tile), room.right, rows, s.Count, steps(e.Stride)*kernel.TileInner, false)
		} else {
			s.Scores(k, of.Table, e.From(start), rows)
		}
		s.exponentiate(k, of, count, rows, func(query int, higher float32) {
			s.sums[query] *= math.Exp(float64(s.largest[query]) - float64(higher))
		})
	}
}

// weighed draws the slopes, and makes the gradient by the queries. Down its rows a query adds up
// the probabilities that are below least, and the row at which their sum has risen by least
// stands for those since the one before; where it begins to add up is chance.
func (x *sparse) weighed(s *Softmax, e Embeddings, room *Room) {
	passed, shares := room.passed[:s.Asked], room.shares[:s.Asked]
	for i := range passed {
		passed[i] = x.least * s.Chance.of(i, s.Asked)
	}
	for tile := range e.Tiles() {
		start, count, _ := e.Tile(tile)
		of := room.exponentials[tile]
		for i, most := range of.maxima[:s.Asked] {
			shares[i] = float32(math.Exp(float64(most)-float64(s.largest[i])) / s.sums[i])
		}
		slopes := x.units[s.number][tile][:0]
		for row := range count {
			exponentials := of.Row(row)[:len(passed)]
			for i, share := range shares {
				probability := exponentials[i] * share
				sum := passed[i] + probability
				if sum < x.least {
					passed[i] = sum
					continue
				}
				if probability < x.least {
					passed[i], probability = sum-x.least, x.least
				}
				slopes = append(slopes, slope{int32(start + row), int32(i), probability * s.weights[i]})
			}
		}
		x.units[s.number][tile] = slopes
		for _, of := range slopes {
			query := int(of.query)
			s.measure.AddGradQuery(room.kernels, s.OfQuery(s.ByQuery, query), s.OfQuery(s.Rows, query), WholeRow(e.Table, int(of.row)), of.value)
		}
	}
}

func (x *sparse) collect(k *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient, _ kernel.Table, add bool) {
	start, _, rows := e.Tile(tile)
	if !add {
		clear(gradient.Data[:rows*gradient.Stride])
	}
	for i, s := range units {
		for _, of := range x.units[i][tile] {
			row := int(of.row)
			s.measure.AddGradRow(k, WholeRow(gradient, row-start), s.OfQuery(s.Rows, int(of.query)), WholeRow(e.Table, row), of.value)
		}
	}
}

// each visits the row of each slope of a tile, of the first units.
func (x *sparse) each(units, tile int, visit func(row int)) {
	for _, tiles := range x.units[:units] {
		for _, of := range tiles[tile] {
			visit(int(of.row))
		}
	}
}
