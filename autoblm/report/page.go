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
	// grid is a table with some of its rows.
	"grid": func(t *page.Table, rows []page.Row) page.Table {
		return page.Table{Caption: t.Caption, Columns: t.Columns, Rows: rows}
	},
}).ParseFS(files, "page.html"))

// content is what the template prints.
type content struct {
	Title    string
	Facts    []string // the line under the title
	Style    template.CSS
	Verdict  []string
	Tiles    []tile
	Sections []section
	Closing  []string
}

// tile is a number to see first.
type tile struct{ Label, Value, Note string }

// section has a title and parts in the order of reading.
type section struct {
	ID, Title string
	Parts     []part
}

// part is one thing of a section, or a few under a heading, in the order of the fields;
// what is not set is left out.
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
	ValidTag    string // which part Valid is of
	Models      string // the kinds of relations
	Formula     string
}

// Write writes the report as one HTML page in UTF-8 that refers to nothing
// outside itself.
func Write(w io.Writer, d Data) error {
	c, err := newContent(newOutcome(d))
	if err != nil {
		return err
	}
	var text strings.Builder
	err = pageTemplate.Execute(&text, c)
	if err == nil {
		_, err = io.WriteString(w, format.PrintableLines(text.String()))
	}
	if err != nil {
		return fmt.Errorf("cannot write the report: %w", err)
	}
	return nil
}

func newContent(o *outcome) (*content, error) {
	style, err := files.ReadFile("style.css")
	if err != nil {
		return nil, err
	}
	c := &content{
		Title:   fmt.Sprintf("%s on %s", algorithm(o.About.Algorithm), o.About.Dataset),
		Facts:   o.facts(),
		Style:   template.CSS(string(style) + plot.DarkStyle()),
		Verdict: o.verdict(),
		Tiles:   o.tiles(),
		Closing: []string{o.Words.HowMeasured},
	}
	if o.Program != "" {
		c.Closing = append(c.Closing, "Written by "+o.Program+".")
	}
	for _, s := range []section{
		{"structures", "The structures", o.structures()},
		{"progress", "The progress of the search", o.progress()},
		{"predictor", "Predicted and measured", o.guesses()},
		{"metrics", "Metrics of the best", o.metrics()},
		{"stages", "Before and after the search", o.stages()},
		{"rounds", "Rounds and their cost", o.work()},
		{"data", "The data", o.data()},
		{"failures", "What went wrong", o.failures()},
		{"settings", "All settings", o.settings()},
		{"again", "Run it again", o.commands()},
	} {
		if len(s.Parts) > 0 {
			c.Sections = append(c.Sections, s)
		}
	}
	return c, o.err
}

// algorithm is the strategy's name as the paper prints it.
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

// commands are what a reader may run.
func (o *outcome) commands() []part {
	var parts []part
	for _, c := range o.Commands {
		parts = append(parts, part{Command: &c})
	}
	return parts
}
