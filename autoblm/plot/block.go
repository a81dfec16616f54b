package plot

import "gonum.org/v1/plot/vg"

// Sizes in points.
const (
	blockInset  = 2.5 // keeps the borders of neighbors apart
	blockBorder = 1.2
	hatchStep   = 5
	hatchLine   = 0.8
)

var negativeDashes = []vg.Length{3.5, 2.25}

// drawBlock draws the block of a cell that is not zero.
func drawBlock(c vg.Canvas, cell vg.Rectangle, value int) {
	chunk := max(value, -value)
	color := chunkColors[chunk-1]
	inset := vg.Point{X: blockInset, Y: blockInset}
	block := vg.Rectangle{Min: cell.Min.Add(inset), Max: cell.Max.Sub(inset)}
	middle := center(block)
	label := indexed{"r", chunk}

	c.SetLineDash(nil, 0)
	if value > 0 {
		c.SetColor(positiveFill(color))
		c.Fill(block.Path())
	} else {
		label.letter = "−r"
		c.SetColor(negativeFill(color))
		c.Fill(block.Path())
		c.SetColor(hatch(color))
		drawHatch(c, block)
		c.SetColor(negativeFill(color))
		c.Fill(around(middle, label.width()+4, labelText.lineHeight()).Path())
		c.SetLineDash(negativeDashes, 0)
	}
	c.SetColor(blockEdge(color))
	c.SetLineWidth(blockBorder)
	c.Stroke(block.Path())
	c.SetLineDash(nil, 0)
	label.draw(c, middle)
}

// drawHatch draws falling diagonals through a square.
func drawHatch(c vg.Canvas, square vg.Rectangle) {
	c.SetLineWidth(hatchLine)
	side := square.Size().X
	for offset := vg.Length(hatchStep); offset < 2*side; offset += hatchStep {
		onLeft := vg.Point{X: max(0, offset-side), Y: min(offset, side)}
		onBottom := vg.Point{X: min(offset, side), Y: max(0, offset-side)}
		strokeLine(c, square.Min.Add(onLeft), square.Min.Add(onBottom))
	}
}
