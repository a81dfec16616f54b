package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// RowGradients collects the gradients of looked-up rows, grouped by tile.
type RowGradients struct{ tiles [][]rowGradient }

type rowGradient struct {
	row      int32
	gradient []float32
}

// NewRowGradients returns an empty collection for the rows of embeddings.
func NewRowGradients(e Embeddings) RowGradients {
	return RowGradients{make([][]rowGradient, e.Tiles())}
}

// Reset removes all gradients.
func (g RowGradients) Reset() {
	for i := range g.tiles {
		g.tiles[i] = g.tiles[i][:0]
	}
}

// Add appends a gradient of a row. It keeps the slice, which must not change before Collect.
func (g RowGradients) Add(row int32, gradient []float32) {
	tile := &g.tiles[row/Rows]
	*tile = append(*tile, rowGradient{row, gradient})
}

// EachRow calls visit with the row of each gradient of a tile.
func (g RowGradients) EachRow(tile int, visit func(row int)) {
	for _, from := range g.tiles[tile] {
		visit(int(from.row))
	}
}

// Collect adds the collected gradients to the gradient of a tile.
func (g RowGradients) Collect(k *kernel.Set, tile int, gradient kernel.Table) {
	for _, from := range g.tiles[tile] {
		k.ScaleAdd(PaddedRow(gradient, int(from.row)-tile*Rows), from.gradient, 1)
	}
}
