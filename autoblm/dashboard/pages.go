package dashboard

import (
	"bytes"
	"embed"
	"encoding/json"
	"html/template"
	"net/http"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/format"
)

//go:embed list.html list.css list.js live.js
var files embed.FS

var listTemplate = template.Must(template.ParseFS(files, "list.html"))

// text returns an embedded file.
func text(name string) string {
	content, err := files.ReadFile(name)
	if err != nil {
		panic(err) // the file is named above
	}
	return string(content)
}

// listed is the list as the page has it at first.
type listed struct {
	Studies json.RawMessage `json:"studies"`
	Version string          `json:"version"`
}

// listData returns the list as JSON.
func (s *Server) listData() ([]byte, error) {
	rows, err := s.studies.rows()
	if err != nil {
		return nil, err
	}
	return json.Marshal(rows)
}

func (s *Server) list(w http.ResponseWriter, _ *http.Request) {
	data, err := s.listData()
	if err != nil {
		http.Error(w, format.OneLine(err), http.StatusInternalServerError)
		return
	}
	folder := s.studies.Folder
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	var page bytes.Buffer
	err = listTemplate.Execute(&page, map[string]any{
		"Style": template.CSS(text("list.css")), "Script": template.JS(text("live.js") + text("list.js")),
		"Folder": folder, "Example": filepath.Join(s.studies.Folder, "first"),
		"List": listed{data, versionOf(data)},
	})
	send(w, page.Bytes(), err)
}

func send(w http.ResponseWriter, page []byte, err error) {
	if err != nil {
		http.Error(w, format.OneLine(err), http.StatusInternalServerError)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, s.listData)
}

// document is the page of a study and its data as JSON.
type document struct{ page, data []byte }

func (c *catalog) document(e *entry) (document, error) {
	return e.page.get(e.path, func() (document, error) {
		contents, err := study.ReadTrials(e.path)
		if err != nil {
			return document{}, err
		}
		var page bytes.Buffer
		err = report.Write(&page, c.Data(e.path, contents))
		return document{page.Bytes(), []byte(`"` + versionOf(page.Bytes()) + `"`)}, err
	})
}

func (s *Server) study(w http.ResponseWriter, r *http.Request) {
	e := s.studies.find(r.PathValue("id"))
	if e == nil {
		http.Error(w, "no such study: go back to the list", http.StatusNotFound)
		return
	}
	d, err := s.studies.document(e)
	send(w, d.page, err)
}

func (s *Server) studyEvents(w http.ResponseWriter, r *http.Request) {
	e := s.studies.find(r.PathValue("id"))
	if e == nil {
		http.Error(w, "no such study", http.StatusNotFound)
		return
	}
	s.stream(w, r, func() ([]byte, error) {
		d, err := s.studies.document(e)
		return d.data, err
	})
}
