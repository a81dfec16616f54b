package report

import (
	"embed"
	"fmt"
	"html/template"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/plot"
	"github.com/autoblm/autoblm-go/autoblm/task/page"
	"github.com/autoblm/autoblm-go/internal/format"
)

//go:embed page.html style.css
var files embed.FS

var pageTemplate = template.Must(template.New("page.html").Funcs(template.FuncMap{
	// grid returns a table with some of its rows.
	"grid": func(t *page.Table, rows []page.Row) page.Table {
		return page.Table{Caption: t.Caption, Columns: t.Columns, Rows: rows}
	},
}).ParseFS(files, "page.html"))

// content holds the values of the template.
type content struct {
	Title    string
	Facts    []string // the line under the title
	Style    template.CSS
	Verdict  []string
	Tiles    []tile
	Sections []section
	Closing  []string
}

// tile is one of the main numbers.
type tile struct{ Label, Value, Note string }

// section is a section of the page.
type section struct {
	ID, Title string
	Parts     []part
}

// part is a part of a section. It shows the fields that are set, in this order.
type part struct {
	Heading string
	Text    string
	Cards   []card
	Figures []figure
	Table   *page.Table
	Command *Command
}

// figure is a chart with a caption.
type figure struct {
	Picture template.HTML
	Caption string
}

// card is a drawn structure.
type card struct {
	Picture     template.HTML
	Name, Tag   string
	Valid, Test string
	ValidTag    string // the split of Valid
	Models      string // kinds of relations that it can model
	Formula     string
}

// Write writes the report as one HTML page in UTF-8 without references to other files.
func Write(w io.Writer, d Data) error {
	c, err := newContent(newAnalysis(d))
	if err != nil {
		return err
	}
	var text strings.Builder
	err = pageTemplate.Execute(&text, c)
	if err == nil {
		_, err = io.WriteString(w, format.EscapeLines(text.String()))
	}
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func newContent(a *analysis) (*content, error) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	c := &content{
		Title:   fmt.Sprintf("%s on %s", algorithm(a.About.Algorithm), a.About.Dataset),
		Facts:   a.facts(),
		Style:   template.CSS(string(style) + plot.DarkStyle),
		Verdict: a.verdict(),
		Tiles:   a.tiles(),
		Closing: []string{a.Presentation.HowMeasured},
	}
	if a.Program != "" {
		c.Closing = append(c.Closing, "Written by "+a.Program+".")
	}
	for _, s := range []section{
		{"structures", "Structures", a.structures()},
		{"progress", "Progress of the search", a.progress()},
		{"predictor", "Predicted and measured", a.predictor()},
		{"metrics", "Metrics of the best models", a.metrics()},
		{"stages", "Before and after the search", a.stages()},
		{"rounds", "Rounds and their cost", a.work()},
		{"data", "Data", a.data()},
		{"failures", "Failed trials", a.failures()},
		{"settings", "All settings", a.settings()},
		{"commands", "Commands", a.commands()},
	} {
		if len(s.Parts) > 0 {
			c.Sections = append(c.Sections, s)
		}
	}
	return c, a.err
}

// algorithm returns the title of a strategy.
func algorithm(name string) string {
	if rest, ours := strings.CutPrefix(name, "autoblm"); ours {
		return "AutoBLM" + rest
	}
	switch name {
	case "":
		return "Search"
	case "tpe":
		return "TPE"
	}
	return capital(name)
}

func (a *analysis) commands() []part {
	var parts []part
	for _, c := range a.Commands {
		parts = append(parts, part{Command: &c})
	}
	return parts
}
