package pip

import (
	"errors"
	"fmt"
	"io"
	"net/url"
	"strings"

	"golang.org/x/net/html"
)

// readHTML reads a page of PEP 503, or any other with links.
func readHTML(body io.Reader, at *url.URL) ([]File, error) {
	var files []File
	base := at
	for page := html.NewTokenizer(body); ; {
		kind := page.Next()
		if kind == html.ErrorToken {
			if err := page.Err(); !errors.Is(err, io.EOF) {
				return nil, fmt.Errorf("has a page that cannot be read (%w)", err)
			}
			return files, nil
		}
		if kind != html.StartTagToken && kind != html.SelfClosingTagToken {
			continue
		}
		tag := page.Token()
		if tag.Data != "a" && tag.Data != "base" {
			continue
		}
		link, linked, metadata := "", false, false
		for _, a := range tag.Attr {
			switch a.Key {
			case "href":
				link, linked = a.Val, true
			case "data-core-metadata", "data-dist-info-metadata":
				metadata = a.Val != "false"
			}
		}
		u, err := base.Parse(strings.TrimSpace(link))
		if !linked || err != nil {
			continue
		}
		if tag.Data == "base" {
			base = u
			continue
		}
		if f, ok := fileAt(u); ok && mayLink(at, u) {
			f.Metadata = metadata
			files = append(files, f)
		}
	}
}
