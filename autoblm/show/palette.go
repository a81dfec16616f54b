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

// maxColors is the largest palette of a PNG.
const maxColors = 256

// compress returns a PNG with a palette of its most frequent colors. Other colors become the
// nearest of these, which only changes shades of edges in a drawing. It takes less than half the
// bytes, which matters because notebooks store their pictures.
func compress(file []byte) ([]byte, error) {
	drawn, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		return nil, fmt.Errorf("cannot read the picture: %w", err)
	}
	bounds := drawn.Bounds()
	counts := map[color.RGBA]int{}
	at := func(x, y int) color.RGBA {
		return color.RGBAModel.Convert(drawn.At(x, y)).(color.RGBA)
	}
	for y := bounds.Min.Y; y < bounds.Max.Y; y++ {
		for x := bounds.Min.X; x < bounds.Max.X; x++ {
			counts[at(x, y)]++
		}
	}
	frequent := slices.SortedFunc(maps.Keys(counts), func(a, b color.RGBA) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]),
			cmp.Compare(a.R, b.R), cmp.Compare(a.G, b.G), cmp.Compare(a.B, b.B), cmp.Compare(a.A, b.A))
	})
	var palette color.Palette
	for _, c := range frequent[:min(maxColors, len(frequent))] {
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
