package plot

import (
	"bytes"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"gonum.org/v1/plot/vg"
	"pgregory.net/rapid"
)

func searchCurve(levels ...Level) Curve {
	trials := []Point{{1, 0.5}, {2, 0.4}, {3, math.NaN()}, {4, 0.7}, {5, 0.6}}
	return Curve{
		Title: "Search",
		X:     "structures trained",
		Y:     "validation MRR",
		Series: []Series{
			{Name: "best so far", Style: Steps, Points: BestSoFar(trials)},
			{Name: "one structure", Style: Dots, Points: trials},
		},
		Levels: levels,
	}
}

func TestCurveNamesEverything(t *testing.T) {
	drawing := readSVG(t, searchCurve(Level{"ComplEx", 0.55}, Level{"DistMult", 0.45}).Picture())
	checkNothingCutOff(t, drawing)
	for _, wanted := range []string{
		"Search", "structures trained", "validation MRR", "best so far", "one structure", "ComplEx",
		"DistMult", "0.6", "3",
	} {
		if !slices.Contains(drawing.contents(), wanted) {
			t.Errorf("%q is missing in %q", wanted, drawing.contents())
		}
	}
	if dashed := len(drawing.dashed()); dashed != 2 {
		t.Errorf("%d dashed lines for 2 levels", dashed)
	}
	// Four trials that did not diverge, and the sample in the legend.
	circles := 0
	for _, path := range drawing.paths {
		if strings.Contains(path.data, "A") {
			circles++
		}
	}
	if circles != 5 {
		t.Errorf("%d dots, wanted 5", circles)
	}
}

// TestSeriesDiffer checks that dashes and dots distinguish more series than there are colors.
func TestSeriesDiffer(t *testing.T) {
	lines, dots := map[string]bool{}, map[string]bool{}
	for n := range 4 * len(seriesColors) {
		p := newPen(n)
		lines[fmt.Sprint(p.color, p.dashes)] = true
		dots[fmt.Sprintf("%v %T", p.color, p.dot)] = true
	}
	if want := 4 * len(seriesColors); len(lines) != want || len(dots) != want {
		t.Errorf("%d lines and %d dots for %d series", len(lines), len(dots), want)
	}
}

// TestBand checks that a band adds a path and extends the axis.
func TestBand(t *testing.T) {
	line := Series{Name: "mean", Points: []Point{{1, 0.5}, {2, 0.6}}}
	plain := readSVG(t, Curve{Series: []Series{line}}.Picture())
	line.Band = []Range{{1, 0.4, 0.9}, {math.NaN(), 0, 1}, {2, 0.5, 0.95}}
	picture := Curve{Series: []Series{line}}.Picture()
	checkNothingCutOff(t, readSVG(t, picture))
	banded := readSVG(t, picture)
	for _, path := range banded.paths[:len(banded.paths)-1] {
		if corners := strings.Count(path.data, "L") + strings.Count(path.data, "M"); corners == 4 {
			if !slices.Contains(banded.contents(), "0.8") || slices.Contains(plain.contents(), "0.8") {
				t.Errorf("the axis has the marks %q, and %q without the band", banded.contents(),
					plain.contents())
			}
			return
		}
	}
	t.Error("there is no band with four corners")
}

func TestHigherIsHigherUp(t *testing.T) {
	drawing := readSVG(t, searchCurve(Level{"low", 0.45}, Level{"high", 0.65}).Picture())
	places := make(map[string]float64)
	for _, text := range drawing.texts {
		places[text.content] = text.y
	}
	if places["high"] >= places["low"] {
		t.Errorf("from the top, high is at %v and low at %v", places["high"], places["low"])
	}
}

func TestStepsAreLevelOrUpright(t *testing.T) {
	picture := Curve{
		Series: []Series{{Style: Steps, Points: []Point{{0, 1}, {1, 3}, {2, 2}}}},
	}.Picture()
	drawing := readSVG(t, picture)
	path := drawing.paths[len(drawing.paths)-1].data
	corners := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune("ML", r) })
	if len(corners) != 5 {
		t.Fatalf("three points give the steps %q", path)
	}
	for n := range corners[1:] {
		xBefore, yBefore, _ := strings.Cut(corners[n], ",")
		x, y, _ := strings.Cut(corners[n+1], ",")
		if level := y == yBefore; level != (n%2 == 0) || (x == xBefore) == level {
			t.Errorf("piece %d of the steps goes from %s to %s", n, corners[n], corners[n+1])
		}
	}
}

