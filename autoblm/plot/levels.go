package plot

import (
	"cmp"
	"slices"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in points.
const (
	leaderWidth   = 12
	leaderGap     = 3
	widestName    = 110
	levelStroke   = 0.9
	nameSeparator = 1.15 // of the line height
)

var levelDashes = []vg.Length{5, 3}

// drawableLevels are the levels that can be drawn, lowest first, with names
// that fit beside the chart.
func drawableLevels(levels []Level) []Level {
	var kept []Level
	for _, level := range levels {
		if shown(level.Y) {
			level.Name = smallText.fit(level.Name, widestName)
			kept = append(kept, level)
		}
	}
	slices.SortStableFunc(kept, func(a, b Level) int { return cmp.Compare(a.Y, b.Y) })
	return kept
}

// levelSpace is the width that the names take to the right of the chart.
func levelSpace(levels []Level) vg.Length {
	var widest vg.Length
	for _, level := range levels {
		if level.Name != "" {
			widest = max(widest, leaderWidth+leaderGap+smallText.width(level.Name))
		}
	}
	return widest
}

// drawLevels draws the levels, lowest first, and joins each to its name by a
// short line, because names of close levels must move apart.
func drawLevels(c vg.Canvas, area vg.Rectangle, levels []Level, toPaper func(float64) vg.Length) {
	lines := make([]vg.Length, len(levels))
	for n, level := range levels {
		lines[n] = toPaper(level.Y)
	}
	names := spread(lines, nameSeparator*smallText.size, area.Min.Y, area.Max.Y)
	for n, level := range levels {
		end := vg.Point{X: area.Max.X, Y: lines[n]}
		c.SetColor(grey)
		c.SetLineWidth(levelStroke)
		c.SetLineDash(levelDashes, 0)
		strokeLine(c, vg.Point{X: area.Min.X, Y: lines[n]}, end)
		c.SetLineDash(nil, 0)
		if level.Name == "" {
			continue
		}
		name := vg.Point{X: area.Max.X + leaderWidth, Y: names[n]}
		c.SetColor(grey)
		c.SetLineWidth(0.5)
		strokeLine(c, end, name)
		smallText.draw(c, name.Add(vg.Point{X: leaderGap}), draw.XLeft, level.Name)
	}
}

// spread moves ascending places as little as needed so that neighbours are at
// least gap apart, and all between lowest and highest where there is room.
func spread(places []vg.Length, gap, lowest, highest vg.Length) []vg.Length {
	moved := slices.Clone(places)
	for n := range moved {
		if n == 0 {
			moved[n] = max(moved[n], lowest)
		} else {
			moved[n] = max(moved[n], moved[n-1]+gap)
		}
	}
	for n := len(moved) - 1; n >= 0; n-- {
		if n == len(moved)-1 {
			moved[n] = min(moved[n], highest)
		} else {
			moved[n] = min(moved[n], moved[n+1]-gap)
		}
	}
	return moved
}
