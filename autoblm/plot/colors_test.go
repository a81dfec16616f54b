package plot

import (
	"image/color"
	"math"
	"testing"
)

// sight maps linear RGB to what an eye sees: the full simulations of Machado,
// Oliveira and Fernandes (2009) of the three kinds of color-blindness.
var sight = map[string][3][3]float64{
	"normal": {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
	"protanopia": {
		{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216},
		{-0.003882, -0.048116, 1.051998},
	},
	"deuteranopia": {
		{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413},
		{-0.011820, 0.042940, 0.968881},
	},
	"tritanopia": {
		{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602},
		{0.004733, 0.691367, 0.303900},
	},
}

// linear undoes the gamma of sRGB.
func linear(channel uint8) float64 {
	v := float64(channel) / 255
	if v <= 0.04045 {
		return v / 12.92
	}
	return math.Pow((v+0.055)/1.055, 2.4)
}

// lab is a color seen by an eye, in CIE L*a*b* (D65), in which distances are
// about as people judge them.
func lab(c color.NRGBA, eye [3][3]float64) [3]float64 {
	rgb := [3]float64{linear(c.R), linear(c.G), linear(c.B)}
	var seen [3]float64
	for n, row := range eye {
		seen[n] = min(1, max(0, row[0]*rgb[0]+row[1]*rgb[1]+row[2]*rgb[2]))
	}
	curve := func(v float64) float64 {
		if v > 216.0/24389 {
			return math.Cbrt(v)
		}
		return (24389.0/27*v + 16) / 116
	}
	x := curve((0.4124*seen[0] + 0.3576*seen[1] + 0.1805*seen[2]) / 0.95047)
	y := curve(0.2126*seen[0] + 0.7152*seen[1] + 0.0722*seen[2])
	z := curve((0.0193*seen[0] + 0.1192*seen[1] + 0.9505*seen[2]) / 1.08883)
	return [3]float64{116*y - 16, 500 * (x - y), 200 * (y - z)}
}

func distance(a, b [3]float64) float64 {
	return math.Sqrt(math.Pow(a[0]-b[0], 2) + math.Pow(a[1]-b[1], 2) + math.Pow(a[2]-b[2], 2))
}

// A difference of 2.3 is just noticeable; the fills are to be told apart
// without looking twice.
func TestChunkColorsDifferForEveryEye(t *testing.T) {
	for name, eye := range sight {
		for a := range chunkColors {
			for b := range a {
				d := distance(lab(positiveFill(chunkColors[a]), eye), lab(positiveFill(chunkColors[b]), eye))
				if d < 10 {
					t.Errorf("%s: the fills of chunks %d and %d differ by %.1f only", name, b+1, a+1, d)
				}
			}
		}
	}
}

// contrast is that of WCAG 2, which asks for 4.5 between text and its background
// and for 3 between lines and theirs.
func contrast(a, b color.NRGBA) float64 {
	luminance := func(c color.NRGBA) float64 {
		return 0.2126*linear(c.R) + 0.7152*linear(c.G) + 0.0722*linear(c.B)
	}
	lighter, darker := max(luminance(a), luminance(b)), min(luminance(a), luminance(b))
	return (lighter + 0.05) / (darker + 0.05)
}

func checkContrast(t *testing.T, a, b color.NRGBA, least float64) {
	t.Helper()
	if contrast := contrast(a, b); contrast < least {
		t.Errorf("the contrast of %v and %v is %.1f", a, b, contrast)
	}
}

func TestColorsCanBeSeen(t *testing.T) {
	for _, chunk := range chunkColors {
		for _, fill := range []color.NRGBA{positiveFill(chunk), negativeFill(chunk)} {
			checkContrast(t, fill, ink, 4.5)
		}
	}
}
