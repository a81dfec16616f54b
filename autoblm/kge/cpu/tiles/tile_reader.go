package tiles

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/internal/mapped"
)

// LargeTable is the number of numbers from which a table is too large for copies: 1 GiB. Tests
// change it.
var LargeTable = 1 << 28

// IsLarge reports whether the embeddings are in a file or too large for copies.
func (e Embeddings) IsLarge() bool { return len(e.Data) >= LargeTable || mapped.Contains(e.Data) }

// NewView returns embeddings that share memory with dense rows. Their tiles need a [TileReader].
func NewView(dense []float32, columns int) Embeddings {
	table := kernel.Table{Data: dense, Stride: columns}
	return Embeddings{Table: table, Count: len(dense) / columns}
}

// TileReader is a thread's memory for tiles of embeddings without padding or rounded rows.
type TileReader struct {
	rows    kernel.Table
	bands   kernel.Tiles
	rounded Rounded
}

// releasedTiles is the number of tiles whose memory is released together: about 4 MB.
const releasedTiles = 64

// Read returns a tile with padding and, if bfloat16 is enabled, with rounded rows. The next call may
// overwrite it. If the embeddings are in a file, it releases the memory of earlier tiles, so tiles
// are read in order.
func (r *TileReader) Read(e Embeddings, tile int) Embeddings {
	start, count, rows := e.Tile(tile)
	if tile > 0 && tile%releasedTiles == 0 {
		e.Release(start-releasedTiles*Rows, start)
	}
	read := Embeddings{Count: count}
	if e.Stride%kernel.Columns == 0 && (start+rows)*e.Stride <= len(e.Data) {
		read.Table = e.From(start)
	} else {
		read.Table = r.pad(e, start, count)
	}
	switch from := e.Rounded; {
	case from == nil:
	case from.bands.Data != nil:
		r.rounded = Rounded{Kernels: from.Kernels, bands: from.tile(tile)}
		read.Rounded = &r.rounded
	default:
		r.round(from, read)
		read.Rounded = &r.rounded
	}
	return read
}

// pad copies rows into a padded table.
func (r *TileReader) pad(e Embeddings, start, count int) kernel.Table {
	if r.rows.Data == nil {
		r.rows = NewTable(Rows, e.Stride)
	}
	for i := range count {
		copy(PaddedRow(r.rows, i), PaddedRow(e.Table, start+i))
	}
	clear(r.rows.Row(count))
	return r.rows
}

// round rounds the rows of a tile.
func (r *TileReader) round(of *Rounded, rows Embeddings) {
	if r.bands.Data == nil {
		r.bands = kernel.NewTiles(tileBands, steps(rows.Stride))
	}
	r.rounded = Rounded{Kernels: of.Kernels, bands: r.bands}
	of.Kernels.Round(r.bands, rows.Table, rows.Count, rows.Stride, of.ones)
}
