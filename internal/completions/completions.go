// Package completions completes command lines. It has scripts for bash, zsh and fish, and derives
// commands, flags and values from the parser's model.
package completions

import (
	"encoding"
	"errors"
	"fmt"
	"io"
	"reflect"
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
	given      []*kong.Flag
	pending    *kong.Flag // the next word is its value
	positional int
	noFlags    bool // after --
	valuesOf   func(*kong.Node, *kong.Value) []string
}

// read reads a complete word.
func (s *state) read(word string) {
	switch {
	case s.pending != nil:
		s.pending = nil
	case s.noFlags:
		s.positional++
	case word == "--":
		s.noFlags = true
	case strings.HasPrefix(word, "-") && len(word) > 1:
		name, _, whole := strings.Cut(strings.TrimLeft(word, "-"), "=")
		if flag := s.flag(name); flag != nil {
			s.given = append(s.given, flag)
			if !whole && !flag.IsBool() && !flag.IsCounter() {
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

func (s *state) flags() (all []*kong.Flag) {
	for _, group := range s.node.AllFlags(true) {
		all = append(all, group...)
	}
	return all
}

func (s *state) flag(name string) *kong.Flag {
	for _, flag := range s.flags() {
		isNegated := "no-"+flag.Name == name && flag.Tag.Negatable != ""
		isShort := flag.Short != 0 && string(flag.Short) == name
		if flag.Name == name || isNegated || isShort {
			return flag
		}
	}
	return nil
}

// complete returns the words with a prefix.
func (s *state) complete(prefix string) []Suggestion {
	if s.pending != nil {
		return withPrefix(prefix, s.values(prefix, s.pending.Value))
	}
	name, value, has := strings.Cut(prefix, "=")
	if has && strings.HasPrefix(name, "--") && !s.noFlags {
		flag := s.flag(strings.TrimPrefix(name, "--"))
		if flag == nil {
			return nil
		}
		all := s.values(value, flag.Value)
		for i := range all {
			all[i].Word = name + "=" + all[i].Word
		}
		return withPrefix(prefix, all)
	}
	var all []Suggestion
	for _, child := range s.node.Children {
		if child.Type == kong.CommandNode && !child.Hidden {
			all = append(all, Suggestion{child.Name, child.Help})
		}
	}
	if n := len(s.node.Positional); n > 0 {
		last := s.node.Positional[n-1]
		switch {
		case s.positional < n:
			all = append(all, s.values(prefix, s.node.Positional[s.positional])...)
		case last.IsCumulative():
			all = append(all, s.values(prefix, last)...)
		}
	}
	isFlag := strings.HasPrefix(prefix, "-") && !s.noFlags
	isComplete := len(s.node.Children) == 0 && s.positional >= len(s.node.Positional)
	if isFlag || prefix == "" && isComplete {
		all = append(all, s.flagWords()...)
	}
	return withPrefix(prefix, all)
}

// flagWords returns the flags that may follow.
func (s *state) flagWords() (all []Suggestion) {
	given := map[*kong.Flag]bool{}
	for _, flag := range s.given {
		given[flag] = !flag.IsCumulative()
	}
	for _, flag := range s.flags() {
		if given[flag] || flag.Hidden {
			continue
		}
		all = append(all, Suggestion{"--" + flag.Name, flag.Help})
		if flag.Tag.Negatable != "" {
			all = append(all, Suggestion{"--no-" + flag.Name, "Not: " + flag.Help})
		}
	}
	return all
}

// values returns the values of a flag or an argument; for a list, completions of its last value.
func (s *state) values(prefix string, v *kong.Value) (all []Suggestion) {
	before := ""
	if v.IsSlice() {
		before = prefix[:strings.LastIndex(prefix, ",")+1]
	}
	known := s.valuesOf(s.node, v)
	if known == nil {
		known = enumerated(v)
	}
	for _, value := range known {
		if value != "" {
			all = append(all, Suggestion{before + value, ""})
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
	var unknown *enum.UnknownError
	if errors.As(reader.UnmarshalText([]byte("?")), &unknown) {
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
