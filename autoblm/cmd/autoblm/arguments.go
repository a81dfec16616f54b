package main

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

var (
	// minusFirst matches two or more cells or rows of a structure with a leading minus.
	minusFirst  = regexp.MustCompile(`^-[0-9 ]+[,;][-0-9,; ]*$`)
	negative    = regexp.MustCompile(`^-[0-9.]+$`)
	noValue     = regexp.MustCompile(`^(--[a-z0-9-]+): expected .* value but got "EOL" \(<EOL>\)$`)
	wrongNumber = regexp.MustCompile(`^(--[a-z0-9-]+): expected .*?(int|float) but got ("[^"]*")`)
	unexpected  = regexp.MustCompile(`^unexpected argument (\S+)$`)
)

// readable returns arguments that the parser understands. It replaces the word help, and what the
// parser would take for flags: structures such as -1,0;2,-1 and negative values of flags.
func readable(arguments []string) (all []string) {
	if len(arguments) == 0 || arguments[0] == "help" {
		return slices.Concat(arguments[min(1, len(arguments)):], []string{"--help"})
	}
	for i, a := range arguments {
		switch {
		case minusFirst.MatchString(a):
			all = append(all, " "+a)
		case i > 0 && negative.MatchString(a) && strings.HasPrefix(arguments[i-1], "--"):
			all[len(all)-1] += "=" + a
		default:
			all = append(all, a)
		}
	}
	return all
}

// selectedCommand returns the program and the command of a command line, as far as it is known.
func selectedCommand(line *kong.Context) string {
	command := line.Model.Node
	for _, part := range line.Path {
		if part.Command != nil {
			command = part.Command
		}
	}
	path, _, _ := strings.Cut(command.FullPath(), " (") // the other names
	return path
}

// failedCommand returns the command of a command line that the parser does not understand.
func failedCommand(err error) string {
	if failed := new(kong.ParseError); errors.As(err, &failed) {
		return selectedCommand(failed.Context)
	}
	return name
}

// plainError replaces errors of the parser that few people understand.
func plainError(err error) error {
	text := err.Error()
	if found := noValue.FindStringSubmatch(text); found != nil {
		return errors.New(found[1] + " needs a value")
	}
	if found := wrongNumber.FindStringSubmatch(text); found != nil {
		kind := "a whole number"
		if found[2] == "float" {
			kind = "a number"
		}
		return fmt.Errorf("%s is %s: it must be %s", found[1], found[3], kind)
	}
	failed := new(kong.ParseError)
	if found := unexpected.FindStringSubmatch(text); found != nil && errors.As(err, &failed) {
		for _, flag := range failed.Context.Flags() {
			if flag.Name == "dataset" {
				return fmt.Errorf("%w, did you mean --dataset %s?", err, found[1])
			}
		}
	}
	return err
}
