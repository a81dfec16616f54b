package plot

import (
	"encoding/xml"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

func TestInlineIsTheDrawingOfTheSVGWithoutGround(t *testing.T) {
	for name, picture := range onePictureEach() {
		element, err := picture.Inline("a picture")
		if err != nil {
			t.Fatal(err)
		}
		document, err := picture.SVG()
		if err != nil {
			t.Fatal(err)
		}
		ground := `style="fill:#FFFFFF" />`
		_, drawing, _ := strings.Cut(string(document), ground)
		if !strings.HasSuffix(string(element), drawing) {
			t.Errorf("%s: drawn otherwise than in the SVG", name)
		}
		if strings.Contains(string(element), "://") {
			t.Errorf("%s: points out of the page", name)
		}
	}
	if _, err := (Picture{}).Inline("nothing"); err == nil {
		t.Error("an empty picture gave no error")
	}
}

func TestInlineSaysAnyLabel(t *testing.T) {
	picture := Structure(structure.MustParse("1,0;0,2"), "")
	rapid.Check(t, func(t *rapid.T) {
		label := rapid.String().Draw(t, "label")
		element, err := picture.Inline(label)
		if err != nil {
			t.Fatal(err)
		}
		var svg struct {
			Label string `xml:"aria-label,attr"`
		}
		if err := xml.Unmarshal(element, &svg); err != nil {
			t.Fatal(err)
		}
		if svg.Label != printable(label) {
			t.Errorf("%q became %q", label, svg.Label)
		}
	})
}

func TestMarksInsideTheAxisAreDotted(t *testing.T) {
	curve := searchCurve()
	curve.Marks = []float64{-100, 1.5, 3.5, 100}
	paths := readSVG(t, curve.Picture()).dashed()
	var places []string
	for _, path := range paths {
		from, to, _ := strings.Cut(strings.TrimPrefix(path.data, "M"), "L")
		xFrom, _, _ := strings.Cut(from, ",")
		xTo, _, _ := strings.Cut(to, ",")
		if xFrom != xTo {
			t.Errorf("the line %q is not upright", path.data)
		}
		places = append(places, xFrom)
	}
	if len(slices.Compact(places)) != 2 {
		t.Errorf("dotted lines at %v, wanted two", places)
	}
}
