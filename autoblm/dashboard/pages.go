package dashboard

import (
	"bytes"
	"context"
	"embed"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"path/filepath"

	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/webpage"
)

//go:embed head.html list.html error.html
var templates embed.FS

var pages = template.Must(template.ParseFS(templates, "*.html"))

var (
	//go:embed list.css
	listStyle string
	//go:embed list.js
	listScript string
	//go:embed cluster.js
	clusterScript string
)

// listed is the list as the page has it at first.
type listed struct {
	Studies json.RawMessage `json:"studies"`
	Version string          `json:"version"`
}

// listData returns the list as JSON.
func (s *Server) listData(ctx context.Context) ([]byte, error) {
	rows, err := s.studies.rows(ctx)
	if err != nil {
		return nil, err
	}
	return json.Marshal(rows)
}

func (s *Server) list(w http.ResponseWriter, r *http.Request) {
	data, err := s.listData(r.Context())
	if err != nil {
		fail(w, http.StatusInternalServerError, err)
		return
	}
	folder := s.studies.Folder
	if absolute, err := filepath.Abs(folder); err == nil {
		folder = absolute
	}
	script := report.LiveScript + listScript
	if s.cluster != nil {
		script += clusterScript
	}
	var page bytes.Buffer
	err = pages.ExecuteTemplate(&page, "list.html", map[string]any{
		"Title": "Studies", "Style": template.CSS(webpage.StyleSheet + listStyle),
		"Script": template.JS(script), "HasCluster": s.cluster != nil, "StartWorker": s.startWorker,
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
		"Title": "Error", "Style": template.CSS(webpage.StyleSheet), "Error": format.OneLine(err),
	})
}

func (s *Server) listEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, s.listData)
}

var (
	errNoStudy = errors.New("there is no such study")
	errNoPage  = errors.New("a page needs structures")
)

// document returns the page of the study with an id.
func (s *Server) document(ctx context.Context, id string) (document, error) {
	e := s.studies.find(id)
	if e == nil {
		return document{}, errNoStudy
	}
	return s.studies.document(ctx, e)
}

func (s *Server) study(w http.ResponseWriter, r *http.Request) {
	id := r.PathValue("id")
	d, err := s.document(r.Context(), id)
	switch {
	case errors.Is(err, errNoStudy), errors.Is(err, errNoPage):
		fail(w, http.StatusNotFound, err)
		return
	case err != nil:
		fail(w, http.StatusInternalServerError, err)
		return
	}
	page, err := d.write("/study/" + id + "/events")
	send(w, page, err)
}

// studyEvents looks for the study each time, which may be deleted and restored.
func (s *Server) studyEvents(w http.ResponseWriter, r *http.Request) {
	s.stream(w, r, func(ctx context.Context) ([]byte, error) {
		d, err := s.document(ctx, r.PathValue("id"))
		return d.data, err
	})
}
