package main

import (
	"os"
	"regexp"
	"strings"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/record"
)

// name is the name of the program.
const name = "autoblm"

// output receives the result and the messages of a command.
type output = cli.Output

// longFlag matches flags such as --model and --model=m.
var longFlag = regexp.MustCompile(`^--[a-z]`)

// shellCommand returns the program with these arguments, quoted for a shell. An argument that begins
// with a hyphen and is no long flag is the value of the flag before it, or a path.
func shellCommand(arguments []string) string {
	command := name
	if strings.Contains(os.Args[0], "go-build") { // run by go run
		command = "go run ./autoblm/cmd/autoblm"
	}
	var words []string
	for i, a := range arguments {
		switch {
		case len(a) < 2 || a == "--" || a[0] != '-' || longFlag.MatchString(a) || minusFirst.MatchString(a):
			words = append(words, a)
		case i > 0 && strings.HasPrefix(words[len(words)-1], "--"):
			words[len(words)-1] += "=" + a
		default:
			words = append(words, "./"+a)
		}
	}
	return strings.TrimSpace(command + " " + record.CommandLine(words...))
}

// orEmpty returns an empty list instead of nil, so that JSON has [] instead of null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}
