package show

import (
	"bytes"
	"fmt"
	"image/png"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Picture shows a picture. Its alternative text is only "[picture]".
func Picture(p plot.Picture) { show(p, "[picture]\n") }

// Structure shows a structure as a colored picture. Its alternative text is the matrix.
func Structure(s structure.Structure, title string) {
	Structures([]plot.Titled{{Title: title, Structure: s}})
}

// Structures shows structures side by side, in rows.
func Structures(all []plot.Titled) {
	var text strings.Builder
	for _, each := range all {
		if each.Structure.K() > 0 {
			fmt.Fprintf(&text, "%s\n%s", each.Title, each.Structure.Draw(false))
		}
	}
	show(plot.Structures(all), text.String())
}

// Resolution of the PNGs of package plot, and of a page.
const dotsPerInch, pixelsPerInch = 150, 96

// show shows a picture with an alternative text.
func show(p plot.Picture, text string) { here.show(pictureValue(p, text)) }

func pictureValue(p plot.Picture, text string) value {
	file, err := p.PNG()
	here.check(err)
	size, err := png.DecodeConfig(bytes.NewReader(file))
	here.check(err)
	return value{png: file, width: size.Width * pixelsPerInch / dotsPerInch, text: text}
}
