package server

import (
	"bytes"
	_ "embed" // the files of the page
	"html/template"
	"net/http"

	"github.com/autoblm/autoblm-go/internal/webpage"
)

var (
	//go:embed page.html
	pageMarkup string
	//go:embed page.css
	pageStyle string
	//go:embed page.js
	pageScript string
)

// pageContent is the page. It has no data: its script asks the API.
var pageContent = func() []byte {
	var page bytes.Buffer
	t := template.Must(template.New("page").Parse(pageMarkup))
	err := t.Execute(&page, map[string]any{
		"Style":  template.CSS(webpage.StyleSheet + pageStyle),
		"Script": template.JS(webpage.DrawScript + pageScript),
	})
	if err != nil {
		panic(err) // the embedded files are wrong
	}
	return page.Bytes()
}()

// page sends the page.
func (s *Server) page(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(pageContent)
}
