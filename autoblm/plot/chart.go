package plot

import (
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Point is a point of a chart in the units of its axes. A point with a coordinate that is not
// finite is not drawn.
type Point struct{ X, Y float64 }

// chart is a plot with a legend above an area of a fixed size.
type chart struct {
	*plot.Plot
	area   vg.Point
	legend []plot.Legend // one for each entry
}

// Sizes in points.
const (
	legendGap    = 14
	legendRow    = 13
	sampleWidth  = 16
	chartMargin  = 10
	seriesStroke = 1.5
	axisStroke   = 0.5
	dotRadius    = 2.2
)

// newChart returns an empty chart.
func newChart(title, xLabel, yLabel string, width, height vg.Length) *chart {
	p := plot.New()
	p.BackgroundColor = nil
	p.Title.Text = strings.Join(titleText.wrap(title, width, maxTitleLines), "\n")
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = titleText.face().Font, ink
	p.Title.TextStyle.Handler = textHandler()
	p.X.Label.Text, p.Y.Label.Text = labelText.fit(xLabel, width), labelText.fit(yLabel, height)
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Label.TextStyle.Font, axis.Label.TextStyle.Color = labelText.face().Font, ink
		axis.Label.TextStyle.Handler = textHandler()
		axis.Label.Padding = 5
		axis.Tick.Label.Font, axis.Tick.Label.Color = smallText.face().Font, grey
		axis.Tick.Label.Handler = textHandler()
		axis.Tick.Length, axis.Padding = 3, 0
		axis.Color, axis.Width = grey, axisStroke
		axis.Tick.Color, axis.Tick.Width = grey, axisStroke
	}
	p.Add(grid)
	return &chart{Plot: p, area: vg.Point{X: width, Y: height}}
}

// addToLegend adds an entry, unless its name is empty.
func (h *chart) addToLegend(name string, sample plot.Thumbnailer) {
	if name = smallText.fit(name, h.area.X-sampleWidth-5); name == "" {
		return
	}
	entry := plot.NewLegend()
	entry.Top, entry.Left, entry.ThumbnailWidth = true, true, sampleWidth
	entry.TextStyle.Font, entry.TextStyle.Color = smallText.face().Font, grey
	entry.TextStyle.Handler = textHandler()
	entry.Add(" "+name, sample)
	h.legend = append(h.legend, entry)
}

// placeLegend returns the upper left corner of each entry, relative to that of the legend, and
// the height of the legend.
func (h *chart) placeLegend() (corners []vg.Point, height vg.Length) {
	var at vg.Point
	for _, entry := range h.legend {
		width := entry.Rectangle(draw.Canvas{}).Size().X
		if at.X > 0 && at.X+width > h.area.X {
			at = vg.Point{Y: at.Y - legendRow}
		}
		corners = append(corners, at)
		at.X += width + legendGap
		height = legendRow - at.Y
	}
	return corners, height
}

// picture returns the chart as a picture. gonum/plot divides a given canvas, so the size of the
// canvas follows from that of the area by iteration.
func (h *chart) picture() Picture {
	corners, legendHeight := h.placeLegend()
	if legendHeight > 0 || h.Title.Text != "" {
		h.Title.Padding = legendHeight + 8
	}
	if h.Title.Text == "" {
		h.Title.Text = " " // so that the padding counts
	}
	size := h.area
	for range 4 {
		data := h.DataCanvas(draw.Canvas{Rectangle: vg.Rectangle{Max: size}})
		size = size.Add(h.area).Sub(data.Size())
	}
	return Picture{
		width: size.X + 2*chartMargin, height: size.Y + 2*chartMargin,
		draw: func(c draw.Canvas) {
			inner := draw.Crop(c, chartMargin, -chartMargin, chartMargin, -chartMargin)
			left := h.DataCanvas(inner).Min.X
			top := inner.Max.Y - h.Title.TextStyle.Rectangle(h.Title.Text).Size().Y
			for n, entry := range h.legend {
				corner := vg.Point{X: left, Y: top}.Add(corners[n])
				entry.Draw(draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{
					Min: corner.Sub(vg.Point{Y: legendRow}), Max: corner.Add(vg.Point{X: h.area.X}),
				}})
			}
			h.Draw(inner)
		},
	}
}

// line returns a plotter of lines between points.
func line(points []Point, p pen, width vg.Length) *plotter.Line {
	style := draw.LineStyle{Color: p.color, Width: width, Dashes: p.dashes}
	return &plotter.Line{XYs: xys(points), LineStyle: style}
}

// xys returns the points that can be drawn.
func xys(points []Point) (all plotter.XYs) {
	for _, p := range points {
		if isDrawable(p.X) && isDrawable(p.Y) {
			all = append(all, plotter.XY{X: p.X, Y: p.Y})
		}
	}
	return all
}

// areWhole reports whether all points are at whole numbers of the x axis, such as epochs.
func areWhole(points plotter.XYs) bool {
	for _, p := range points {
		if p.X != math.Trunc(p.X) {
			return false
		}
	}
	return len(points) > 0
}
