package plot

import (
	"image/color"
	"sort"
	"strings"
	"sync"
	"unicode"

	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/font/liberation"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	xfont "golang.org/x/image/font"
)

// textStyle describes the look of a text.
type textStyle struct {
	size   vg.Length
	weight xfont.Weight
	color  color.Color
}

var (
	titleText = textStyle{size: 11, weight: xfont.WeightBold, color: ink}
	labelText = textStyle{size: 10, color: ink}
	smallText = textStyle{size: 8.5, color: grey}
)

// fonts are part of the program, so that every machine draws the same picture.
var fonts = sync.OnceValue(func() *font.Cache { return font.NewCache(liberation.Collection()) })

// textHandler lays out text with the fonts of the program.
func textHandler() text.Handler { return text.Plain{Fonts: fonts()} }

func (t textStyle) face() font.Face {
	sans := font.Font{Typeface: "Liberation", Variant: "Sans", Weight: t.weight}
	return fonts().Lookup(sans, t.size)
}

func (t textStyle) width(line string) vg.Length {
	face := t.face()
	return face.Width(line)
}

// lineHeight returns the distance between the baselines of two lines.
func (t textStyle) lineHeight() vg.Length { return 1.25 * t.size }

// capHeight is the height of capitals and digits of the font, as a part of its size.
const capHeight = 0.7

// draw writes a line. The point at is at half the height of the capitals, and at the left end,
// center or right end of the line.
func (t textStyle) draw(c vg.Canvas, at vg.Point, align draw.XAlignment, line string) {
	if line == "" {
		return
	}
	face := t.face()
	c.SetColor(t.color)
	c.FillString(face, vg.Point{
		X: at.X + vg.Length(align)*face.Width(line),
		Y: at.Y - capHeight/2*t.size,
	}, line)
}

// fit cuts a line to a width, with an ellipsis in place of the rest.
func (t textStyle) fit(line string, width vg.Length) string {
	line = printable(line)
	if t.width(line) <= width {
		return line
	}
	letters := []rune(line)
	tooMany := sort.Search(len(letters), func(n int) bool {
		return t.width(string(letters[:n])+"…") > width
	})
	return strings.TrimRight(string(letters[:max(0, tooMany-1)]), " ") + "…"
}

// wrap breaks text between words into at most maxLines lines of a width, with an ellipsis in place
// of the rest.
func (t textStyle) wrap(text string, width vg.Length, maxLines int) []string {
	var lines []string
	for _, word := range strings.Fields(printable(text)) {
		last := len(lines) - 1
		switch {
		case last < 0 || len(lines) < maxLines && t.width(lines[last]+" "+word) > width:
			lines = append(lines, word)
		case t.width(lines[last]) <= width:
			lines[last] += " " + word
		}
	}
	for n := range lines {
		lines[n] = t.fit(lines[n], width)
	}
	return lines
}

// printable replaces characters that an SVG must not contain by spaces.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsPrint(r) {
			return ' '
		}
		return r
	}, text)
}
