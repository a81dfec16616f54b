package plot

import (
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Curve is a chart of series over a common x axis, such as the validation MRR over the structures
// that a search trained.
type Curve struct {
	Title string
	X, Y  string // labels of the axes, with units

	Series []Series
	Levels []Level
	// Marks are places on the x axis with a dotted vertical line, such as the ends of rounds.
	Marks []float64
}

// Series holds points in the order of X.
type Series struct {
	Name   string // in the legend; an empty name is not listed
	Style  Style
	Points []Point
	// Band is shaded behind all series, such as the spread over several seeds.
	Band []Range
}

// Range reaches from Low to High at X.
type Range struct{ X, Low, High float64 }

// Style says how the points of a series are drawn.
type Style int

const (
	Line  Style = iota // straight lines between points
	Steps              // a value holds until the next point, as for the best so far
	Dots               // one dot for each point
)

// Level is a number to compare the series with, such as the MRR of a baseline. It is drawn as a
// dashed horizontal line with its name at the right.
type Level struct {
	Name string
	Y    float64
}

// Sizes in points.
const (
	curveWidth  = 340
	curveHeight = 210
	tickWidth   = 42
)

// Picture draws the chart with a legend above it. It leaves out points and levels that are not
// finite. A chart without any shows empty axes.
func (v Curve) Picture() Picture {
	h := newChart(v.Title, v.X, v.Y, curveWidth, curveHeight)
	levels := newLevels(v.Levels)
	var all plotter.XYs
	for _, s := range v.Series {
		all = append(all, xys(s.Points)...)
		for _, r := range s.Band {
			all = append(all, xys([]Point{{r.X, r.Low}, {r.X, r.High}})...)
		}
	}
	var xs, ys []float64
	for _, p := range all {
		xs, ys = append(xs, p.X), append(ys, p.Y)
	}
	for _, level := range levels.all {
		ys = append(ys, level.Y)
	}
	setRange(&h.X, xs)
	setRange(&h.Y, ys)
	low, high := h.Y.Min, h.Y.Max
	for _, x := range v.Marks {
		if x >= h.X.Min && x <= h.X.Max {
			h.Add(line([]Point{{x, low}, {x, high}}, pen{color: grey, dashes: []vg.Length{1, 2.5}}, axisStroke))
		}
	}
	h.Add(levels)
	for n, s := range v.Series {
		h.addBand(s.Band, newPen(n))
	}
	for n, s := range v.Series {
		h.addSeries(s, newPen(n))
	}
	h.X.Tick.Marker = ticker{curveWidth / tickWidth, areWhole(all)}
	h.Y.Tick.Marker = ticker{6, false}
	return h.picture()
}

func (h *chart) addSeries(s Series, p pen) {
	if s.Style == Dots || len(s.Points) == 1 { // which is no line
		d := &plotter.Scatter{XYs: xys(s.Points), GlyphStyle: draw.GlyphStyle{
			Color: p.color, Radius: dotRadius, Shape: p.dot,
		}}
		h.Add(d)
		h.addToLegend(s.Name, d)
		return
	}
	l := line(s.Points, p, seriesStroke)
	if s.Style == Steps {
		l.StepStyle = plotter.PostStep
	}
	h.Add(l)
	h.addToLegend(s.Name, l)
}

func (h *chart) addBand(band []Range, p pen) {
	var low, high []Point
	for _, r := range band {
		low, high = append(low, Point{r.X, r.Low}), append(high, Point{r.X, r.High})
	}
	slices.Reverse(low)
	if outline := xys(append(high, low...)); len(outline) > 0 {
		pale := p.color
		pale.A = 0x2A
		h.Add(&plotter.Polygon{XYs: []plotter.XYs{outline}, Color: pale})
	}
}

// pen distinguishes series: the colors repeat with other dashes and dots.
type pen struct {
	color  color.NRGBA
	dashes []vg.Length
	dot    draw.GlyphDrawer
}

func newPen(n int) pen {
	cycle := n / len(seriesColors)
	return pen{
		seriesColors[n%len(seriesColors)], seriesDashes[cycle%len(seriesDashes)],
		seriesDots[cycle%len(seriesDots)],
	}
}

var (
	seriesDashes = [][]vg.Length{nil, {4, 2}, {1.2, 1.8}, {7, 2, 1.2, 2}}
	seriesDots   = []draw.GlyphDrawer{
		draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{},
	}
)

// BestSoFar returns, for every point from the first finite one, the largest Y up to there.
func BestSoFar(points []Point) []Point {
	best := math.Inf(-1)
	var steps []Point
	for _, p := range points {
		if isDrawable(p.Y) {
			best = max(best, p.Y)
		}
		if isDrawable(best) {
			steps = append(steps, Point{p.X, best})
		}
	}
	return steps
}
