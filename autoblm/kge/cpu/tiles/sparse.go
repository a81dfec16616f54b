package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
)

// sparse stores a few slopes of each query instead of all exponentials: those of rows with
// probability at least minProbability, and a random sample of the others, each with the slope
// of that probability. The expected gradient is the gradient of the full loss.
type sparse struct {
	minProbability float32
	units          [][][]slope // by unit and tile
}

// slope is the derivative of the loss with respect to the score of a query and a row.
type slope struct {
	row, query int32
	value      float32
}

// newSparse allocates a store for at most count+1 slopes of each query.
func newSparse(e Embeddings, units, count int) *sparse {
	x := &sparse{1 / float32(count), make([][][]slope, units)}
	for unit := range x.units {
		x.units[unit] = make([][]slope, e.Tiles())
	}
	return x
}

// Sampling determines which slopes of a unit are sampled.
type Sampling struct {
	Key        uint32 // of the member and the step, see [SamplingKey]
	First      int    // number in the batch of the unit's first example
	Directions int    // queries per example
}

// SamplingKey derives a key from a member's seed and a step, counted from 1. It differs from
// that of dropout.
func SamplingKey(seed uint64, step int) uint32 { return dropout.Key(^seed, step) }

// uniform returns a random number in [0, 1) for one of count queries.
func (c Sampling) uniform(query, count int) float32 {
	n := count / c.Directions
	number := c.Directions*(c.First+query%n) + query/n
	return float32(dropout.Scramble(c.Key+dropout.Stride*uint32(number))>>8) / (1 << 24)
}

// forward computes the sums of the queries. Gradients follow in finish, when the weights are
// known.
func (x *sparse) forward(k *kernel.Set, s *Softmax, e Embeddings, scratch *Scratch) {
	clear(s.ByQuery.Data[:s.PaddedCount*s.measure.RowsPerQuery()*s.ByQuery.Stride])
	if e.Rounded != nil {
		scratch.roundQueries(s, e)
	} else {
		s.Transpose()
	}
	for tile := range e.Tiles() {
		start, count, rows := e.Tile(tile)
		of := scratch.exponentials[tile]
		if e.Rounded != nil {
			rows = kernel.Pad(count, 2*kernel.Band)
			e.Rounded.Kernels.Multiply(of.Table, e.Rounded.tile(tile), scratch.queryFactor,
				rows, s.PaddedCount, steps(e.Stride)*kernel.TileInner, false)
		} else {
			s.Scores(k, of.Table, e.From(start), rows)
		}
		s.exponentiate(k, of, count, rows, func(query int, higher float32) {
			s.sums[query] *= math.Exp(float64(s.shifts[query]) - float64(higher))
		})
	}
}

// finish samples the slopes and computes the gradient of the queries. It uses systematic
// sampling: a query accumulates the probabilities below minProbability along its rows, from a
// random start. Each time they sum to minProbability, the current row represents the rows
// since the previous sample.
func (x *sparse) finish(s *Softmax, e Embeddings, scratch *Scratch) {
	skipped, scales := scratch.skippedMass[:s.Count], scratch.scales[:s.Count]
	for i := range skipped {
		skipped[i] = x.minProbability * s.Sampling.uniform(i, s.Count)
	}
	for tile := range e.Tiles() {
		start, count, _ := e.Tile(tile)
		of := scratch.exponentials[tile]
		for i, most := range of.maxima[:s.Count] {
			scales[i] = float32(math.Exp(float64(most)-float64(s.shifts[i])) / s.sums[i])
		}
		slopes := x.units[s.number][tile][:0]
		for row := range count {
			exponentials := of.Row(row)[:len(skipped)]
			for i, scale := range scales {
				probability := exponentials[i] * scale
				sum := skipped[i] + probability
				if sum < x.minProbability {
					skipped[i] = sum
					continue
				}
				if probability < x.minProbability {
					skipped[i], probability = sum-x.minProbability, x.minProbability
				}
				slopes = append(slopes, slope{int32(start + row), int32(i), probability * s.weights[i]})
			}
		}
		x.units[s.number][tile] = slopes
		for _, of := range slopes {
			query := int(of.query)
			s.measure.AddGradQuery(scratch.kernels, s.QueryRows(s.ByQuery, query),
				s.QueryRows(s.Rows, query), PaddedRow(e.Table, int(of.row)), of.value)
		}
	}
}

func (x *sparse) collect(k *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient,
	_ kernel.Table, add bool) {
	start, _, rows := e.Tile(tile)
	if !add {
		clear(gradient.Data[:rows*gradient.Stride])
	}
	for i, s := range units {
		for _, of := range x.units[i][tile] {
			row := int(of.row)
			s.measure.AddGradRow(k, PaddedRow(gradient, row-start), s.QueryRows(s.Rows, int(of.query)),
				PaddedRow(e.Table, row), of.value)
		}
	}
}

// eachRow calls visit with the row of each slope of a tile, for the first units.
func (x *sparse) eachRow(units, tile int, visit func(row int)) {
	for _, tiles := range x.units[:units] {
		for _, of := range tiles[tile] {
			visit(int(of.row))
		}
	}
}