func TestNamesOfCloseLevelsDoNotOverlap(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		count := rapid.IntRange(1, 15).Draw(t, "levels")
		levels := make([]Level, count)
		for n := range levels {
			levels[n] = Level{strings.Repeat("|", n+1), rapid.Float64Range(0.40, 0.75).Draw(t, "MRR")}
		}
		drawing := readSVG(t, searchCurve(levels...).Picture())
		var places []float64
		for _, text := range drawing.texts {
			if strings.HasPrefix(text.content, "|") {
				places = append(places, text.y)
			}
		}
		slices.Sort(places)
		if len(places) != count {
			t.Fatalf("%d names for %d levels", len(places), count)
		}
		for n := range places[1:] {
			if places[n+1]-places[n] < smallText.size.Points() {
				t.Errorf("names at %v overlap", places)
			}
		}
	})
}

func TestSpreadMovesNothingThatHasRoom(t *testing.T) {
	places := []vg.Length{10, 30, 50}
	if moved := spread(places, 10, 0, 60); !slices.Equal(moved, places) {
		t.Errorf("%v became %v", places, moved)
	}
}

// The names and numbers of a chart come from files and from trainings that may
// diverge in any way.
func TestAnyCurveCanBeDrawn(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.SampledFrom([]float64{
		math.NaN(), math.Inf(1), math.Inf(-1), 0, math.MaxFloat64, -math.MaxFloat64,
		math.SmallestNonzeroFloat64, 1e-300, 1,
	}))
	point := rapid.Custom(
		func(t *rapid.T) Point { return Point{number.Draw(t, "x"), number.Draw(t, "y")} })
	rapid.Check(t, func(t *rapid.T) {
		curve := Curve{
			Title: rapid.String().Draw(t, "title"), X: rapid.String().Draw(t, "x"),
			Y: rapid.String().Draw(t, "y"),
		}
		var points []Point
		for range rapid.IntRange(0, 3).Draw(t, "series") {
			points = rapid.SliceOfN(point, 0, 5).Draw(t, "points")
			curve.Series = append(curve.Series, Series{
				Name:   rapid.String().Draw(t, "name"),
				Style:  rapid.SampledFrom([]Style{Line, Steps, Dots}).Draw(t, "style"),
				Points: points,
			})
		}
		for range rapid.IntRange(0, 3).Draw(t, "levels") {
			curve.Levels = append(curve.Levels,
				Level{rapid.String().Draw(t, "name"), number.Draw(t, "level")})
		}
		scatter := Scatter{Clouds: []Cloud{{"", points}}, Identity: rapid.Bool().Draw(t, "identity")}
		for _, picture := range []Picture{curve.Picture(), scatter.Picture()} {
			for _, path := range readSVG(t, picture).paths {
				if strings.Contains(path.data, "NaN") || strings.Contains(path.data, "Inf") {
					t.Errorf("a path is %q", path.data)
				}
			}
		}
	})
}

func TestDivergedTrialsAreLeftOut(t *testing.T) {
	finite := []Point{{1, 0.5}, {4, 0.7}}
	diverged := []Point{{1, 0.5}, {2, math.NaN()}, {3, math.Inf(1)}, {4, 0.7}}
	with, err := Curve{Series: []Series{{Points: diverged}}}.Picture().SVG()
	require.NoError(t, err)
	without, err := Curve{Series: []Series{{Points: finite}}}.Picture().SVG()
	require.NoError(t, err)
	if !bytes.Equal(with, without) {
		t.Error("diverged trials change the picture")
	}
}

func TestBestSoFar(t *testing.T) {
	points := []Point{{0, math.NaN()}, {1, 0.2}, {2, math.NaN()}, {3, 0.1}, {4, 0.7}, {5, math.Inf(1)}}
	want := []Point{{1, 0.2}, {2, 0.2}, {3, 0.2}, {4, 0.7}, {5, 0.7}}
	if got := BestSoFar(points); !slices.Equal(got, want) {
		t.Errorf("%v gives %v, want %v", points, got, want)
	}
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
