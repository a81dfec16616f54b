package flags

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Screen is the maximum number of lines of help, with 80 columns.
const Screen = 30

// HelpAll is a flag that prints the full help.
type HelpAll bool

// IgnoreDefault makes the parser call BeforeReset only if the flag is given.
func (HelpAll) IgnoreDefault() {}

// BeforeReset prints the full help.
func (HelpAll) BeforeReset(ctx *kong.Context) error {
	err := printAll(ctx)
	if err == nil {
		ctx.Exit(0)
	}
	return err
}

func printAll(ctx *kong.Context) error {
	return kong.DefaultHelpPrinter(kong.HelpOptions{
		Compact: true, NoExpandSubcommands: true, ValueFormatter: kong.DefaultHelpValueFormatter,
	}, ctx)
}

// PrintHelp prints the full help if it fits on a screen, otherwise a line for each flag and
// argument with the tag brief.
func PrintHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	out := ctx.Stdout
	var text bytes.Buffer
	ctx.Stdout = &text
	err := printAll(ctx)
	ctx.Stdout = out
	if err != nil {
		return err
	}
	if bytes.Count(text.Bytes(), []byte("\n")) > Screen {
		text.Reset()
		printBrief(&text, ctx.Model, cmp.Or(ctx.Selected(), ctx.Model.Node))
	}
	for line := range bytes.Lines(text.Bytes()) {
		if _, err := out.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// section is a title with lines, each a name and a description.
type section struct {
	title string
	lines [][2]string
}

// printBrief prints the sections that fit on a screen.
func printBrief(w io.Writer, app *kong.Application, command *kong.Node) {
	fmt.Fprintf(w, "Usage: %s %s\n\n%s\n", app.Name, strings.TrimSpace(command.Summary()),
		command.Help)
	room := Screen - 5 // without these and the last two
	var shown []section
	width, rest := 0, 0
	for _, s := range sections(app, command) {
		lines := slices.DeleteFunc(slices.Clone(s.lines), func(line [2]string) bool {
			return line[1] == ""
		})
		if len(lines) == 0 || room < 2+len(lines) {
			rest += len(s.lines)
			continue
		}
		room -= 2 + len(lines)
		rest += len(s.lines) - len(lines)
		shown = append(shown, section{s.title, lines})
		for _, line := range lines {
			width = max(width, utf8.RuneCountInString(line[0]))
		}
	}
	for _, s := range shown {
		fmt.Fprintf(w, "\n%s\n", s.title)
		for _, line := range s.lines {
			fmt.Fprintf(w, "  %-*s  %s\n", width, line[0], line[1])
		}
	}
	fmt.Fprintf(w, "\n%s: %s --help-all\n", format.Count(rest, "more flag"), command.FullPath())
}

// sections returns the arguments of a command, its flags by group, and its subcommands.
func sections(app *kong.Application, command *kong.Node) []section {
	arguments, all := section{title: "Arguments"}, []section{{title: "Flags"}}
	for _, a := range command.Positional {
		arguments.lines = append(arguments.lines, [2]string{a.Summary(), cmp.Or(briefOf(a), a.Help)})
	}
	for _, flags := range command.AllFlags(true) {
		for _, f := range flags {
			brief := briefOf(f.Value)
			if f == app.HelpFlag {
				brief = "Show the flags that most users need."
			}
			at := 0
			if f.Group != nil {
				at = slices.IndexFunc(all, func(s section) bool { return s.title == f.Group.Title })
			}
			if at < 0 {
				at, all = len(all), append(all, section{title: f.Group.Title})
			}
			all[at].lines = append(all[at].lines, [2]string{flagName(f), brief})
		}
	}
	commands := section{title: "Commands"}
	for _, child := range command.Children {
		if !child.Hidden {
			commands.lines = append(commands.lines, [2]string{child.Name, child.Help})
		}
	}
	return slices.Concat([]section{arguments}, all, []section{commands})
}

// briefOf returns the tag brief.
func briefOf(v *kong.Value) string {
	enum := slices.DeleteFunc(v.EnumSlice(), func(value string) bool { return value == "" })
	return strings.ReplaceAll(v.Tag.Get("brief"), "${enum}", format.List(enum, "or"))
}

func flagName(f *kong.Flag) string {
	if f.Tag.Negatable != "" {
		return "--[no-]" + f.Name
	}
	return f.String()
}
