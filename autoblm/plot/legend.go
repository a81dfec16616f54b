package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// legendEntry names a series beside a sample of how it is drawn.
type legendEntry struct {
	name  string
	style Style
	pen   pen
}

// Sizes in points.
const (
	sampleWidth  = 16
	sampleGap    = 4
	entryGap     = 14
	seriesStroke = 1.5
)

func (e legendEntry) width() vg.Length { return sampleWidth + sampleGap + smallText.width(e.name) }

// legendRows breaks the entries that have a name into rows of at most a width.
func legendRows(entries []legendEntry, width vg.Length) [][]legendEntry {
	var rows [][]legendEntry
	var used vg.Length
	for _, entry := range entries {
		if entry.name = smallText.fit(entry.name, width-sampleWidth-sampleGap); entry.name == "" {
			continue
		}
		if len(rows) == 0 || used+entryGap+entry.width() > width {
			rows = append(rows, nil)
			used = -entryGap
		}
		rows[len(rows)-1] = append(rows[len(rows)-1], entry)
		used += entryGap + entry.width()
	}
	return rows
}

func legendHeight(rows [][]legendEntry) vg.Length {
	return vg.Length(len(rows)) * 1.2 * smallText.lineHeight()
}

// drawLegend draws the rows below each other from their upper left corner.
func drawLegend(c vg.Canvas, corner vg.Point, rows [][]legendEntry) {
	for n, row := range rows {
		at := vg.Point{X: corner.X, Y: corner.Y - (vg.Length(n)+0.5)*1.2*smallText.lineHeight()}
		for _, entry := range row {
			drawSample(c, at, entry)
			smallText.draw(c, at.Add(vg.Point{X: sampleWidth + sampleGap}), draw.XLeft, entry.name)
			at.X += entry.width() + entryGap
		}
	}
}

func drawSample(c vg.Canvas, at vg.Point, entry legendEntry) {
	c.SetColor(entry.pen.colour)
	if entry.style == Dots {
		drawDot(c, at.Add(vg.Point{X: sampleWidth / 2}))
		return
	}
	c.SetLineDash(entry.pen.dashes, 0)
	c.SetLineWidth(seriesStroke)
	strokeLine(c, at, at.Add(vg.Point{X: sampleWidth}))
}
