package show

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"image/png"
	"io"
	"strings"
	"unicode"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Picture shows a picture. Its alternative text lists the labels in the picture.
func Picture(p plot.Picture) {
	v, err := picture(p)
	here.check(err)
	here.show(v)
}

// Structure shows a structure as a colored picture. Its alternative text is the matrix.
func Structure(s structure.Structure, title string) {
	Structures([]plot.Titled{{Title: title, Structure: s}})
}

// Structures shows structures side by side, in rows.
func Structures(all []plot.Titled) {
	v, err := structures(all)
	here.check(err)
	here.show(v)
}

// Resolution of the PNGs of package plot, and of a page.
const dotsPerInch, pixelsPerInch = 150, 96

func pngOf(p plot.Picture) (value, error) {
	file, err := p.PNG()
	if err != nil {
		return value{}, err
	}
	if file, err = compress(file); err != nil {
		return value{}, err
	}
	size, err := png.DecodeConfig(bytes.NewReader(file))
	if err != nil {
		return value{}, err
	}
	return value{png: file, width: size.Width * pixelsPerInch / dotsPerInch}, nil
}

func picture(p plot.Picture) (value, error) {
	v, err := pngOf(p)
	if err != nil {
		return value{}, err
	}
	labels, err := labelsOf(p)
	if err != nil {
		return value{}, err
	}
	v.text = fmt.Sprintf("[picture: %s]\n", strings.Join(labels, ", "))
	return v, nil
}

func structures(all []plot.Titled) (value, error) {
	v, err := pngOf(plot.Structures(all))
	if err != nil {
		return value{}, err
	}
	var text strings.Builder
	for _, each := range all {
		if each.Structure.K() > 0 {
			fmt.Fprintf(&text, "%s\n%s", each.Title, each.Structure.Draw(false))
		}
	}
	v.text = text.String()
	return v, nil
}

// labelsOf returns the texts in a picture without the numbers on its axes.
func labelsOf(p plot.Picture) ([]string, error) {
	svg, err := p.SVG()
	if err != nil {
		return nil, err
	}
	var labels []string
	inside := false
	for tokens := xml.NewDecoder(bytes.NewReader(svg)); ; {
		token, err := tokens.Token()
		if errors.Is(err, io.EOF) {
			return labels, nil
		}
		if err != nil {
			return nil, err
		}
		switch token := token.(type) {
		case xml.StartElement:
			inside = token.Name.Local == "text"
		case xml.EndElement:
			inside = false
		case xml.CharData:
			text := strings.TrimSpace(string(token))
			if inside && strings.ContainsFunc(text, unicode.IsLetter) {
				labels = append(labels, text)
			}
		}
	}
}
