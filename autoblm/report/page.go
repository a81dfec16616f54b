package report

import (
	"embed"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/webpage"
)

//go:generate ./vendor.sh
//go:embed page.html page.js chartjs/chart.umd.min.js
var files embed.FS

// LiveScript is the function live of the page, for other pages of a server that shows reports.
//
//go:embed live.js
var LiveScript string

var pageTemplate = template.Must(template.ParseFS(files, "page.html"))

// Page holds what the page shows. Its script draws it from the JSON.
type Page struct {
	Title    string    `json:"title"`
	Facts    []string  `json:"facts"` // the line under the title
	Rows     []Row     `json:"rows"`  // of the headline
	Verdict  []string  `json:"verdict"`
	Sections []Section `json:"sections"`
	Closing  []string  `json:"closing"`
}

// Section is a section of the page.
type Section struct {
	ID     string `json:"id"`
	Title  string `json:"title"`
	Folded bool   `json:"folded,omitempty"` // until a reader unfolds it
	Parts  []Part `json:"parts"`
}

// Part is a part of a section. It shows the fields that are set, in this order.
type Part struct {
	Heading     string         `json:"heading,omitempty"`
	Text        string         `json:"text,omitempty"`
	Cards       []Card         `json:"cards,omitempty"`
	Chart       *Chart         `json:"chart,omitempty"`
	Trials      *Trials        `json:"trials,omitempty"`
	Predictions []task.Example `json:"predictions,omitempty"`
	Table       *page.Table    `json:"table,omitempty"`
	Command     *Command       `json:"command,omitempty"`
}

// Card is a drawn structure.
type Card struct {
	Structure structure.Structure `json:"structure"`
	Name      string              `json:"name"`
	Tag       string              `json:"tag,omitempty"`
	Scores    []Cell              `json:"scores"`
	Models    string              `json:"models,omitempty"` // kinds of relations that it can model
	Formula   string              `json:"formula"`
}

// Cell is a number in words with its name.
type Cell struct {
	Name string `json:"name"`
	Text string `json:"text"`
}

// Chart is a chart of points and lines. With Categories, the y of a point is the number of its row.
type Chart struct {
	Label      string   `json:"label"` // for screen readers
	Caption    string   `json:"caption,omitempty"`
	X          string   `json:"x,omitempty"`
	Y          string   `json:"y,omitempty"`
	Categories []string `json:"categories,omitempty"`
	Series     []Series `json:"series"`
}

// Series is a series of a chart.
type Series struct {
	Name   string  `json:"name"`
	Style  Style   `json:"style"`
	Points []Point `json:"points"`
}

// Style says how a series is drawn.
type Style string

// Styles of series.
const (
	Dots  Style = "dots"
	Line  Style = "line"
	Steps Style = "steps"
	Level Style = "level" // a dashed line
)

// Point is a point of a series. Low and High bound its interval, and the band of a line.
type Point struct {
	X     float64  `json:"x"`
	Y     float64  `json:"y"`
	Low   *float64 `json:"low,omitempty"`
	High  *float64 `json:"high,omitempty"`
	Label string   `json:"label,omitempty"`
	Trial int      `json:"trial,omitempty"` // number of the trial that a reader sees at the point
}

// NewPage returns the page of a study.
func NewPage(d Data) *Page {
	a := newAnalysis(d)
	p := &Page{ // the script needs lists, also empty ones
		Title:    a.title(),
		Facts:    append([]string{}, a.facts()...),
		Rows:     append([]Row{}, a.compareKept().Rows()...),
		Verdict:  append([]string{}, a.verdict()...),
		Sections: []Section{},
		Closing:  []string{a.Presentation.HowMeasured},
	}
	if a.Program != "" {
		p.Closing = append(p.Closing, "Written by "+a.Program+".")
	}
	for _, s := range []Section{
		{ID: "trials", Title: "Trials", Parts: a.trials()},
		{ID: "structures", Title: "Structures", Parts: a.structures()},
		{ID: "curves", Title: "Learning curves", Parts: a.curves()},
		{ID: "retraining", Title: a.retrainingTitle(), Parts: a.retraining()},
		{ID: "predictions", Title: "Predictions", Parts: a.predictions()},
		{ID: "entities", Title: "Map of the entities", Parts: a.entities()},
		{ID: "metrics", Title: "Metrics", Parts: a.metrics()},
		{ID: "predictor", Title: "Predicted and measured", Parts: a.predictor()},
		{ID: "stages", Title: a.stagesTitle(), Parts: a.stages()},
		{ID: "data", Title: "Data", Parts: a.data()},
		{ID: "failures", Title: "Failed trials", Parts: a.failures()},
		{ID: "rounds", Title: "Rounds and their cost", Folded: true, Parts: a.work()},
		{ID: "settings", Title: "All settings", Folded: true, Parts: a.settings()},
		{ID: "commands", Title: "Commands", Parts: a.commands()},
	} {
		if len(s.Parts) > 0 {
			p.Sections = append(p.Sections, s)
		}
	}
	return p
}

// NewMap returns a page with a map of entities and facts about their model.
func NewMap(title string, facts []string, m *task.Map) *Page {
	entities := Section{ID: "entities", Title: "Map of the entities", Parts: drawMap(m)}
	return &Page{
		Title: title, Facts: facts, Rows: []Row{}, Verdict: []string{}, Closing: []string{},
		Sections: []Section{entities},
	}
}

// Write writes the page as one HTML file in UTF-8 that needs no other file. If events is not "",
// the page listens at this address of its own server for server-sent events, each with the JSON of
// a newer [Page], and draws it.
func (p *Page) Write(w io.Writer, events string) error {
	data, err := json.Marshal(p) // escapes <, > and &
	if err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	read := func(name string) string {
		content, readError := files.ReadFile(name)
		if readError != nil {
			err = readError
		}
		return string(content)
	}
	content := struct {
		Title, Events             string
		Style                     template.CSS
		Data, Chart, Live, Script template.JS
	}{
		Title: format.Escape(p.Title), Events: events, Style: template.CSS(webpage.StyleSheet),
		Data: template.JS(format.Escape(string(data))), Chart: template.JS(ChartLibrary()), Live: template.JS(LiveScript),
		Script: template.JS(webpage.DrawScript + read("page.js")),
	}
	if err != nil {
		return err
	}
	if err := pageTemplate.Execute(w, content); err != nil {
		return fmt.Errorf("write the report: %w", err)
	}
	return nil
}

// ChartLibrary returns the script of the chart library, https://www.chartjs.org.
func ChartLibrary() string {
	content, _ := files.ReadFile("chartjs/chart.umd.min.js") // embedded, so it is there
	library, _, _ := strings.Cut(string(content), "//# sourceMapping")
	return library
}

// Write writes the report as one HTML page.
func Write(w io.Writer, d Data) error { return NewPage(d).Write(w, "") }
