package main

import (
	"encoding"
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

var (
	// minusFirst matches two or more cells or rows of a structure with a leading minus.
	minusFirst  = regexp.MustCompile(`^-[0-9 ]+[,;][-0-9,; ]*$`)
	negative    = regexp.MustCompile(`^-[0-9.]+$`)
	noValue     = regexp.MustCompile(`^(--[a-z0-9-]+): expected .* value but got "EOL" \(<EOL>\)$`)
	wrongNumber = regexp.MustCompile(`^(--[a-z0-9-]+): expected .*?(uint|int|float) but got ("[^"]*")`)
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
	if failed, is := errors.AsType[*kong.ParseError](err); is {
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
		switch found[2] {
		case "float":
			kind = "a number"
		case "uint":
			kind = "a whole number from 0 on"
		}
		return fmt.Errorf("%s is %s: it must be %s", found[1], found[3], kind)
	}
	failed, isParsing := errors.AsType[*kong.ParseError](err)
	if unknown, is := errors.AsType[*enum.UnknownError](err); is && isParsing {
		if others := flagsFor(failed.Context, unknown.Name); len(others) > 0 {
			flag, _, _ := strings.Cut(text, ":")
			return fmt.Errorf("%s has no value %q; did you mean %s?",
				flag, unknown.Name, format.List(others, "or"))
		}
	}
	found := unexpected.FindStringSubmatch(text)
	if found != nil && !strings.HasPrefix(found[1], "-") && isParsing {
		if name := firstInput(failed.Context); name != "" {
			return fmt.Errorf("%w, did you mean --%s %s?", err, name, found[1])
		}
	}
	return err
}

// firstInput returns the name of the flag for what a command reads first and is not given: the one
// that is required, or else the data. It is "" if the command reads nothing, or an argument.
func firstInput(line *kong.Context) (name string) {
	hasArgument := slices.ContainsFunc(line.Path, func(p *kong.Path) bool { return p.Positional != nil })
	for _, flag := range line.Flags() {
		switch flag.Name {
		case "model", "study", "dataset":
			if flags.IsGiven(line, flag.Name) {
				continue
			}
			if flag.Required {
				return flag.Name
			}
			if !hasArgument && (name == "" || flag.Name == "dataset") {
				name = flag.Name
			}
		}
	}
	return name
}

// flagsFor returns the flag of a command that chooses a model with a name, with its value. A name may
// be the first part of several values, such as compgcn. There is none for an unknown name.
func flagsFor(line *kong.Context, name string) (all []string) {
	for _, flag := range line.Flags() {
		if !slices.Contains([]string{"structure", "model", "encoder"}, flag.Name) {
			continue
		}
		reader, isText := reflect.New(flag.Target.Type()).Interface().(encoding.TextUnmarshaler)
		if !isText || strings.HasPrefix(name, "@") { // a file
			continue
		}
		err := reader.UnmarshalText([]byte(name))
		if err == nil {
			return []string{"--" + flag.Name + " " + name}
		}
		unknown, is := errors.AsType[*enum.UnknownError](err)
		if !is {
			continue
		}
		for _, value := range unknown.Names {
			if flag.Name == "encoder" && strings.HasPrefix(value, name+"-") {
				all = append(all, "--encoder "+value)
			}
		}
	}
	return all
}
