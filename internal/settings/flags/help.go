package flags

import (
	"bytes"
	"cmp"
	"io"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/format"
)

// Screen is the maximum number of lines of help.
const Screen = 40

// columns is the width of help.
const columns = 80

// Examples maps commands, such as "query train" or "" for the program, to examples of their
// arguments.
type Examples map[string][]string

// Resolver is a command whose defaults depend on its flags. ResolveDefaults sets the values that a
// run would have, as far as they are known before the data are read. It returns their source for
// the title of the group "Training", or "".
type Resolver interface {
	ResolveDefaults(line *kong.Context) (source string, err error)
}

// Tuner is a command that tries several values of some settings. SpaceHelp returns a title and, for each
// of them, its flag and its values; no rows for a command line that tries none.
type Tuner interface {
	SpaceHelp(line *kong.Context) (title string, rows [][2]string)
}

// Selector is a command that chooses a model. Selection is called after ResolveDefaults; it returns nil
// if no model is chosen.
type Selector interface {
	Selection(line *kong.Context) *Selection
}

// Selection adapts the help of a command to a chosen model.
type Selection struct {
	// Arguments choose the model, such as "--model conve".
	Arguments string
	// Unused has the flags that are not for the model. Help leaves them out, with flags that need them.
	Unused map[string]bool
	// Own has flags that matter for the model. Brief help shows those with the tag own.
	Own map[string]bool
	// Minor has flags that brief help leaves out, such as those whose values [Tuner.SpaceHelp] lists.
	Minor map[string]bool
	// Examples replace those of the command.
	Examples []string
}

// HelpAll is a flag that prints the full help.
type HelpAll bool

// IgnoreDefault makes the parser call BeforeReset only if the flag is given.
func (HelpAll) IgnoreDefault() {}

// BeforeReset prints the full help.
func (HelpAll) BeforeReset(ctx *kong.Context, e Examples) error {
	err := printHelp(ctx.Stdout, e.pageFor(ctx).text(false))
	if err == nil {
		ctx.Exit(0)
	}
	return err
}

// PrintHelp prints the full help if it fits on a screen, otherwise a line for each flag and
// argument with the tag brief.
func (e Examples) PrintHelp(_ kong.HelpOptions, ctx *kong.Context) error {
	page := e.pageFor(ctx)
	text := page.text(false)
	if bytes.Count(text, []byte("\n")) > Screen {
		text = page.text(true)
	}
	return printHelp(ctx.Stdout, text)
}

// printHelp prints line by line, because a pipe to head may close.
func printHelp(w io.Writer, text []byte) error {
	for line := range bytes.Lines(text) {
		if _, err := w.Write(line); err != nil {
			return err
		}
	}
	return nil
}

// pageFor returns the help of the selected command, with the values of a run with the same flags.
func (e Examples) pageFor(ctx *kong.Context) *page {
	command, source := cmp.Or(ctx.Selected(), ctx.Model.Node), ""
	if apply(ctx) != nil {
		return e.page(ctx.Model, command, source, nil)
	}
	source = resolveDefaults(ctx, command)
	p := e.page(ctx.Model, command, source, selectionOf(ctx, command))
	if command.Target.CanAddr() {
		if tuner, ok := command.Target.Addr().Interface().(Tuner); ok {
			p.addSpace(tuner.SpaceHelp(ctx))
		}
	}
	return p
}

// selectionOf returns the selection of a command, nil if it has none.
func selectionOf(ctx *kong.Context, command *kong.Node) *Selection {
	if !command.Target.CanAddr() {
		return nil
	}
	selector, ok := command.Target.Addr().Interface().(Selector)
	if !ok {
		return nil
	}
	return selector.Selection(ctx)
}

// addSpace adds a first section with the values that a command tries.
func (p *page) addSpace(title string, rows [][2]string) {
	s := section{title: title}
	for _, row := range rows {
		s.entries = append(s.entries, entry{row[0], row[1], row[1]})
	}
	p.sections = slices.Insert(p.sections, 0, s)
}

// apply sets the flags to their defaults and then to the values of the command line and of a
// configuration, as the parser does after help.
func apply(ctx *kong.Context) error {
	if err := ctx.Reset(); err != nil {
		return err
	}
	for _, at := range ctx.Path {
		if at.Flag == nil {
			continue
		}
		if file, is := at.Flag.Target.Interface().(ConfigFile); is {
			if err := file.BeforeResolve(ctx, at); err != nil {
				return err
			}
		}
	}
	if err := ctx.Resolve(); err != nil {
		return err
	}
	if _, err := ctx.Apply(); err != nil {
		return err
	}
	return settleCompanions(ctx)
}

// resolveDefaults returns the source of the defaults, "" if the command has none or the flags are
// wrong: help is printed anyway.
func resolveDefaults(ctx *kong.Context, command *kong.Node) string {
	if !command.Target.CanAddr() {
		return ""
	}
	resolver, ok := command.Target.Addr().Interface().(Resolver)
	if !ok {
		return ""
	}
	source, err := resolver.ResolveDefaults(ctx)
	if err != nil {
		return ""
	}
	return source
}

// moreFlags returns the last lines of brief help.
func (p *page) moreFlags(rest int) string {
	return breakCommand(format.Count(rest, "more flag") + ": " + p.path + p.arguments + " --help-all")
}
