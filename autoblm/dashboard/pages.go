package dashboard

import (
	"bytes"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/internal/format"
)

//go:embed list.html error.html
var templates embed.FS

var pages = template.Must(template.ParseFS(templates, "*.html"))

var (
	//go:embed list.css
	listStyle string
	//go:embed list.js
	listScript string
)

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
		fail(w, http.StatusInternalServerError, err)
		return
	}
	folder := s.studies.Folder
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	var page bytes.Buffer
	err = pages.ExecuteTemplate(&page, "list.html", map[string]any{
		"Style":  template.CSS(report.StyleSheet + listStyle),
		"Script": template.JS(report.LiveScript + listScript),
		"Folder": folder, "Example": filepath.Join(s.studies.Folder, "first"),
		"List": listed{data, versionOf(data)},
	})
	send(w, page.Bytes(), err)
}

func send(w http.ResponseWriter, page []byte, err error) {
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(page)
}

// fail sends a page with an error.
func fail(w http.ResponseWriter, status int, err error) {
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	_ = pages.ExecuteTemplate(w, "error.html", map[string]any{
		"Style": template.CSS(report.StyleSheet), "Error": format.OneLine(err),
	})
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, s.listData)
}

// studyOf returns the study that a request names by its id, or sends an error and returns nil.
func (s *Server) studyOf(w http.ResponseWriter, r *http.Request) *entry {
	e := s.studies.find(r.PathValue("id"))
	if e == nil {
		fail(w, http.StatusNotFound, errors.New("there is no such study"))
	}
	return e
}

func (s *Server) study(w http.ResponseWriter, r *http.Request) {
	e := s.studyOf(w, r)
	if e == nil {
		return
	}
	d, err := s.studies.document(s.ctx, e)
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	page, err := d.write("/study/" + e.id + "/events")
	send(w, page, err)
}

func (s *Server) studyEvents(w http.ResponseWriter, r *http.Request) {
	e := s.studyOf(w, r)
	if e == nil {
		return
	}
	s.stream(w, r, func() ([]byte, error) {
		d, err := s.studies.document(s.ctx, e)
		return d.data, err
	})
}
