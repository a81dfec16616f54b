package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Gathering sorts the gradients by looked up rows by the tile of the embedding
// that each is a copy of.
type Gathering struct{ tiles [][]gathered }

type gathered struct {
	row      int32 // of the table
	gradient []float32
}

// NewGathering is for the rows of some embeddings.
func NewGathering(e Embeddings) Gathering { return Gathering{make([][]gathered, e.Tiles())} }

// Reset forgets all gradients.
func (g Gathering) Reset() {
	for i := range g.tiles {
		g.tiles[i] = g.tiles[i][:0]
	}
}

// Put adds the gradient by a copy of a row, which is to stay as it is until it is
// collected.
func (g Gathering) Put(row int32, gradient []float32) {
	tile := &g.tiles[row/Rows]
	*tile = append(*tile, gathered{row, gradient})
}

// Each visits the row of each gradient of a tile.
func (g Gathering) Each(tile int, visit func(row int)) {
	for _, from := range g.tiles[tile] {
		visit(int(from.row))
	}
}

// Collect adds to the gradient of a tile what its rows got.
func (g Gathering) Collect(k *kernel.Set, tile int, gradient kernel.Table) {
	for _, from := range g.tiles[tile] {
		k.ScaleAdd(WholeRow(gradient, int(from.row)-tile*Rows), from.gradient, 1)
	}
}
