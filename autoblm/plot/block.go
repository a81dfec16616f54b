package plot

import (
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes in points.
const (
	blockInset  = 2.5 // keeps the borders of neighbors apart
	blockBorder = 1.2
	hatchStep   = 5
	hatchLine   = 0.8
)

var negativeDashes = []vg.Length{3.5, 2.25}

// drawBlock draws the block of a cell that is not zero.
func drawBlock(cell draw.Canvas, value int) {
	chunk := max(value, -value)
	color := chunkColors[chunk-1]
	block := draw.Crop(cell, blockInset, -blockInset, blockInset, -blockInset)
	label := indexed{"r", chunk}
	border := draw.LineStyle{Color: blockEdge(color), Width: blockBorder}
	block.SetColor(positiveFill(color))
	if value < 0 {
		label.letter, border.Dashes = "−r", negativeDashes
		block.SetColor(negativeFill(color))
	}
	block.Fill(block.Path())
	if value < 0 {
		drawHatch(block, draw.LineStyle{Color: hatch(color), Width: hatchLine})
		block.SetColor(negativeFill(color))
		half := vg.Point{X: label.width()/2 + 2, Y: labelText.lineHeight() / 2}
		middle := block.Center()
		block.Fill(vg.Rectangle{Min: middle.Sub(half), Max: middle.Add(half)}.Path())
	}
	block.SetLineStyle(border)
	block.Stroke(block.Path())
	block.SetLineDash(nil, 0)
	label.draw(block, block.Center())
}

// drawHatch draws falling diagonals through a square.
func drawHatch(square draw.Canvas, line draw.LineStyle) {
	left, bottom, side := square.Min.X, square.Min.Y, square.Size().X
	for offset := vg.Length(hatchStep); offset < 2*side; offset += hatchStep {
		square.StrokeLine2(line, left+max(0, offset-side), bottom+min(offset, side),
			left+min(offset, side), bottom+max(0, offset-side))
	}
}
