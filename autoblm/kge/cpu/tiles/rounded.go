package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Rounded are embeddings as factors of products in bfloat16. Their numbers are kept in
// float32 besides, which is what optimizers move.
type Rounded struct {
	Unit  *kernel.BF16Set
	bands kernel.Tiles // of rows
	ones  []float32    // a factor for each row of a tile
}

// EnableBF16 readies embeddings for products in bfloat16 from now on.
func (e *Embeddings) EnableBF16(u *kernel.BF16Set) {
	e.Rounded = &Rounded{u, kernel.NewTiles(kernel.Pad(e.Count, 2*kernel.Band)/kernel.Band, steps(e.Stride)), ones(Rows)}
	e.RoundAll()
}

// RoundAll rounds the numbers anew, where they are rounded at all.
func (e Embeddings) RoundAll() {
	for tile := range e.Tiles() {
		start, count, _ := e.Tile(tile)
		e.Round(start, count)
	}
}

// Round rounds some rows anew, from a multiple of Band on, where they are rounded at all.
func (e Embeddings) Round(start, count int) {
	if e.Rounded != nil && count > 0 {
		e.Rounded.Unit.Round(e.Rounded.bands.From(start/Band, 0), e.From(start), count, e.Stride, e.Rounded.ones)
	}
}

// Band is how many rows are rounded to one band of tiles.
const Band = kernel.Band

// tile is the bands from those of a tile on.
func (r *Rounded) tile(tile int) kernel.Tiles { return r.bands.From(tile*tileBands, 0) }

// tileBands is how many bands the rows of a tile are.
const tileBands = Rows / kernel.Band

// steps is how many tiles so many numbers along the inner dimension of a product are.
func steps(numbers int) int { return kernel.Pad(numbers, kernel.TileInner) / kernel.TileInner }

func ones(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = 1
	}
	return all
}
