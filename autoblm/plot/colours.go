package plot

import (
	"image/color"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// The colours of Okabe and Ito, with green and purple lighter and their black
// a dark grey, so that light fills of them differ for colour-blind people too.
var (
	vermillion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	blue       = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	yellow     = color.NRGBA{0xF0, 0xE4, 0x42, 0xFF}
	grey       = color.NRGBA{0x50, 0x50, 0x50, 0xFF}
	green      = color.NRGBA{0x00, 0xA8, 0x78, 0xFF}
	purple     = color.NRGBA{0xD9, 0x8B, 0xB8, 0xFF}
	sky        = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}
	orange     = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}

	ink   = color.NRGBA{0x1A, 0x1A, 0x1A, 0xFF}
	faint = color.NRGBA{0xD8, 0xD8, 0xD8, 0xFF}
)

// chunkColours are the colours of the relation chunks; the first four are red,
// blue, yellow and grey as in the paper's figure.
var chunkColours = [structure.MaxK]color.NRGBA{vermillion, blue, yellow, grey, green, purple, sky, orange}

// seriesColours are the colours of series in a chart, in turn; all are dark
// enough for a thin line on white.
var seriesColours = []color.NRGBA{blue, vermillion, green, orange, grey}

// positiveFill is the colour of a positive block under its label.
func positiveFill(c color.NRGBA) color.NRGBA { return tint(c, 0.6) }

// negativeFill is the colour of a negative block between the lines of its hatch.
func negativeFill(c color.NRGBA) color.NRGBA { return tint(c, 0.1) }

// tint mixes a colour with white: strength 1 is the colour, 0 is white.
func tint(c color.NRGBA, strength float64) color.NRGBA {
	mix := func(channel uint8) uint8 { return uint8(255 - strength*(255-float64(channel)) + 0.5) }
	return color.NRGBA{mix(c.R), mix(c.G), mix(c.B), c.A}
}

// shade darkens a colour: strength 1 is the colour, 0 is black.
func shade(c color.NRGBA, strength float64) color.NRGBA {
	dim := func(channel uint8) uint8 { return uint8(strength*float64(channel) + 0.5) }
	return color.NRGBA{dim(c.R), dim(c.G), dim(c.B), c.A}
}
