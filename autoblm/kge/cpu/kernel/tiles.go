package kernel

import (
	"math"
	"unsafe"
)

const (
	// Band is the number of rows of a left factor, or columns of a right factor, in a band.
	Band = 16
	// TileInner is the size of a tile along the inner dimension of a product.
	TileInner = 32
	tileSize  = Band * TileInner
)

// Tiles holds a factor of a product as bfloat16 numbers: bands of tiles along the inner
// dimension. A tile of a left factor is 16 rows of 32 numbers. A tile of a right factor is
// 16 rows of 16 pairs: row p holds the numbers 2p and 2p+1 of each column.
type Tiles struct {
	Data []uint16
	// Stride is the number of tiles in a band.
	Stride int
}

// NewTiles allocates bands of zeroed tiles, aligned to cache lines.
func NewTiles(bands, steps int) Tiles {
	const line = 64 / 2
	data := make([]uint16, bands*steps*tileSize+line)
	begin := 0
	if past := int(uintptr(unsafe.Pointer(&data[0]))/2) % line; past > 0 {
		begin = line - past
	}
	return Tiles{data[begin:][:bands*steps*tileSize], steps}
}

// From drops the bands before band, and the tiles before step in each remaining band.
func (t Tiles) From(band, step int) Tiles {
	return Tiles{t.Data[(band*t.Stride+step)*tileSize:], t.Stride}
}

// ClearRow zeroes a row of the first steps tiles.
func (t Tiles) ClearRow(row, steps int) {
	for step := range steps {
		clear(t.at(row/Band, step)[row%Band*TileInner:][:TileInner])
	}
}

// ClearSteps zeroes tile number step of the first bands.
func (t Tiles) ClearSteps(step, bands int) {
	for band := range bands {
		clear(t.at(band, step))
	}
}

func (t Tiles) at(band, step int) []uint16 {
	return t.Data[(band*t.Stride+step)*tileSize:][:tileSize]
}

func (t Tiles) bytes() int { return t.Stride * tileSize * 2 }

func (t Tiles) holds(bands, steps int) bool {
	return steps <= t.Stride && len(t.Data) >= ((bands-1)*t.Stride+steps)*tileSize
}

// Number returns the number at a row and column of a left factor.
func (t Tiles) Number(row, column int) float32 {
	return widened(t.at(row/Band, column/TileInner)[row%Band*TileInner+column%TileInner])
}

// SetNumber rounds x and stores it at a row and column of a left factor.
func (t Tiles) SetNumber(row, column int, x float32) {
	t.at(row/Band, column/TileInner)[row%Band*TileInner+column%TileInner] = rounded(x)
}

// widened converts a bfloat16 number to float32.
func widened(x uint16) float32 { return math.Float32frombits(uint32(x) << 16) }

// rounded converts x to the nearest bfloat16 number, ties to even. Like the processor, it
// flushes subnormal numbers to 0.
func rounded(x float32) uint16 {
	const exponent, quiet = 0xff << 23, 1 << 6
	bits := math.Float32bits(x)
	switch {
	case x != x:
		return uint16(bits>>16) | quiet
	case bits&exponent == 0:
		return uint16(bits>>16) & 0x8000
	}
	return uint16((bits + 0x7fff + bits>>16&1) >> 16)
}
