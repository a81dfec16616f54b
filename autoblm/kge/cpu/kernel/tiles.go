package kernel

import (
	"math"
	"unsafe"
)

const (
	// Band is how many rows of a left factor, or columns of a right one, are a band.
	Band = 16
	// TileInner is how many numbers along the inner dimension of a product are a tile.
	TileInner = 32
	tileSize  = Band * TileInner
)

// Tiles is a factor of a product as bfloat16 numbers: bands of tiles along the inner dimension.
// Of a left factor a tile is 16 rows of 32 numbers. Of a right one it is 16 rows of 16 pairs: row
// p has of each column the numbers 2p and 2p+1.
type Tiles struct {
	Data []uint16
	// Stride is how many tiles a band has.
	Stride int
}

// NewTiles is so many bands of so many tiles, of zeros, where a tile is 16 lines of the cache.
func NewTiles(bands, steps int) Tiles {
	const line = 64 / 2
	data := make([]uint16, bands*steps*tileSize+line)
	begin := 0
	if past := int(uintptr(unsafe.Pointer(&data[0]))/2) % line; past > 0 {
		begin = line - past
	}
	return Tiles{data[begin:][:bands*steps*tileSize], steps}
}

// From is the tiles without the first bands, and without the first tiles of each band.
func (t Tiles) From(band, step int) Tiles {
	return Tiles{t.Data[(band*t.Stride+step)*tileSize:], t.Stride}
}

// ClearRow sets the first tiles of a row to 0.
func (t Tiles) ClearRow(row, steps int) {
	for step := range steps {
		clear(t.at(row/Band, step)[row%Band*TileInner:][:TileInner])
	}
}

// ClearSteps sets the tiles at a place of the first bands to 0.
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

// Number is the number in a row and column of a left factor.
func (t Tiles) Number(row, column int) float32 {
	return widened(t.at(row/Band, column/TileInner)[row%Band*TileInner+column%TileInner])
}

// SetNumber rounds a number to a place of a left factor.
func (t Tiles) SetNumber(row, column int, x float32) {
	t.at(row/Band, column/TileInner)[row%Band*TileInner+column%TileInner] = rounded(x)
}

// widened is a bfloat16 number as float32.
func widened(x uint16) float32 { return math.Float32frombits(uint32(x) << 16) }

// rounded is the nearest bfloat16 number, the even one of two, and 0 for what is no normal
// number, as the processor has it.
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
