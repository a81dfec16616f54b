package plot

import (
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// indexed is a letter with a number below the line, such as the chunk r₁ or
// its negative. The number is a smaller digit, because the subscript characters
// of fonts are set wide or missing.
type indexed struct {
	letter string
	index  int
}

var indexText = textStyle{size: 0.72 * labelText.size, color: ink}

const (
	indexDrop = 2.6 // in points, of the middle of the digit below that of the letter
	indexGap  = 0.4
)

func (s indexed) width() vg.Length {
	return labelText.width(s.letter) + indexGap + indexText.width(strconv.Itoa(s.index))
}

// draw writes the letter and its index, centered at a point.
func (s indexed) draw(c vg.Canvas, at vg.Point) {
	left := vg.Point{X: at.X - s.width()/2, Y: at.Y}
	labelText.draw(c, left, draw.XLeft, s.letter)
	below := vg.Point{X: left.X + labelText.width(s.letter) + indexGap, Y: at.Y - indexDrop}
	indexText.draw(c, below, draw.XLeft, strconv.Itoa(s.index))
}
