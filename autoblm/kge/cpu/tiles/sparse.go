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
	minProbability float32
	units          [][][]slope // by unit and tile
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

// Sampling is what the slopes of a unit are drawn by: a key of the member and the step, and the
// number in the batch of the first of its examples, each of which is so many queries.
type Sampling struct {
	Key               uint32
	First, Directions int
}

// SamplingKey is that of a member's seed and of a step, which counts from 1.
func SamplingKey(seed uint64, step int) uint32 { return dropout.Key(^seed, step) } // others than are dropped by

// of is from 0 to 1, without it, for one of so many queries.
func (c Sampling) uniform(query, asked int) float32 {
	n := asked / c.Directions
	number := c.Directions*(c.First+query%n) + query/n
	return float32(dropout.Scramble(c.Key+dropout.Stride*uint32(number))>>8) / (1 << 24)
}

// forward takes the queries to their sums. What has no weight yet has no gradient.
func (x *sparse) forward(k *kernel.Set, s *Softmax, e Embeddings, room *Scratch) {
	clear(s.ByQuery.Data[:s.PaddedCount*s.measure.RowsPerQuery()*s.ByQuery.Stride])
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
			e.Rounded.Unit.Multiply(of.Table, e.Rounded.tile(tile), room.queryFactor, rows, s.PaddedCount, steps(e.Stride)*kernel.TileInner, false)
		} else {
			s.Scores(k, of.Table, e.From(start), rows)
		}
		s.exponentiate(k, of, count, rows, func(query int, higher float32) {
			s.sums[query] *= math.Exp(float64(s.shifts[query]) - float64(higher))
		})
	}
}

// finish draws the slopes, and makes the gradient by the queries. Down its rows a query adds up
// the probabilities that are below least, and the row at which their sum has risen by least
// stands for those since the one before; where it begins to add up is chance.
func (x *sparse) finish(s *Softmax, e Embeddings, room *Scratch) {
	passed, shares := room.skippedMass[:s.Count], room.shares[:s.Count]
	for i := range passed {
		passed[i] = x.minProbability * s.Sampling.uniform(i, s.Count)
	}
	for tile := range e.Tiles() {
		start, count, _ := e.Tile(tile)
		of := room.exponentials[tile]
		for i, most := range of.maxima[:s.Count] {
			shares[i] = float32(math.Exp(float64(most)-float64(s.shifts[i])) / s.sums[i])
		}
		slopes := x.units[s.number][tile][:0]
		for row := range count {
			exponentials := of.Row(row)[:len(passed)]
			for i, share := range shares {
				probability := exponentials[i] * share
				sum := passed[i] + probability
				if sum < x.minProbability {
					passed[i] = sum
					continue
				}
				if probability < x.minProbability {
					passed[i], probability = sum-x.minProbability, x.minProbability
				}
				slopes = append(slopes, slope{int32(start + row), int32(i), probability * s.weights[i]})
			}
		}
		x.units[s.number][tile] = slopes
		for _, of := range slopes {
			query := int(of.query)
			s.measure.AddGradQuery(room.kernels, s.QueryRows(s.ByQuery, query), s.QueryRows(s.Rows, query), PaddedRow(e.Table, int(of.row)), of.value)
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
			s.measure.AddGradRow(k, PaddedRow(gradient, row-start), s.QueryRows(s.Rows, int(of.query)), PaddedRow(e.Table, row), of.value)
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
