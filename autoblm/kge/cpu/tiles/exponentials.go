package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// exponentials stores exponentials in float32. Those of a tile are relative to the maxima up to
// that tile.
type exponentials struct{ units [][]tileExponentials }

// tileExponentials holds exp(score - maxima) of a tile, [rows of the tile, queries].
type tileExponentials struct {
	kernel.Table
	maxima []float32
}

func newExponentials(e Embeddings, units int) *exponentials {
	x := &exponentials{make([][]tileExponentials, units)}
	for unit := range x.units {
		x.units[unit] = newTileExponentials(e)
	}
	return x
}

// newTileExponentials allocates the exponentials of a unit.
func newTileExponentials(e Embeddings) (all []tileExponentials) {
	most := e.MaxQueries()
	for i := range e.Tiles() {
		_, count, rows := e.Tile(i)
		if e.Rounded != nil {
			rows = kernel.Pad(count, 2*kernel.Band)
		}
		table := kernel.Table{Data: make([]float32, rows*most), Stride: most}
		all = append(all, tileExponentials{table, make([]float32, most)})
	}
	return all
}

func (x *exponentials) forward(k *kernel.Set, s *Softmax, e Embeddings, _ *Scratch) {
	s.Transpose()
	for tile := range x.units[s.number] {
		x.forwardTile(k, s, e, tile)
	}
}

// forwardTile adds a tile to the sums and to the gradient of the queries.
func (x *exponentials) forwardTile(k *kernel.Set, s *Softmax, e Embeddings, tile int) {
	start, count, rows := e.Tile(tile)
	kept := x.units[s.number][tile]
	of := e.From(start)
	s.Scores(k, kept.Table, of, rows)
	s.exponentiate(k, kept, count, rows, func(query int, higher float32) {
		if tile > 0 {
			s.rescale(k, query, higher)
		}
	})
	s.measure.GradQuery(k, &s.Queries, s.ByQuery, kept.Table, of, rows, tile > 0)
}

// exponentiate replaces the scores of a tile by exponentials relative to the maxima so far and
// adds them to the sums. It calls rescale when a maximum rises. count of the rows are not
// padding.
func (s *Softmax) exponentiate(k *kernel.Set, of tileExponentials, count, rows int,
	rescale func(query int, higher float32)) {
	for row := count; row < rows; row++ { // padding is not a candidate
		for i := range s.PaddedCount {
			of.Data[row*of.Stride+i] = float32(math.Inf(-1))
		}
	}
	copy(of.maxima, s.shifts)
	k.ColumnMax(of.Table, rows, s.PaddedCount, of.maxima)
	for i, higher := range of.maxima[:s.PaddedCount] {
		if higher > s.shifts[i] {
			rescale(i, higher)
		}
	}
	copy(s.shifts, of.maxima)
	clear(s.tileSums)
	k.ExpSum(of.Table, rows, s.PaddedCount, of.maxima, s.tileSums)
	s.add()
}

func (*exponentials) finish(*Softmax, Embeddings, *Scratch) {}

func (x *exponentials) collect(k *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient,
	scratch kernel.Table, add bool) {
	start, _, rows := e.Tile(tile)
	for i, s := range units {
		kept := x.units[i][tile]
		factors := kept.maxima[:s.PaddedCount]
		for i, most := range factors {
			factor := s.weights[i] // 0 for padding
			if factor != 0 {
				factor *= float32(math.Exp(float64(most)-float64(s.shifts[i])) / s.sums[i])
			}
			factors[i] = factor
		}
		s.measure.GradRows(k, &s.Queries, gradient, kept.Table, e.From(start), factors, rows, scratch,
			add || i > 0)
	}
}
