package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// RowGradients sorts the gradients by looked up rows by the tile of the embedding
// that each is a copy of.
type RowGradients struct{ tiles [][]rowGradient }

type rowGradient struct {
	row      int32 // of the table
	gradient []float32
}

// NewRowGradients is for the rows of some embeddings.
func NewRowGradients(e Embeddings) RowGradients {
	return RowGradients{make([][]rowGradient, e.Tiles())}
}

// Reset forgets all gradients.
func (g RowGradients) Reset() {
	for i := range g.tiles {
		g.tiles[i] = g.tiles[i][:0]
	}
}

// Add adds the gradient by a copy of a row, which is to stay as it is until it is
// collected.
func (g RowGradients) Add(row int32, gradient []float32) {
	tile := &g.tiles[row/Rows]
	*tile = append(*tile, rowGradient{row, gradient})
}

// EachRow visits the row of each gradient of a tile.
func (g RowGradients) EachRow(tile int, visit func(row int)) {
	for _, from := range g.tiles[tile] {
		visit(int(from.row))
	}
}

// Collect adds to the gradient of a tile what its rows got.
func (g RowGradients) Collect(k *kernel.Set, tile int, gradient kernel.Table) {
	for _, from := range g.tiles[tile] {
		k.ScaleAdd(PaddedRow(gradient, int(from.row)-tile*Rows), from.gradient, 1)
	}
}
