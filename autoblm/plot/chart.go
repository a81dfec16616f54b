package plot

import (
	"math"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a point of a chart in the units of its axes. One with a coordinate
// that is not a finite number is not drawn.
type Point struct{ X, Y float64 }

// chart is what curves and scatter plots share: title, legend, two axes and
// the area that they span.
type chart struct {
	title      []string
	legend     [][]legendEntry
	xLabel     string
	yLabel     string
	x, y       span
	xTicks     []tick
	yTicks     []tick
	area       vg.Point  // size of the area between the axes
	rightSpace vg.Length // for what the drawing puts to the right of the area
}

// Sizes in points.
const (
	tickLength    = 3
	tickGap       = 3
	axisLabelGap  = 5
	chartTitleGap = 8
	chartMargin   = 10
)

// picture is the chart with a drawing inside its area; toPaper maps points of
// the data to the paper.
func (h chart) picture(inside func(c vg.Canvas, area vg.Rectangle, toPaper func(Point) vg.Point)) Picture {
	left := chartMargin + h.tickWidth() + tickGap + tickLength
	if h.yLabel != "" {
		left += labelText.lineHeight() + axisLabelGap
	}
	below := chartMargin + tickLength + tickGap + smallText.lineHeight()
	if h.xLabel != "" {
		below += labelText.lineHeight() + axisLabelGap
	}
	above := chartMargin + titleText.linesHeight(h.title) + legendHeight(h.legend)
	if len(h.title)+len(h.legend) > 0 {
		above += chartTitleGap
	}
	area := vg.Rectangle{Min: vg.Point{X: left, Y: below}, Max: vg.Point{X: left, Y: below}.Add(h.area)}
	picture := Picture{
		width:  area.Max.X + chartMargin + h.rightSpace,
		height: area.Max.Y + above,
	}
	toPaper := func(p Point) vg.Point {
		return vg.Point{
			X: area.Min.X + vg.Length(h.x.part(p.X))*h.area.X,
			Y: area.Min.Y + vg.Length(h.y.part(p.Y))*h.area.Y,
		}
	}
	picture.draw = func(c vg.Canvas) {
		top := picture.height - chartMargin
		titleText.drawLines(c, vg.Point{X: centre(area).X, Y: top}, h.title)
		drawLegend(c, vg.Point{X: area.Min.X, Y: top - titleText.linesHeight(h.title)}, h.legend)
		h.drawAxes(c, area, toPaper)
		inside(c, area, toPaper)
	}
	return picture
}

func (h chart) tickWidth() vg.Length {
	var widest vg.Length
	for _, mark := range h.yTicks {
		widest = max(widest, smallText.width(mark.label))
	}
	return widest
}

// drawAxes draws the grid, the frame, the marks and the labels of the axes.
func (h chart) drawAxes(c vg.Canvas, area vg.Rectangle, toPaper func(Point) vg.Point) {
	c.SetLineDash(nil, 0)
	c.SetLineWidth(0.5)
	for _, mark := range h.xTicks {
		x := toPaper(Point{X: mark.value, Y: h.y.min}).X
		c.SetColor(faint)
		strokeLine(c, vg.Point{X: x, Y: area.Min.Y}, vg.Point{X: x, Y: area.Max.Y})
		c.SetColor(grey)
		strokeLine(c, vg.Point{X: x, Y: area.Min.Y - tickLength}, vg.Point{X: x, Y: area.Min.Y})
		smallText.draw(c, vg.Point{X: x, Y: area.Min.Y - tickLength - tickGap - smallText.lineHeight()/2}, draw.XCenter, mark.label)
	}
	for _, mark := range h.yTicks {
		y := toPaper(Point{X: h.x.min, Y: mark.value}).Y
		c.SetColor(faint)
		strokeLine(c, vg.Point{X: area.Min.X, Y: y}, vg.Point{X: area.Max.X, Y: y})
		c.SetColor(grey)
		strokeLine(c, vg.Point{X: area.Min.X - tickLength, Y: y}, vg.Point{X: area.Min.X, Y: y})
		smallText.draw(c, vg.Point{X: area.Min.X - tickLength - tickGap, Y: y}, draw.XRight, mark.label)
	}
	c.SetColor(grey)
	strokeLine(c, vg.Point{X: area.Min.X, Y: area.Max.Y}, area.Min, vg.Point{X: area.Max.X, Y: area.Min.Y})

	labelText.draw(c, vg.Point{X: centre(area).X, Y: chartMargin + labelText.lineHeight()/2}, draw.XCenter, h.xLabel)
	labelText.drawUpwards(c, vg.Point{X: chartMargin + labelText.lineHeight()/2, Y: centre(area).Y}, h.yLabel)
}

const dotRadius = 2.2

func drawDot(c vg.Canvas, at vg.Point) {
	var circle vg.Path
	circle.Move(at.Add(vg.Point{X: dotRadius}))
	circle.Arc(at, dotRadius, 0, 2*math.Pi)
	circle.Close()
	c.Fill(circle)
}

// onlyShown leaves out the points that cannot be drawn.
func onlyShown(points []Point) []Point {
	var kept []Point
	for _, p := range points {
		if shown(p.X) && shown(p.Y) {
			kept = append(kept, p)
		}
	}
	return kept
}

// allWhole says whether the points are at whole numbers of the x axis, such as
// epochs or trials.
func allWhole(points []Point) bool {
	for _, p := range points {
		if p.X != math.Trunc(p.X) {
			return false
		}
	}
	return true
}
