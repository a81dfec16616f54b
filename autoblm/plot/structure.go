package plot

import (
	"gonum.org/v1/plot/vg"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Titled is a structure with the title to print above it.
type Titled struct {
	Title     string
	Structure structure.Structure
}

// Structure draws a structure as in the paper's figure of R_(r): head chunks
// down, tail chunks across, one color for each relation chunk. Positive blocks
// are filled and have a solid border, negative ones are hatched and have a
// dashed border. An empty title is left out. A structure with K = 0 gives an
// empty picture.
func Structure(s structure.Structure, title string) Picture {
	return Structures([]Titled{{Title: title, Structure: s}})
}

// Structures draws structures next to each other, in as many rows as they need on a page.
// Structures with K = 0 are left out.
func Structures(all []Titled) Picture {
	var panels []panel
	var size vg.Point
	for _, each := range all {
		if each.Structure.K() > 0 {
			panels = append(panels, newPanel(each))
			needed := panels[len(panels)-1].size()
			size = vg.Point{X: max(size.X, needed.X), Y: max(size.Y, needed.Y)}
		}
	}
	if len(panels) == 0 {
		return Picture{}
	}
	rows, columns := arrange(len(panels), size.X)
	picture := Picture{
		width:  2*margin + vg.Length(columns)*size.X + vg.Length(columns-1)*panelGap,
		height: 2*margin + vg.Length(rows)*size.Y + vg.Length(rows-1)*panelGap,
	}
	picture.draw = func(c vg.Canvas) {
		for n, p := range panels {
			row, column := n/columns, n%columns
			p.draw(c, vg.Point{
				X: margin + vg.Length(column)*(size.X+panelGap) + size.X/2,
				Y: picture.height - margin - vg.Length(row)*(size.Y+panelGap) - size.Y,
			})
		}
	}
	return picture
}

// Sizes in points.
const (
	margin     = 8
	panelGap   = 12
	pageWidth  = 700
	cellSide   = 32
	headerSide = 18 // of the chunk labels at the left and on top
	titleGap   = 3

	narrowestTitle = 120
	maxTitleLines  = 3
)

// arrange puts n panels into the fewest rows that fit the page, and then as
// evenly as possible.
func arrange(n int, panelWidth vg.Length) (rows, columns int) {
	columns = max(1, int((pageWidth+panelGap)/(panelWidth+panelGap)))
	rows = (n + columns - 1) / columns
	return rows, (n + rows - 1) / rows
}

// panel is one structure with its title and the labels of its chunks.
type panel struct {
	structure structure.Structure
	title     []string
}

func newPanel(t Titled) panel {
	p := panel{structure: t.Structure}
	width := max(narrowestTitle, p.gridSide()+2*headerSide)
	p.title = titleText.wrap(t.Title, width, maxTitleLines)
	return p
}

func (p panel) gridSide() vg.Length { return vg.Length(p.structure.K()) * cellSide }

// size has the width of a header on both sides, so that the grid is centered
// under the title.
func (p panel) size() vg.Point {
	wide := p.gridSide() + 2*headerSide
	for _, line := range p.title {
		wide = max(wide, titleText.width(line))
	}
	return vg.Point{X: wide, Y: p.gridSide() + headerSide + p.titleHeight()}
}

func (p panel) titleHeight() vg.Length {
	if len(p.title) == 0 {
		return 0
	}
	return titleText.linesHeight(p.title) + titleGap
}

// draw puts the panel so that the lower edge of its grid is centered at bottom.
func (p panel) draw(c vg.Canvas, bottom vg.Point) {
	k := p.structure.K()
	grid := vg.Rectangle{
		Min: vg.Point{X: bottom.X - p.gridSide()/2, Y: bottom.Y},
		Max: vg.Point{X: bottom.X + p.gridSide()/2, Y: bottom.Y + p.gridSide()},
	}
	top := vg.Point{X: bottom.X, Y: grid.Max.Y + headerSide + p.titleHeight()}
	titleText.drawLines(c, top, p.title)
	for n := range k {
		middle := (vg.Length(n) + 0.5) * cellSide
		left := vg.Point{X: grid.Min.X - headerSide/2, Y: grid.Max.Y - middle}
		indexed{"h", n + 1}.draw(c, left)
		above := vg.Point{X: grid.Min.X + middle, Y: grid.Max.Y + headerSide/2}
		indexed{"t", n + 1}.draw(c, above)
	}
	drawGridLines(c, grid, k)
	for i := range k {
		for j := range k {
			if value := p.structure.At(i, j); value != 0 {
				drawBlock(c, cellOf(grid, i, j), value)
			}
		}
	}
}

// cellOf returns the square of head chunk i and tail chunk j, counted from 0.
func cellOf(grid vg.Rectangle, i, j int) vg.Rectangle {
	corner := vg.Point{
		X: grid.Min.X + vg.Length(j)*cellSide,
		Y: grid.Max.Y - vg.Length(i+1)*cellSide,
	}
	return vg.Rectangle{Min: corner, Max: corner.Add(vg.Point{X: cellSide, Y: cellSide})}
}

func drawGridLines(c vg.Canvas, grid vg.Rectangle, k int) {
	c.SetColor(faint)
	c.SetLineWidth(0.5)
	c.SetLineDash(nil, 0)
	for n := range k + 1 {
		offset := vg.Length(n) * cellSide
		x, y := grid.Min.X+offset, grid.Min.Y+offset
		strokeLine(c, vg.Point{X: x, Y: grid.Min.Y}, vg.Point{X: x, Y: grid.Max.Y})
		strokeLine(c, vg.Point{X: grid.Min.X, Y: y}, vg.Point{X: grid.Max.X, Y: y})
	}
}
