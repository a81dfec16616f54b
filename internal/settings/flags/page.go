package flags

import (
	"bytes"
	"cmp"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// page is the help of a command.
type page struct {
	path, summary, usage, notes string
	arguments                   string // that choose a model, after a space
	examples                    []string
	sections                    []section
}

// section is a group of arguments, flags or commands.
type section struct {
	title   string
	entries []entry
}

// entry describes an argument, a flag or a command. brief is "" if brief help leaves it out.
type entry struct{ name, brief, help string }

// Titles of sections.
const (
	training = "Training" // its title gets the source of its defaults
	results  = "Results"  // with the flags of outputs, which brief help keeps
	general  = "General"  // the last section, with the flags of all commands
)

// page returns the help of a command with the present values of its flags, and for a selected model
// unless the selection is nil.
func (e Examples) page(
	app *kong.Application, command *kong.Node, source string, selection *Selection,
) *page {
	path := command.FullPath()
	p := &page{
		path: path, summary: command.Help,
		notes:    strings.Join(strings.Fields(command.Detail), " "), // without its line breaks
		usage:    app.Name + " " + strings.TrimSpace(command.Summary()),
		sections: sections(command, selection),
	}
	chosen := e[strings.TrimSpace(strings.TrimPrefix(path, app.Name))]
	if selection != nil {
		p.arguments, chosen = " "+selection.Arguments, selection.Examples
	}
	for _, arguments := range chosen {
		p.examples = append(p.examples, breakCommand(app.Name+" "+arguments))
	}
	for i, s := range p.sections {
		if s.title == training && source != "" {
			p.sections[i].title += " (" + source + ")"
		}
	}
	return p
}

// breakCommand breaks a long command before flags.
func breakCommand(command string) string {
	const longest, indent = columns - 2, "   "
	var lines []string
	for len(command) > longest {
		at := strings.LastIndex(command[:longest], " --")
		if at <= len(indent) { // the first flag of the line, which is long
			first := len(indent) + 1
			if at = strings.Index(command[first:], " --"); at < 0 {
				break
			}
			at += first
		}
		lines = append(lines, command[:at]+" \\")
		command = indent + command[at:]
	}
	return strings.Join(append(lines, command), "\n")
}

// sections returns the arguments of a command, its subcommands, and its flags by group.
func sections(command *kong.Node, selection *Selection) []section {
	arguments, commands := section{title: "Arguments"}, section{title: "Commands"}
	for _, a := range command.Positional {
		brief := cmp.Or(briefOf(a), a.Help)
		arguments.entries = append(arguments.entries, entry{a.Summary(), brief, a.Help})
	}
	for _, child := range command.Children {
		if !child.Hidden {
			commands.entries = append(commands.entries, entry{child.Name, child.Help, child.Help})
		}
	}
	groups, last := []section{{title: "Flags"}}, section{title: general}
	for _, f := range slices.Concat(command.AllFlags(true)...) {
		if !selection.uses(f) {
			continue
		}
		title := "Flags"
		switch {
		case f.Name == "help":
			title, f.Help = general, "Show the most important flags."
		case f.Group != nil:
			title = f.Group.Title
		}
		of := &last
		if title != general {
			at := slices.IndexFunc(groups, func(s section) bool { return s.title == title })
			if at < 0 {
				at, groups = len(groups), append(groups, section{title: title})
			}
			of = &groups[at]
		}
		of.entries = append(of.entries, entry{flagName(f), selection.brief(f), withSwitch(f.Help, f)})
	}
	return slices.Concat([]section{arguments, commands}, groups, []section{last})
}

// uses reports whether the selected model has a flag.
func (s *Selection) uses(f *kong.Flag) bool {
	if s == nil {
		return true
	}
	needs := strings.Split(f.Tag.Get("needs"), ",") // [""] for none
	isUsed := func(item string) bool {
		name, _, _ := strings.Cut(item, "=")
		return !s.Unused[name]
	}
	return !s.Unused[f.Name] && slices.ContainsFunc(needs, isUsed)
}

// brief returns the text of a flag in brief help.
func (s *Selection) brief(f *kong.Flag) string {
	switch brief := briefOf(f.Value); {
	case s == nil:
		return brief
	case brief == "" && s.Own[f.Name] && !s.Minor[f.Name]:
		return withSwitch(f.Tag.Get("own"), f)
	case f.Tag.Has("minor"), s.Minor[f.Name]:
		return ""
	default:
		return brief
	}
}

// briefOf returns the tag brief.
func briefOf(v *kong.Value) string {
	brief := v.Tag.Get("brief")
	if brief == "" {
		return ""
	}
	enum := slices.DeleteFunc(v.EnumSlice(), func(value string) bool { return value == "" })
	return withSwitch(strings.ReplaceAll(brief, "${enum}", format.List(enum, "or")), v.Flag)
}

// withSwitch adds the value of a switch that can be negated to its help.
func withSwitch(help string, f *kong.Flag) string {
	if f == nil || f.Tag.Negatable == "" {
		return help
	}
	value := "off"
	if f.Target.Bool() {
		value = "on"
	}
	return strings.TrimSuffix(help, ".") + " (" + value + ")."
}

func flagName(f *kong.Flag) string {
	switch {
	case f.Tag.Negatable != "":
		return "--[no-]" + f.Name
	case f.IsBool() || f.IsCounter():
		return f.String()
	}
	return "--" + f.Name + "=" + valueOf(f)
}

// valueOf returns the value of a flag, or a placeholder.
func valueOf(f *kong.Flag) string {
	const longest = 20
	value := settings.TextOf(f.Target, ",")
	if d, is := f.Target.Interface().(time.Duration); is {
		if value = d.String(); strings.HasSuffix(value, "m0s") {
			value = strings.TrimSuffix(value, "0s")
		}
	}
	isUnset := f.Target.IsZero() && (f.PlaceHolder != "" || f.Target.Kind() == reflect.String)
	if isUnset || value == "" || len(value) > longest {
		return cmp.Or(f.PlaceHolder, strings.ToUpper(f.Name))
	}
	return value
}

// text returns the help. Brief help has the sections that fit on a screen.
func (p *page) text(isBrief bool) []byte {
	var w bytes.Buffer
	fmt.Fprintf(&w, "%s\n\n%s\n", p.summary, format.Wrap("Usage: "+p.usage, columns, 4))
	if len(p.examples) > 0 {
		fmt.Fprintf(&w, "\nExamples\n  %s\n", strings.Join(p.examples, "\n  "))
	}
	if isBrief {
		last := strings.Count(p.moreFlags(999), "\n") // more than any command has
		room := Screen - 2 - last - bytes.Count(w.Bytes(), []byte("\n"))
		shown, rest := briefSections(p.sections, room)
		printSections(&w, shown)
		fmt.Fprintf(&w, "\n%s\n", p.moreFlags(rest))
		return w.Bytes()
	}
	if p.notes != "" {
		fmt.Fprintf(&w, "\n%s\n", format.Wrap(p.notes, columns, 0))
	}
	printSections(&w, p.sections)
	return w.Bytes()
}

// briefSections returns the sections with brief texts that fit into a number of lines, and the
// number of other entries. A section before the results leaves out its last entries for theirs; one
// after them is whole or left out.
func briefSections(all []section, room int) (shown []section, rest int) {
	const heading = 2 // lines
	reserved := 0     // lines for the results
	if i := slices.IndexFunc(all, func(s section) bool { return s.title == results }); i >= 0 {
		reserved = heading + len(all[i].brief().entries)
	}
	for _, s := range all {
		if s.title == results {
			reserved = 0
		}
		brief := s.brief()
		n := len(brief.entries)
		if fitting := max(0, room-reserved-heading); n > fitting && reserved > 0 {
			n = fitting
		} else if n > fitting {
			n = 0
		}
		rest += len(s.entries) - n
		if n == 0 {
			continue
		}
		room -= heading + n
		brief.entries = brief.entries[:n]
		shown = append(shown, brief)
	}
	return shown, rest
}

// brief returns the entries with brief texts.
func (s section) brief() section {
	brief := section{title: s.title}
	for _, e := range s.entries {
		if e.brief != "" {
			brief.entries = append(brief.entries, entry{name: e.name, help: e.brief})
		}
	}
	return brief
}

// printSections prints sections with the texts in one column.
func printSections(w io.Writer, all []section) {
	const widest = 26
	width := 0
	for _, s := range all {
		for _, e := range s.entries {
			if n := utf8.RuneCountInString(e.name); n <= widest {
				width = max(width, n)
			}
		}
	}
	indent := strings.Repeat(" ", width+4)
	for _, s := range all {
		if len(s.entries) == 0 {
			continue
		}
		fmt.Fprintf(w, "\n%s\n", s.title)
		for _, e := range s.entries {
			name := fmt.Sprintf("  %-*s  ", width, e.name)
			if utf8.RuneCountInString(name) > len(indent) {
				name = "  " + e.name + "\n" + indent
			}
			fmt.Fprintln(w, format.Wrap(name+e.help, columns, len(indent)))
		}
	}
}
