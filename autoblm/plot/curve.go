package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot/vg"
)

// Curve is a chart of series over a common x axis, such as the validation MRR
// over the structures trained in a search.
type Curve struct {
	Title string
	X, Y  string // what the axes show, with the unit if there is one

	Series []Series
	Levels []Level
}

// Series is points that belong together, in the order of X.
type Series struct {
	Name   string // for the legend; an empty one is not listed
	Style  Style
	Points []Point
}

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
)

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
		entries = append(entries, legendEntry{each.Name, each.Style, seriesColour(n)})
	}
	var xs, ys []float64
	for _, p := range points {
		xs, ys = append(xs, p.X), append(ys, p.Y)
	}
	levels := drawableLevels(v.Levels)
	for _, level := range levels {
		ys = append(ys, level.Y)
	}
	h := chart{
		title:      titleText.wrap(v.Title, curveWidth, maxTitleLines),
		legend:     legendRows(entries, curveWidth),
		xLabel:     labelText.fit(v.X, curveWidth),
		yLabel:     labelText.fit(v.Y, curveHeight),
		x:          spanOf(xs),
		y:          spanOf(ys),
		area:       vg.Point{X: curveWidth, Y: curveHeight},
		rightSpace: levelSpace(levels),
	}
	h.xTicks = h.x.ticks(8, len(points) > 0 && allWhole(points))
	h.yTicks = h.y.ticks(6, false)
	return h.picture(func(c vg.Canvas, area vg.Rectangle, toPaper func(Point) vg.Point) {
		drawLevels(c, area, levels, func(y float64) vg.Length { return toPaper(Point{X: h.x.min, Y: y}).Y })
		for n, each := range series {
			c.SetColor(seriesColour(n))
			drawSeries(c, each, toPaper)
		}
	})
}

func seriesColour(n int) color.Color { return seriesColours[n%len(seriesColours)] }

func drawSeries(c vg.Canvas, s Series, toPaper func(Point) vg.Point) {
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
	c.SetLineDash(nil, 0)
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
