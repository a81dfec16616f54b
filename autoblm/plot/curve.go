package plot

import (
	"cmp"
	"image/color"
	"math"
	"slices"

	"gonum.org/v1/plot/vg"
)

// Curve is a chart of series over a common x axis, such as the validation MRR
// over the structures trained in a search.
type Curve struct {
	Title string
	X, Y  string // what the axes show, with the unit if there is one

	Series []Series
	Levels []Level
	// Marks are places on the x axis with a dotted line upwards from each, such as
	// the ends of rounds.
	Marks []float64
	// Width of the area between the axes in points; 0 stands for 340.
	Width float64
}

// Series is points that belong together, in the order of X.
type Series struct {
	Name   string // for the legend; an empty one is not listed
	Style  Style
	Points []Point
	// Band is shaded behind all series, such as the spread over several seeds.
	Band []Range
}

// Range is from Low to High at X.
type Range struct{ X, Low, High float64 }

// Style is how the points of a series are drawn.
type Style int

const (
	Line  Style = iota // joined by straight lines
	Steps              // each holds until the next, as the best so far does
	Dots               // one dot for each
)

// Level is a number to compare the series with, such as the MRR of a model
// designed by people: a dashed line across, with its name at the right.
type Level struct {
	Name string
	Y    float64
}

// Sizes in points.
const (
	curveWidth  = 340
	curveHeight = 210
	markStroke  = 0.5
)

var markDots = []vg.Length{1, 2.5}

// Picture draws the chart, with a legend above it. Points and levels that are
// not finite, those of diverged trainings, are left out; a chart without any
// shows empty axes.
func (v Curve) Picture() Picture {
	var entries []legendEntry
	var series []Series
	var points []Point
	for n, each := range v.Series {
		each.Points = onlyShown(each.Points)
		series = append(series, each)
		points = append(points, each.Points...)
		for _, r := range each.Band {
			points = append(points, onlyShown([]Point{{r.X, r.Low}, {r.X, r.High}})...)
		}
		entries = append(entries, legendEntry{each.Name, each.Style, penOf(n)})
	}
	var xs, ys []float64
	for _, p := range points {
		xs, ys = append(xs, p.X), append(ys, p.Y)
	}
	levels := drawableLevels(v.Levels)
	for _, level := range levels {
		ys = append(ys, level.Y)
	}
	width := vg.Length(cmp.Or(v.Width, curveWidth))
	h := chart{
		title:      titleText.wrap(v.Title, width, maxTitleLines),
		legend:     legendRows(entries, width),
		xLabel:     labelText.fit(v.X, width),
		yLabel:     labelText.fit(v.Y, curveHeight),
		x:          spanOf(xs),
		y:          spanOf(ys),
		area:       vg.Point{X: width, Y: curveHeight},
		rightSpace: levelSpace(levels),
	}
	h.xTicks = h.x.ticks(int(width/42), len(points) > 0 && allWhole(points))
	h.yTicks = h.y.ticks(6, false)
	return h.picture(func(c vg.Canvas, area vg.Rectangle, toPaper func(Point) vg.Point) {
		drawMarks(c, area, v.Marks, h.x)
		drawLevels(c, area, levels, func(y float64) vg.Length { return toPaper(Point{X: h.x.min, Y: y}).Y })
		for n, each := range series {
			drawBand(c, each.Band, penOf(n), toPaper)
		}
		for n, each := range series {
			drawSeries(c, each, penOf(n), toPaper)
		}
	})
}

// pen is what tells one series from another: colours in turn, and other dashes each
// time they come round again.
type pen struct {
	colour color.NRGBA
	dashes []vg.Length
}

func penOf(n int) pen {
	rounds := n / len(seriesColours)
	return pen{seriesColours[n%len(seriesColours)], seriesDashes[rounds%len(seriesDashes)]}
}

var seriesDashes = [][]vg.Length{nil, {4, 2}, {1.2, 1.8}, {7, 2, 1.2, 2}}

func drawBand(c vg.Canvas, band []Range, p pen, toPaper func(Point) vg.Point) {
	var outline vg.Path
	edge := func(at Point) {
		if to := toPaper(at); len(outline) == 0 {
			outline.Move(to)
		} else {
			outline.Line(to)
		}
	}
	band = slices.DeleteFunc(slices.Clone(band), func(r Range) bool { return !shown(r.X) || !shown(r.Low) || !shown(r.High) })
	for _, r := range band {
		edge(Point{r.X, r.High})
	}
	for _, r := range slices.Backward(band) {
		edge(Point{r.X, r.Low})
	}
	if len(outline) == 0 {
		return
	}
	outline.Close()
	pale := p.colour
	pale.A = 0x2A
	c.SetColor(pale)
	c.Fill(outline)
}

// drawMarks draws a dotted line upwards from each of the places within the span.
func drawMarks(c vg.Canvas, area vg.Rectangle, marks []float64, within span) {
	c.SetColor(grey)
	c.SetLineWidth(markStroke)
	c.SetLineDash(markDots, 0)
	for _, mark := range marks {
		if part := within.part(mark); part >= 0 && part <= 1 {
			x := area.Min.X + vg.Length(part)*area.Size().X
			strokeLine(c, vg.Point{X: x, Y: area.Min.Y}, vg.Point{X: x, Y: area.Max.Y})
		}
	}
	c.SetLineDash(nil, 0)
}

func drawSeries(c vg.Canvas, s Series, p pen, toPaper func(Point) vg.Point) {
	c.SetColor(p.colour)
	var path []vg.Point
	for n, p := range s.Points {
		at := toPaper(p)
		switch {
		case s.Style == Dots:
			drawDot(c, at)
		case s.Style == Steps && n > 0:
			path = append(path, vg.Point{X: at.X, Y: path[len(path)-1].Y}, at)
		default:
			path = append(path, at)
		}
	}
	c.SetLineDash(p.dashes, 0)
	c.SetLineWidth(seriesStroke)
	strokeLine(c, path...)
}

// BestSoFar is, for every point from the first finite one on, the largest Y up
// to there: the step line of a search.
func BestSoFar(points []Point) []Point {
	best := math.Inf(-1)
	var steps []Point
	for _, p := range points {
		if shown(p.Y) {
			best = max(best, p.Y)
		}
		if shown(best) {
			steps = append(steps, Point{p.X, best})
		}
	}
	return steps
}
