package plot

import (
	"bytes"
	"fmt"
	"html"
)

// Inline returns the picture as an svg element for an HTML page, without a background and without
// links. A screen reader reads its label, such as "DistMult as a matrix". The style sheet
// [DarkStyle] gives it colors for a dark background. An empty picture is an error.
func (p Picture) Inline(label string) ([]byte, error) {
	document, err := p.svg(nil)
	if err != nil {
		return nil, err
	}
	_, element, _ := bytes.Cut(document, []byte("<svg"))
	_, content, _ := bytes.Cut(element, []byte(">"))
	width, height := p.width.Points(), p.height.Points()
	opening := fmt.Sprintf(`<svg width="%.5gpt" height="%.5gpt" viewBox="0 0 %.5g %.5g"`+
		` role="img" aria-label="%s">`,
		width, height, width, height, html.EscapeString(printable(label)))
	return append([]byte(opening), content...), nil
}

// DarkStyle is a style sheet for inline pictures on screens where the reader prefers dark colors.
// It makes light colors dark and keeps their hues.
const DarkStyle = "@media screen and (prefers-color-scheme: dark) {" +
	" svg { filter: invert(1) hue-rotate(180deg); } }\n"
