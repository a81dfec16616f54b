package main

import (
	"os"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
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

// orEmpty returns an empty list instead of nil, so that JSON has [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
