package plot

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in points.
const (
	leaderWidth   = 12
	leaderGap     = 3
	widestName    = 110
	levelStroke   = 0.9
	nameSeparator = 1.15 // relative to the size of the font
)

var levelDashes = []vg.Length{5, 3}

// levels is a plotter of dashed horizontal lines with names to the right of the area.
type levels struct {
	all []Level // lowest first
}

// newLevels returns the levels that can be drawn.
func newLevels(all []Level) levels {
	var kept []Level
	for _, level := range all {
		if isDrawable(level.Y) {
			level.Name = smallText.fit(level.Name, widestName)
			kept = append(kept, level)
		}
	}
	slices.SortStableFunc(kept, func(a, b Level) int { return cmp.Compare(a.Y, b.Y) })
	return levels{kept}
}

// GlyphBoxes reserves the space of the names.
func (l levels) GlyphBoxes(*plot.Plot) (boxes []plot.GlyphBox) {
	for _, level := range l.all {
		if level.Name != "" {
			width := leaderWidth + leaderGap + smallText.width(level.Name)
			box := vg.Rectangle{Max: vg.Point{X: width}}
			boxes = append(boxes, plot.GlyphBox{X: 1, Y: 0.5, Rectangle: box})
		}
	}
	return boxes
}

// Plot draws the lines and joins each to its name, because names of close levels move apart.
func (l levels) Plot(c draw.Canvas, p *plot.Plot) {
	_, toY := p.Transforms(&c)
	lines := make([]vg.Length, len(l.all))
	for n, level := range l.all {
		lines[n] = toY(level.Y)
	}
	names := spread(lines, nameSeparator*smallText.size, c.Min.Y, c.Max.Y)
	dashed := draw.LineStyle{Color: grey, Width: levelStroke, Dashes: levelDashes}
	leader := draw.LineStyle{Color: grey, Width: axisStroke}
	for n, level := range l.all {
		c.StrokeLine2(dashed, c.Min.X, lines[n], c.Max.X, lines[n])
		if level.Name == "" {
			continue
		}
		x := c.Max.X + leaderWidth
		c.StrokeLine2(leader, c.Max.X, lines[n], x, names[n])
		smallText.draw(c, vg.Point{X: x + leaderGap, Y: names[n]}, draw.XLeft, level.Name)
	}
}

// spread moves ascending places as little as possible, so that neighbors are at least gap apart,
// and all between lowest and highest if there is room.
func spread(places []vg.Length, gap, lowest, highest vg.Length) []vg.Length {
	moved := slices.Clone(places)
	for n := range moved {
		if n > 0 {
			lowest = moved[n-1] + gap
		}
		moved[n] = max(moved[n], lowest)
	}
	for n := len(moved) - 1; n >= 0; n-- {
		if n < len(moved)-1 {
			highest = moved[n+1] - gap
		}
		moved[n] = min(moved[n], highest)
	}
	return moved
}
