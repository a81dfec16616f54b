// Package completions completes command lines. It has scripts for bash, zsh and fish, and derives
// commands, flags and values from the parser's model.
package completions

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Suggestion is a word with its description.
type Suggestion struct{ Word, Help string }

// Print prints suggestions for the scripts: one per line, with a tab before the help.
func Print(w io.Writer, all []Suggestion) {
	for _, s := range all {
		help, _, _ := strings.Cut(s.Help, "\n")
		fmt.Fprintf(w, "%s\t%s\n", s.Word, help)
	}
}

// Suggest returns completions of the last word of a command line, which excludes the program.
// valuesOf returns the values of a flag or an argument, if its type and tags do not have them.
// There are no suggestions for files.
func Suggest(
	model *kong.Application, line []string,
	valuesOf func(command *kong.Node, v *kong.Value) []string,
) []Suggestion {
	if len(line) == 0 {
		line = []string{""}
	}
	s := state{node: model.Node, valuesOf: valuesOf}
	for _, word := range line[:len(line)-1] {
		s.read(word)
	}
	return s.complete(line[len(line)-1])
}

// state is the state of reading a command line.
type state struct {
	node       *kong.Node
	pending    *kong.Flag // the next word is its value
	positional int
	valuesOf   func(*kong.Node, *kong.Value) []string
}

// read reads a complete word.
func (s *state) read(word string) {
	switch {
	case s.pending != nil:
		s.pending = nil
	case strings.HasPrefix(word, "-"):
		for _, flag := range s.flags() {
			if word == "--"+flag.Name && !flag.IsBool() && !flag.IsCounter() {
				s.pending = flag
			}
		}
	default:
		for _, child := range s.node.Children {
			if child.Type == kong.CommandNode && child.Name == word {
				s.node, s.positional = child, 0
				return
			}
		}
		s.positional++
	}
}

func (s *state) flags() []*kong.Flag {
	return slices.Concat(s.node.AllFlags(true)...)
}

// complete returns the words with a prefix.
func (s *state) complete(prefix string) []Suggestion {
	if s.pending != nil {
		return withPrefix(prefix, s.values(s.pending.Value))
	}
	var all []Suggestion
	for _, child := range s.node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all = append(all, Suggestion{child.Name, child.Help})
		}
	}
	arguments := s.node.Positional
	next := s.positional
	if n := len(arguments); n > 0 && arguments[n-1].IsCumulative() {
		next = min(next, n-1)
	}
	if next < len(arguments) {
		all = append(all, s.values(arguments[next])...)
	}
	isComplete := len(s.node.Children) == 0 && s.positional >= len(arguments)
	if strings.HasPrefix(prefix, "-") || prefix == "" && isComplete {
		for _, flag := range s.flags() {
			if !flag.Hidden {
				all = append(all, Suggestion{"--" + flag.Name, flag.Help})
			}
		}
	}
	return withPrefix(prefix, all)
}

// values returns the values of a flag or an argument.
func (s *state) values(v *kong.Value) (all []Suggestion) {
	known := s.valuesOf(s.node, v)
	if known == nil {
		known = enumerated(v)
	}
	for _, value := range known {
		if value != "" {
			all = append(all, Suggestion{value, ""})
		}
	}
	return all
}

// enumerated returns the values of a tag, or those in the error of the type for an unknown value.
func enumerated(v *kong.Value) []string {
	if v.Enum != "" {
		return v.EnumSlice()
	}
	kind := v.Target.Type()
	for kind.Kind() == reflect.Pointer || kind.Kind() == reflect.Slice {
		kind = kind.Elem()
	}
	reader, ok := reflect.New(kind).Interface().(encoding.TextUnmarshaler)
	if !ok {
		return nil
	}
	err := reader.UnmarshalText([]byte("?"))
	if unknown, is := errors.AsType[*enum.UnknownError](err); is {
		return unknown.Names
	}
	return nil
}

func withPrefix(prefix string, all []Suggestion) (matching []Suggestion) {
	for _, s := range all {
		if strings.HasPrefix(s.Word, prefix) {
			matching = append(matching, s)
		}
	}
	return matching
}
