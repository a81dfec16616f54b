package plot

import (
	"gonum.org/v1/plot/vg"
)

// Scatter is a chart of dots, such as predicted against measured MRR.
type Scatter struct {
	Title string
	X, Y  string // what the axes show, with the unit if there is one

	Clouds []Cloud

	// Identity draws the line y = x, and both axes with the same range.
	Identity bool
}

// Cloud is dots of one colour.
type Cloud struct {
	Name   string // for the legend; an empty one is not listed
	Points []Point
}

// scatterSide is the side of the square between the axes in points.
const scatterSide = 230

// Picture draws the chart, with a legend above it. Points that are not finite
// are left out; a chart without any shows empty axes.
func (s Scatter) Picture() Picture {
	var entries []legendEntry
	var clouds [][]Point
	var xs, ys []float64
	for n, cloud := range s.Clouds {
		points := onlyShown(cloud.Points)
		for _, p := range points {
			xs, ys = append(xs, p.X), append(ys, p.Y)
		}
		clouds = append(clouds, points)
		entries = append(entries, legendEntry{cloud.Name, Dots, penOf(n)})
	}
	if s.Identity {
		xs = append(xs, ys...)
		ys = xs
	}
	h := chart{
		title:  titleText.wrap(s.Title, scatterSide, maxTitleLines),
		legend: legendRows(entries, scatterSide),
		xLabel: labelText.fit(s.X, scatterSide),
		yLabel: labelText.fit(s.Y, scatterSide),
		x:      spanOf(xs),
		y:      spanOf(ys),
		area:   vg.Point{X: scatterSide, Y: scatterSide},
	}
	h.xTicks, h.yTicks = h.x.ticks(6, false), h.y.ticks(6, false)
	return h.picture(func(c vg.Canvas, area vg.Rectangle, toPaper func(Point) vg.Point) {
		if s.Identity {
			c.SetColor(grey)
			c.SetLineWidth(levelStroke)
			c.SetLineDash(levelDashes, 0)
			strokeLine(c, area.Min, area.Max)
			c.SetLineDash(nil, 0)
		}
		for n, points := range clouds {
			c.SetColor(penOf(n).colour)
			for _, p := range points {
				drawDot(c, toPaper(p))
			}
		}
	})
}
