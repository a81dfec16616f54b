package plot

import (
	"bytes"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// examples are the models designed by people, and random structures, sparse and
// dense, of every K.
func examples() []Titled {
	var all []Titled
	for _, model := range structure.Baselines() {
		all = append(all, Titled{model.Title, model.Structure})
	}
	random := rand.New(rand.NewPCG(7, 11))
	for k := 1; k <= structure.MaxK; k++ {
		for _, filled := range []float64{0.3, 1} {
			s := structure.Zero(k)
			for i := range k {
				for j := range k {
					if random.Float64() < filled {
						s = s.With(i, j, random.IntN(2*k+1)-k)
					}
				}
			}
			all = append(all, Titled{fmt.Sprintf("random, K = %d", k), s})
		}
	}
	return all
}

func readPNG(t *testing.T, p Picture) image.Image {
	t.Helper()
	file, err := p.PNG()
	if err != nil {
		t.Fatal(err)
	}
	picture, err := png.Decode(bytes.NewReader(file))
	if err != nil {
		t.Fatal(err)
	}
	return picture
}

// colorVector is a mean color as its distance from white.
type colorVector [3]float64

func (v colorVector) length() float64 { return math.Sqrt(v[0]*v[0] + v[1]*v[1] + v[2]*v[2]) }

func (v colorVector) cosine(w colorVector) float64 {
	return (v[0]*w[0] + v[1]*w[1] + v[2]*w[2]) / (v.length() * w.length())
}

func fromWhite(c color.Color) colorVector {
	r, g, b, _ := c.RGBA()
	return colorVector{255 - float64(r)/257, 255 - float64(g)/257, 255 - float64(b)/257}
}

// cellMean is the mean color of the lower third of a cell, inside its border
// and below its label.
func cellMean(picture image.Image, k, i, j int) colorVector {
	const cell = cellSide * dotsPerInch / 72.0
	height := float64(picture.Bounds().Dy())
	gridLeft := (float64(picture.Bounds().Dx()) - float64(k)*cell) / 2
	gridTop := height - margin*dotsPerInch/72.0 - float64(k)*cell
	var sum colorVector
	count := 0.0
	for y := gridTop + (float64(i)+0.72)*cell; y < gridTop+(float64(i)+0.86)*cell; y++ {
		for x := gridLeft + (float64(j)+0.16)*cell; x < gridLeft+(float64(j)+0.84)*cell; x++ {
			pixel := fromWhite(picture.At(int(x), int(y)))
			for channel := range sum {
				sum[channel] += pixel[channel]
			}
			count++
		}
	}
	for channel := range sum {
		sum[channel] /= count
	}
	return sum
}

func TestPixelsOfStructureShowItsCells(t *testing.T) {
	for _, example := range examples() {
		t.Run(example.Title+" "+strconv.Itoa(example.Structure.Nonzeros()), func(t *testing.T) {
			s := example.Structure
			k := s.K()
			picture := readPNG(t, Structure(s, ""))
			for i := range k {
				for j := range k {
					found := cellMean(picture, k, i, j)
					value := s.At(i, j)
					if value == 0 {
						if found.length() > 0 {
							t.Errorf("cell (%d, %d) is zero and not white: %v from white", i, j, found)
						}
						continue
					}
					nearest := 1
					for chunk := range structure.MaxK {
						if found.cosine(fromWhite(chunkColors[chunk])) > found.cosine(
							fromWhite(chunkColors[nearest-1])) {
							nearest = chunk + 1
						}
					}
					if nearest != max(value, -value) {
						t.Errorf("cell (%d, %d) is %d and has the color of chunk %d", i, j, value, nearest)
					}
					// A full fill against a hatch on a tenth of the color.
					strength := found.length() / fromWhite(chunkColors[nearest-1]).length()
					if positive := strength > 0.45; positive != (value > 0) {
						t.Errorf("cell (%d, %d) is %d and has %.2f of the color", i, j, value, strength)
					}
				}
			}
		})
	}
}

// The labels and dashes of the SVG give the structure back.
func TestLabelsOfStructureShowItsCells(t *testing.T) {
	for _, example := range examples() {
		s := example.Structure
		k := s.K()
		drawing := readSVG(t, Structure(s, example.Title))
		checkNothingCutOff(t, drawing)

		var values []int
		heads, tails := make([]float64, k), make([]float64, k)
		for n, text := range drawing.texts[:len(drawing.texts)-1] {
			index, err := strconv.Atoi(drawing.texts[n+1].content)
			if err != nil {
				continue
			}
			switch text.content {
			case "h":
				heads[index-1] = text.y
			case "t":
				tails[index-1] = text.x
			}
		}
		read := structure.Zero(k)
		for n, text := range drawing.texts {
			if !strings.HasSuffix(text.content, "r") || len(text.content) > len("−r") {
				continue
			}
			value, err := strconv.Atoi(drawing.texts[n+1].content)
			if err != nil {
				t.Fatalf("%s: the label %q is followed by %q", s, text.content, drawing.texts[n+1].content)
			}
			if text.content == "−r" {
				value = -value
			}
			values = append(values, value)
			read = read.With(nearest(heads, text.y), nearest(tails, text.x), value)
		}
		if read != s {
			t.Errorf("the labels say %s; drawn was %s", read, s)
		}
		negative := 0
		for _, value := range values {
			if value < 0 {
				negative++
			}
		}
		if dashed := len(drawing.dashed()); dashed != negative {
			t.Errorf("%s: %d dashed borders for %d negative cells", s, dashed, negative)
		}
		if !slices.Contains(drawing.contents(), example.Title) {
			t.Errorf("%s: the title %q is missing in %q", s, example.Title, drawing.contents())
		}
	}
}

func nearest(places []float64, wanted float64) int {
	best := 0
	for n, place := range places {
		if math.Abs(place-wanted) < math.Abs(places[best]-wanted) {
			best = n
		}
	}
	return best
}

func TestStructuresStandBesideEachOther(t *testing.T) {
	all := examples()
	for n := 1; n <= len(all); n++ {
		drawing := readSVG(t, Structures(all[:n]))
		checkNothingCutOff(t, drawing)
		if drawing.width > pageWidth+2*margin {
			t.Errorf("%d structures are %v points wide", n, drawing.width)
		}
		for _, each := range all[:n] {
			if !slices.Contains(drawing.contents(), each.Title) {
				t.Errorf("%d structures: the title %q is missing", n, each.Title)
			}
		}
		seen := make(map[[2]float64]string)
		for _, text := range drawing.texts {
			at := [2]float64{text.x, text.y}
			if other, taken := seen[at]; taken {
				t.Errorf("%d structures: %q and %q are in the same place", n, text.content, other)
			}
			seen[at] = text.content
		}
	}
}

func TestLongTitlesWrapAndEnd(t *testing.T) {
	s := structure.MustParse("complex")
	drawing := readSVG(t, Structure(s, "Found after three hundred structures on the umls graph"))
	checkNothingCutOff(t, drawing)
	if got := drawing.texts[0].content; !strings.HasPrefix(got, "Found after") ||
		drawing.texts[1].content == "" {
		t.Errorf("first line of the title is %q", got)
	}
	for _, title := range []string{strings.Repeat("word ", 100_000), strings.Repeat("x", 100_000)} {
		drawing := readSVG(t, Structure(s, title))
		checkNothingCutOff(t, drawing)
		if joined := strings.Join(drawing.contents(), " "); !strings.Contains(joined, "…") {
			t.Errorf("a cut title shows no ellipsis: %q", joined)
		}
	}
}

// A title comes from files that people wrote; none may break the document.
func TestAnyTitleGivesXML(t *testing.T) {
	for _, title := range []string{
		"a < b & \"c\" 'd' ]]>", "\x00\x01\x1b[31m", "\xff\xfe", "two\nlines", "\ufffe\uffff",
		"العربية 漢字",
	} {
		drawing := readSVG(t, Structure(structure.MustParse("distmult"), title))
		checkNothingCutOff(t, drawing)
	}
}
