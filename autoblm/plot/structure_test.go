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
	"github.com/autoblm/autoblm-go/internal/require"
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
	require.NoError(t, err)
	picture, err := png.Decode(bytes.NewReader(file))
	require.NoError(t, err)
	return picture
}

// The labels, dashes and fills of the SVG give the structure back.
func TestStructureShowsItsCells(t *testing.T) {
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
		fills := map[string]int{} // expected minus found
		for _, value := range values {
			if value < 0 {
				negative++
				fills[styleOf(negativeFill(chunkColors[-value-1]))] += 2 // also behind the label
			} else {
				fills[styleOf(positiveFill(chunkColors[value-1]))]++
			}
		}
		for _, path := range drawing.paths[1:] {
			if strings.HasPrefix(path.style, "fill:#") {
				fills[path.style]--
			}
		}
		for fill, difference := range fills {
			if difference != 0 {
				t.Errorf("%s: %d blocks with %s are missing", s, difference, fill)
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

func styleOf(c color.NRGBA) string { return fmt.Sprintf("fill:#%02X%02X%02X", c.R, c.G, c.B) }

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
