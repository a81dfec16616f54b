package flags

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Markdown returns a document with a section for each command of a program. The flags of all
// commands are in the first section.
func (e Examples) Markdown(k *kong.Kong) ([]byte, error) {
	ctx, err := kong.Trace(k, nil)
	if err != nil {
		return nil, err
	}
	if err := ctx.Reset(); err != nil { // to the defaults
		return nil, err
	}
	var w bytes.Buffer
	e.writeSection(&w, k.Model, k.Model.Node)
	return w.Bytes(), nil
}

// escapeMarkdown keeps words such as <TAB> from being read as HTML.
func escapeMarkdown(text string) string { return strings.ReplaceAll(text, "<", "\\<") }

// sharedFlags returns the number of flags that all commands share.
func sharedFlags(app *kong.Application) int { return len(slices.Concat(app.Node.AllFlags(true)...)) }

// writeSection writes the section of a command and those of its subcommands. Only the first
// section has the flags of all commands.
func (e Examples) writeSection(w io.Writer, app *kong.Application, command *kong.Node) {
	p := e.page(app, command, "", nil)
	level := "##"
	if command == app.Node {
		level = "#"
	}
	fmt.Fprintf(w, "%s %s\n\n%s\n\n```\n%s\n```\n", level, p.path, format.Wrap(p.summary, 100, 0), p.usage)
	if len(p.examples) > 0 {
		fmt.Fprintf(w, "\nExamples:\n\n```\n%s\n```\n", strings.Join(p.examples, "\n"))
	}
	if p.notes != "" {
		fmt.Fprintf(w, "\n%s\n", format.Wrap(p.notes, 100, 0))
	}
	for _, s := range p.sections {
		entries := s.entries
		if s.title == general && command != app.Node {
			entries = entries[sharedFlags(app):]
		}
		if len(entries) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s:\n\n", s.title)
		for _, e := range entries {
			fmt.Fprintln(w, format.Wrap("- `"+e.name+"` "+escapeMarkdown(e.help), 100, 2))
		}
	}
	for _, child := range command.Children {
		if !child.Hidden {
			fmt.Fprintln(w)
			e.writeSection(w, app, child)
		}
	}
}
