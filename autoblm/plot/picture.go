package plot

import (
	"bytes"
	"errors"
	"fmt"
	"image/color"
	"image/png"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

// Picture is a finished drawing of a fixed size. Make one with [Structure],
// [Structures], [Curve.Picture] or [Scatter.Picture]. The zero value is empty
// and cannot be written.
type Picture struct {
	width, height vg.Length
	draw          func(draw.Canvas)
}

// dotsPerInch is the resolution of a PNG; sizes are the same as in an SVG.
const dotsPerInch = 150

// maxPixels keeps the memory for a PNG below 256 MiB.
const maxPixels = 1 << 26

var errEmpty = errors.New("nothing to draw: the picture is empty; add at least one structure")

// PNG returns the picture as a PNG file at 150 dots per inch. An empty picture, or one too large
// for memory, is an error.
func (p Picture) PNG() ([]byte, error) {
	if p.draw == nil {
		return nil, errEmpty
	}
	wide, high := p.width.Dots(dotsPerInch), p.height.Dots(dotsPerInch)
	if wide*high > maxPixels {
		return nil, fmt.Errorf("a PNG of %.0f×%.0f pixels is too large;"+
			" draw less in one picture, or make an SVG", wide, high)
	}
	canvas := vgimg.NewWith(vgimg.UseWH(p.width, p.height), vgimg.UseDPI(dotsPerInch),
		vgimg.UseBackgroundColor(color.White))
	p.draw(draw.New(canvas))
	var file bytes.Buffer
	if err := png.Encode(&file, canvas.Image()); err != nil {
		return nil, fmt.Errorf("encode PNG: %w", err)
	}
	return file.Bytes(), nil
}

// SVG returns the picture as an SVG document with its size in points. Text stays text, in
// Liberation Sans or another font of the same widths. An empty picture is an error.
func (p Picture) SVG() ([]byte, error) {
	if p.draw == nil {
		return nil, errEmpty
	}
	canvas := vgsvg.New(p.width, p.height)
	canvas.SetColor(color.White)
	canvas.Fill(vg.Rectangle{Max: vg.Point{X: p.width, Y: p.height}}.Path())
	p.draw(draw.New(canvas))
	var file bytes.Buffer
	if _, err := canvas.WriteTo(&file); err != nil {
		return nil, fmt.Errorf("encode SVG: %w", err)
	}
	const family = "font-family:Liberation Sans;"
	return bytes.ReplaceAll(file.Bytes(), []byte(family), []byte(fontFamilies)), nil
}

// fontFamilies names the fonts with the widths of Liberation Sans. The SVG library names only that
// font, and without it a viewer would use a serif font.
const fontFamilies = "font-family:'Liberation Sans',Arial,Helvetica,sans-serif;"
