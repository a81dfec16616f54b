package tiles

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// exponentials are kept in float32, those of a tile less the maxima so far.
type exponentials struct{ units [][]exponentialsOfTile }

// exponentialsOfTile is exp(score - maxima), [rows of the tile, queries].
type exponentialsOfTile struct {
	kernel.Table
	maxima []float32
}

func newExponentials(e Embeddings, units int) *exponentials {
	x := &exponentials{make([][]exponentialsOfTile, units)}
	for unit := range x.units {
		for i := range e.Tiles() {
			_, _, rows := e.Tile(i)
			x.units[unit] = append(x.units[unit], exponentialsOfTile{kernel.Table{Data: make([]float32, rows*MostQueries), Stride: MostQueries}, make([]float32, MostQueries)})
		}
	}
	return x
}

func (x *exponentials) walk(k *kernel.Set, s *Softmax, e Embeddings, _ *Room) {
	s.Transpose()
	for tile := range x.units[s.number] {
		x.walkTile(k, s, e, tile)
	}
}

// walkTile adds one tile to the sums and to the gradient by the queries.
func (x *exponentials) walkTile(k *kernel.Set, s *Softmax, e Embeddings, tile int) {
	start, count, rows := e.Tile(tile)
	kept := x.units[s.number][tile]
	of := e.From(start)
	s.Scores(k, kept.Table, of, rows)
	for row := count; row < rows; row++ { // padding is no candidate
		for i := range s.Count {
			kept.Data[row*kept.Stride+i] = float32(math.Inf(-1))
		}
	}
	copy(kept.maxima, s.largest)
	k.ColumnMax(kept.Table, rows, s.Count, kept.maxima)
	if tile > 0 {
		for i, higher := range kept.maxima[:s.Count] {
			if higher > s.largest[i] {
				s.rescale(k, i, higher)
			}
		}
	}
	copy(s.largest, kept.maxima)
	clear(s.tileSums)
	k.ExpSum(kept.Table, rows, s.Count, kept.maxima, s.tileSums)
	s.add()
	s.measure.GradQuery(k, &s.Queries, s.ByQuery, kept.Table, of, rows, tile > 0)
}

func (*exponentials) weighed(*Softmax, Embeddings, *Room) {}

func (x *exponentials) collect(k *kernel.Set, units []*Softmax, e Embeddings, tile int, gradient, scratch kernel.Table, add bool) {
	start, _, rows := e.Tile(tile)
	for i, s := range units {
		kept := x.units[i][tile]
		factors := kept.maxima[:s.Count]
		for i, most := range factors {
			factor := s.weights[i] // of padding it is 0
			if factor != 0 {
				factor *= float32(math.Exp(float64(most)-float64(s.largest[i])) / s.sums[i])
			}
			factors[i] = factor
		}
		s.measure.GradRows(k, &s.Queries, gradient, kept.Table, e.From(start), factors, rows, scratch, add || i > 0)
	}
}
