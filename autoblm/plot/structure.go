package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

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
	picture.draw = func(c draw.Canvas) {
		tiles := draw.Tiles{Rows: rows, Cols: columns, PadX: panelGap, PadY: panelGap}
		page := draw.Crop(c, margin, -margin, margin, -margin)
		for n, p := range panels {
			p.draw(tiles.At(page, n%columns, n/columns))
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
	size := vg.Point{X: p.gridSide() + 2*headerSide, Y: p.gridSide() + headerSide}
	for _, line := range p.title {
		size.X = max(size.X, titleText.width(line))
		size.Y += titleText.lineHeight()
	}
	if len(p.title) > 0 {
		size.Y += titleGap
	}
	return size
}

// draw draws the panel at the bottom of a canvas, centered.
func (p panel) draw(c draw.Canvas) {
	k := p.structure.K()
	middle, side := c.Center().X, p.gridSide()
	grid := draw.Canvas{Canvas: c, Rectangle: vg.Rectangle{
		Min: vg.Point{X: middle - side/2, Y: c.Min.Y},
		Max: vg.Point{X: middle + side/2, Y: c.Min.Y + side},
	}}
	for n, line := range p.title {
		y := c.Min.Y + p.size().Y - (vg.Length(n)+0.5)*titleText.lineHeight()
		titleText.draw(c, vg.Point{X: middle, Y: y}, draw.XCenter, line)
	}
	tiles := draw.Tiles{Rows: k, Cols: k}
	for n := range k {
		cell := tiles.At(grid, n, n)
		head := vg.Point{X: grid.Min.X - headerSide/2, Y: cell.Center().Y}
		indexed{"h", n + 1}.draw(c, head)
		tail := vg.Point{X: cell.Center().X, Y: grid.Max.Y + headerSide/2}
		indexed{"t", n + 1}.draw(c, tail)
	}
	line := draw.LineStyle{Color: faint, Width: axisStroke}
	for n := range k + 1 {
		x, y := grid.Min.X+vg.Length(n)*cellSide, grid.Min.Y+vg.Length(n)*cellSide
		grid.StrokeLine2(line, x, grid.Min.Y, x, grid.Max.Y)
		grid.StrokeLine2(line, grid.Min.X, y, grid.Max.X, y)
	}
	for i := range k {
		for j := range k {
			if value := p.structure.At(i, j); value != 0 {
				drawBlock(tiles.At(grid, j, i), value)
			}
		}
	}
}
