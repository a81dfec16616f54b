package plot

import (
	"bytes"
	"encoding/xml"
	"errors"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	xfont "golang.org/x/image/font"
	"gonum.org/v1/plot/vg"
)

// svgDrawing is what the tests read back from an SVG.
type svgDrawing struct {
	width, height float64
	texts         []svgText
	paths         []svgPath
}

type svgText struct {
	content string
	x, y    float64 // of the left end of the baseline, from the upper left
	style   textStyle
	turned  bool // inside a group that moves or turns it
}

type svgPath struct{ data, style string }

func (d svgDrawing) contents() []string {
	var contents []string
	for _, text := range d.texts {
		contents = append(contents, text.content)
	}
	return contents
}

// dashed are the paths with a dashed stroke.
func (d svgDrawing) dashed() []svgPath {
	var dashed []svgPath
	for _, path := range d.paths {
		if strings.Contains(path.style, "stroke-dasharray") {
			dashed = append(dashed, path)
		}
	}
	return dashed
}

var fontSize = regexp.MustCompile(`font-size:([0-9.]+)px`)

// readSVG draws a picture as SVG and parses it strictly.
func readSVG(t require.TB, p Picture) svgDrawing {
	t.Helper()
	document, err := p.SVG()
	require.NoError(t, err)
	number := func(text string) float64 {
		value, err := strconv.ParseFloat(text, 64)
		if err != nil {
			t.Fatal("not a number in the SVG:", err)
		}
		return value
	}
	var drawing svgDrawing
	groups := 0
	decoder := xml.NewDecoder(bytes.NewReader(document))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return drawing
		}
		if err != nil {
			t.Fatal("not XML:", err)
		}
		switch element := token.(type) {
		case xml.EndElement:
			if element.Name.Local == "g" {
				groups--
			}
		case xml.CharData:
			if content := strings.TrimSpace(string(element)); content != "" {
				drawing.texts[len(drawing.texts)-1].content = content
			}
		case xml.StartElement:
			attributes := make(map[string]string)
			for _, attribute := range element.Attr {
				attributes[attribute.Name.Local] = attribute.Value
			}
			switch element.Name.Local {
			case "svg":
				drawing.width = number(strings.TrimSuffix(attributes["width"], "pt"))
				drawing.height = number(strings.TrimSuffix(attributes["height"], "pt"))
			case "g":
				groups++
			case "path":
				drawing.paths = append(drawing.paths, svgPath{attributes["d"], attributes["style"]})
			case "text":
				text := svgText{
					x:      number(attributes["x"]),
					y:      drawing.height + number(attributes["y"]),
					turned: groups > 1,
				}
				text.style.size = vg.Length(number(fontSize.FindStringSubmatch(attributes["style"])[1]))
				if strings.Contains(attributes["style"], "font-weight:bold") {
					text.style.weight = xfont.WeightBold
				}
				drawing.texts = append(drawing.texts, text)
			}
		}
	}
}

// checkNothingCutOff fails when a text reaches over the edge of the picture.
func checkNothingCutOff(t *testing.T, d svgDrawing) {
	t.Helper()
	for _, text := range d.texts {
		if text.turned {
			continue
		}
		right := text.x + text.style.width(text.content).Points()
		top := text.y - text.style.size.Points()
		if text.x < 0 || right > d.width || top < 0 || text.y > d.height {
			t.Errorf("%q from (%.1f, %.1f) to (%.1f, %.1f) is cut off in a picture of %.1f×%.1f",
				text.content, text.x, text.y, right, top, d.width, d.height)
		}
	}
}
