package tiles

import "github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"

// Rounded holds embeddings as factors of bfloat16 products. Optimizers update the float32
// embeddings, which are kept next to it.
type Rounded struct {
	Kernels *kernel.BF16Set
	bands   kernel.Tiles // of rows; empty until they are needed
	ones    []float32    // a factor for each row of a tile
	isLazy  bool         // rows are rounded by Refresh only
	isStale bool
}

// BF16 returns the kernels of products in bfloat16, or nil if products are in float32.
func (e Embeddings) BF16() *kernel.BF16Set {
	if e.Rounded == nil {
		return nil
	}
	return e.Rounded.Kernels
}

// EnableBF16 switches the embeddings to bfloat16 products.
func (e *Embeddings) EnableBF16(k *kernel.BF16Set) {
	e.Rounded = &Rounded{Kernels: k, ones: ones(Rows), isStale: true}
	e.Refresh()
}

// EnableLazyBF16 works like EnableBF16 for embeddings whose steps need no rounded rows: only
// Refresh rounds them, and takes the memory. For a large table it does not: see [TileReader].
func (e *Embeddings) EnableLazyBF16(k *kernel.BF16Set) {
	e.Rounded = &Rounded{Kernels: k, ones: ones(Rows), isLazy: true, isStale: true}
}

// Refresh updates the rounded rows, if bfloat16 is enabled and they may be out of date.
func (e Embeddings) Refresh() {
	r := e.Rounded
	if r == nil || !r.isStale || r.isLazy && e.IsLarge() {
		return
	}
	if r.bands.Data == nil {
		r.bands = kernel.NewTiles(kernel.Pad(e.Count, 2*kernel.Band)/kernel.Band, steps(e.Stride))
	}
	r.isStale = false
	e.roundAll()
}

// RoundAll updates the rounded rows, if bfloat16 is enabled.
func (e Embeddings) RoundAll() {
	switch r := e.Rounded; {
	case r == nil:
	case r.isLazy:
		r.isStale = true
	default:
		e.roundAll()
	}
}

func (e Embeddings) roundAll() {
	for tile := range e.Tiles() {
		start, count, _ := e.Tile(tile)
		e.Round(start, count)
	}
}

// Round updates count rounded rows from start, a multiple of Band, if bfloat16 is enabled.
func (e Embeddings) Round(start, count int) {
	if r := e.Rounded; r != nil && count > 0 {
		r.Kernels.Round(r.bands.From(start/Band, 0), e.From(start), count, e.Stride, r.ones)
	}
}

// Band is the number of rows in a band of bfloat16 tiles.
const Band = kernel.Band

// tile returns the bands from the given tile on.
func (r *Rounded) tile(tile int) kernel.Tiles { return r.bands.From(tile*tileBands, 0) }

// tileBands is the number of bands in a tile of rows.
const tileBands = Rows / kernel.Band

// steps returns the number of bfloat16 tiles along an inner dimension.
func steps(numbers int) int { return kernel.Pad(numbers, kernel.TileInner) / kernel.TileInner }

func ones(n int) []float32 {
	all := make([]float32, n)
	for i := range all {
		all[i] = 1
	}
	return all
}
