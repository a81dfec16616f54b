package main

import (
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
)

// helpCommand is --help as a command; see [helped].
type helpCommand struct {
	Command []string `arg:"" optional:"" help:"The command, such as search or dataset info."`
}

// helped makes of "help search" what it stands for.
func helped(arguments []string) []string {
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

// Run tells how the program was built.
func (versionCommand) Run(o *output) error {
	b := cli.ReadBuild()
	return o.Result(b, func(w io.Writer) { b.Print(w, name) })
}
