package plot

import (
	"image/color"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// The colors of Okabe and Ito, with lighter green and purple, and dark grey in place of black.
// Light fills of them also differ for color-blind people.
var (
	vermillion = color.NRGBA{0xD5, 0x5E, 0x00, 0xFF}
	blue       = color.NRGBA{0x00, 0x72, 0xB2, 0xFF}
	yellow     = color.NRGBA{0xF0, 0xE4, 0x42, 0xFF}
	grey       = color.NRGBA{0x50, 0x50, 0x50, 0xFF}
	green      = color.NRGBA{0x00, 0xA8, 0x78, 0xFF}
	purple     = color.NRGBA{0xD9, 0x8B, 0xB8, 0xFF}
	sky        = color.NRGBA{0x56, 0xB4, 0xE9, 0xFF}
	orange     = color.NRGBA{0xE6, 0x9F, 0x00, 0xFF}

	ink   = color.NRGBA{0x10, 0x10, 0x10, 0xFF}
	faint = color.NRGBA{0xD8, 0xD8, 0xD8, 0xFF}
)

// chunkColors are the colors of the relation chunks; the first four are red,
// blue, yellow and grey as in the paper's figure.
var chunkColors = [structure.MaxK]color.NRGBA{
	vermillion, blue, yellow, grey, green, purple, sky, orange,
}

// seriesColors are the colors of series in a chart, in this order. All are dark enough for a
// thin line on white.
var seriesColors = []color.NRGBA{blue, vermillion, green, orange, grey}

// positiveFill returns the color of a positive block under its label.
func positiveFill(c color.NRGBA) color.NRGBA { return tint(c, 0.6) }

// negativeFill returns the color of a negative block between the lines of its hatch.
func negativeFill(c color.NRGBA) color.NRGBA { return tint(c, 0.1) }

// hatch returns the color of the lines of a negative block.
func hatch(c color.NRGBA) color.NRGBA { return tint(c, 0.5) }

// blockEdge returns the color of the border of a block.
func blockEdge(c color.NRGBA) color.NRGBA { return mix(c, color.NRGBA{A: 0xFF}, 0.7) }

// tint mixes a color with white: strength 1 is the color, 0 is white.
func tint(c color.NRGBA, strength float64) color.NRGBA {
	return mix(c, color.NRGBA{0xFF, 0xFF, 0xFF, 0xFF}, strength)
}

// mix mixes two colors: strength 1 is the first, 0 the second.
func mix(c, with color.NRGBA, strength float64) color.NRGBA {
	channel := func(a, b uint8) uint8 {
		return uint8(float64(b) + strength*(float64(a)-float64(b)) + 0.5)
	}
	return color.NRGBA{channel(c.R, with.R), channel(c.G, with.G), channel(c.B, with.B), c.A}
}
