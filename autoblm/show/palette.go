package show

import (
	"bytes"
	"cmp"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"maps"
	"slices"
)

// mostColours is how many a PNG with a palette has at most.
const mostColours = 256

// smaller is a PNG in its most frequent colours, in the place of others the nearest of these.
// Of a drawing that changes shades of edges, and takes less than half the bytes: notebooks keep
// what they show.
func smaller(file []byte) ([]byte, error) {
	drawn, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("cannot read the picture: %w", err)
	}
	bounds := drawn.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA { return color.RGBAModel.Convert(drawn.At(x, y)).(color.RGBA) }
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	})
	var palette color.Palette
	for _, c := range frequent[:min(mostColours, len(frequent))] {
		palette = append(palette, c)
	}
	nearest := map[color.RGBA]uint8{}
	for c := range counts {
		nearest[c] = uint8(palette.Index(c))
	}
	small := image.NewPaletted(bounds, palette)
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			small.SetColorIndex(x, y, nearest[at(x, y)])
		}
	}
	var encoded bytes.Buffer
	err = (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&encoded, small)
	return encoded.Bytes(), err
}
