package main

import (
	"context"
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/ctxutil"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/record"
)

// name is the name of the program.
const name = "autoblm"

// output receives the result and the messages of a command.
type output = cli.Output

// shellCommand returns the program with these arguments, quoted for a shell.
func shellCommand(arguments []string) string {
	command := name
	if strings.Contains(os.Args[0], "go-build") { // run by go run
		command = "go run ./autoblm/cmd/autoblm"
	}
	return strings.TrimSpace(command + " " + record.CommandLine(arguments...))
}

// opened calls open, but returns at once if ctx is cancelled.
func opened[Name, Data any](
	ctx context.Context, open func(Name) (Data, error), name Name,
) (Data, error) {
	return ctxutil.Call(ctx, func() (Data, error) { return open(name) })
}

// read opens data like opened, with a progress bar if it takes long.
func read[Data any](
	ctx context.Context, o *output, open func(string) (Data, error), name string,
) (Data, error) {
	defer showActivity(o, "reading "+format.Escape(name))()
	return opened(ctx, open, name)
}

// warn prints the warnings of a data set.
func warn(o *output, warnings []string) {
	for _, warning := range warnings {
		o.Message("autoblm: warning: %s", warning)
	}
}

// orEmpty returns an empty list instead of nil, so that JSON has [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
