package plot

import (
	"bytes"
	"cmp"
	"fmt"
	"html"
	"image/color"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"

	"gonum.org/v1/plot/vg/vgsvg"
)

// Inline returns the picture as an svg element for an HTML page, without a background and without
// links. A screen reader reads its label, such as "DistMult as a matrix". The style sheet
// [DarkStyle] gives it colors for a dark background. An empty picture is an error.
func (p Picture) Inline(label string) ([]byte, error) {
	if p.draw == nil {
		return nil, errEmpty
	}
	canvas := vgsvg.New(p.width, p.height)
	p.draw(canvas)
	document, err := encodeSVG(canvas)
	if err != nil {
		return nil, err
	}
	_, element, _ := bytes.Cut(document, []byte("<svg"))
	_, content, _ := bytes.Cut(element, []byte(">"))
	width, height := p.width.Points(), p.height.Points()
	opening := fmt.Sprintf(`<svg width="%.5gpt" height="%.5gpt" viewBox="0 0 %.5g %.5g"`+
		` role="img" aria-label="%s">`,
		width, height, width, height, html.EscapeString(printable(label)))
	return append([]byte(opening), styles.ReplaceAllFunc(content, withVariables)...), nil
}

// styles matches the attributes with colors. The writer escapes quotes in texts, so that no text
// matches.
var (
	styles = regexp.MustCompile(`style="[^"]*"`)
	colors = regexp.MustCompile(`#[0-9A-F]{6}`)
)

// withVariables replaces the colors of a style by variables that a style sheet can change.
func withVariables(style []byte) []byte {
	return colors.ReplaceAllFunc(style, func(hex []byte) []byte {
		return fmt.Appendf(nil, "var(%s,%s)", variable(string(hex)), hex)
	})
}

func variable(hex string) string { return "--plot-" + strings.ToLower(hex[1:]) }

func hexOf(c color.NRGBA) string { return fmt.Sprintf("#%02X%02X%02X", c.R, c.G, c.B) }

// DarkStyle returns a style sheet that gives inline pictures dark colors on screens where the
// reader prefers them.
func DarkStyle() string {
	var sheet strings.Builder
	sheet.WriteString("@media screen and (prefers-color-scheme: dark) { :root {")
	dark := darkColors()
	inOrder := func(a, b color.NRGBA) int { return cmp.Compare(hexOf(a), hexOf(b)) }
	for _, c := range slices.SortedFunc(maps.Keys(dark), inOrder) {
		fmt.Fprintf(&sheet, " %s: %s;", variable(hexOf(c)), hexOf(dark[c]))
	}
	sheet.WriteString(" } }\n")
	return sheet.String()
}

// darkGround is the background of the dark colors.
var darkGround = color.NRGBA{0x1A, 0x1C, 0x20, 0xFF}

// darkColors maps the colors of drawings to colors on a dark background. Fills of blocks keep their
// hue under a light label, and lines are lighter.
var darkColors = sync.OnceValue(func() map[color.NRGBA]color.NRGBA {
	dark := map[color.NRGBA]color.NRGBA{
		ink:   {0xEC, 0xEE, 0xF1, 0xFF},
		faint: {0x3B, 0x40, 0x48, 0xFF},
	}
	for _, c := range chunkColors {
		dark[positiveFill(c)] = mix(c, darkGround, 0.4)
		dark[negativeFill(c)] = mix(c, darkGround, 0.08)
		dark[hatch(c)] = mix(c, darkGround, 0.45)
		dark[blockEdge(c)] = tint(c, 0.65)
	}
	for _, c := range seriesColors {
		dark[c] = tint(c, 0.65)
	}
	dark[grey] = color.NRGBA{0xB5, 0xBB, 0xC5, 0xFF} // texts too
	return dark
})
