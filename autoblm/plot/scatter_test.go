package plot

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// On the identity line a dot has the same distance from both axes.
func TestIdentityGivesBothAxesOneRange(t *testing.T) {
	points := []Point{{0.2, 0.9}, {0.5, 0.5}, {0.7, 0.3}}
	drawing := readSVG(t, Scatter{
		Title:    "Predictor",
		X:        "measured",
		Y:        "predicted",
		Clouds:   []Cloud{{"SRF", points}},
		Identity: true,
	}.Picture())
	checkNothingCutOff(t, drawing)
	for _, wanted := range []string{"Predictor", "measured", "predicted", "SRF"} {
		if !slices.Contains(drawing.contents(), wanted) {
			t.Errorf("%q is missing in %q", wanted, drawing.contents())
		}
	}
	lines := drawing.dashed()
	if len(lines) != 1 {
		t.Fatalf("%d dashed lines, wanted the identity only", len(lines))
	}
	var x0, y0, x1, y1 float64
	if _, err := fmt.Sscanf(lines[0].data, "M%g,%gL%g,%g", &x0, &y0, &x1, &y1); err != nil {
		t.Fatal(err)
	}
	var circles []string
	for _, path := range drawing.paths {
		if strings.Contains(path.data, "A") {
			circles = append(circles, path.data)
		}
	}
	circles = circles[1:] // the first one is in the legend
	for n, wanted := range []func(x, y float64) bool{
		func(x, y float64) bool { return y > x },
		func(x, y float64) bool { return math.Abs(y-x) < 0.02 },
		func(x, y float64) bool { return y < x },
	} {
		var right, middle float64
		if _, err := fmt.Sscanf(circles[n], "M%g,%g", &right, &middle); err != nil {
			t.Fatal(err)
		}
		if x, y := right-dotRadius-x0, middle-y0; !wanted(x, y) {
			t.Errorf("point %v lies %.2f from the left and %.2f from below", points[n], x, y)
		}
	}
	if math.Abs((x1-x0)-(y1-y0)) > 0.02 {
		t.Errorf("the identity line %s is not at 45°", lines[0].data)
	}
}

func TestWithoutIdentityAxesFitTheirOwnNumbers(t *testing.T) {
	drawing := readSVG(t, Scatter{Clouds: []Cloud{{"", []Point{{100, 0.1}, {900, 0.9}}}}}.Picture())
	if !slices.Contains(drawing.contents(), "800") || !slices.Contains(drawing.contents(), "0.8") {
		t.Errorf("ticks are %q", drawing.contents())
	}
	if dashed := drawing.dashed(); len(dashed) > 0 {
		t.Errorf("dashed lines without levels or identity: %v", dashed)
	}
}
