package main

import (
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// helpCommand is --help as a command; see [expandHelp].
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"Command, such as search or dataset info."`
}

// expandHelp replaces the command help by the flag --help.
func expandHelp(arguments []string) []string {
	if len(arguments) == 0 {
		return []string{"--help"}
	}
	first := slices.IndexFunc(arguments, func(a string) bool { return !strings.HasPrefix(a, "-") })
	if first >= 0 && arguments[first] == "help" {
		rest := slices.Concat(arguments[:first], arguments[first+1:])
		if slices.Contains(rest, "--help") || slices.Contains(rest, "--help-all") {
			return rest
		}
		return append(rest, "--help")
	}
	return arguments
}

type versionCommand struct{}

func (versionCommand) Run(o *output) error {
	b := cli.ReadBuild()
	return o.Result(b, func(w io.Writer) { b.Print(w, name) })
}
