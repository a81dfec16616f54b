// Package completions suggests how a command line may go on, and has the scripts by which
// bash, zsh and fish ask. What there are of commands, flags and values is read off the
// parser's model.
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

// Suggestion is a word, and what it is.
type Suggestion struct{ Word, Help string }

// Print writes suggestions for the scripts, one a line with a tab before the help.
func Print(w io.Writer, all []Suggestion) {
	for _, s := range all {
		help, _, _ := strings.Cut(s.Help, "\n")
		fmt.Fprintf(w, "%s\t%s\n", s.Word, help)
	}
}

// Suggest are the words that the last one may become, of a command line without its program.
// The function names the values that a flag or an argument of a command takes, beyond those
// that its type or its tags tell. There are none where a file may stand.
func Suggest(model *kong.Application, line []string, valuesOf func(command *kong.Node, v *kong.Value) []string) []Suggestion {
	if len(line) == 0 {
		line = []string{""}
	}
	s := state{node: model.Node, valuesOf: valuesOf}
	for _, word := range line[:len(line)-1] {
		s.pass(word)
	}
	return s.next(line[len(line)-1])
}

// state is where on the command line one is.
type state struct {
	node       *kong.Node
	given      []*kong.Flag
	pending    *kong.Flag // whose value is next
	positional int
	noFlags    bool // after --
	valuesOf   func(*kong.Node, *kong.Value) []string
}

// pass goes over a word that stands already.
func (s *state) pass(word string) {
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
		if flag.Name == name || "no-"+flag.Name == name && flag.Tag.Negatable != "" || flag.Short != 0 && string(flag.Short) == name {
			return flag
		}
	}
	return nil
}

// next are the words that begin like the given one.
func (s *state) next(begun string) []Suggestion {
	if s.pending != nil {
		return beginning(begun, s.values(begun, s.pending.Value))
	}
	if name, value, has := strings.Cut(begun, "="); has && strings.HasPrefix(name, "--") && !s.noFlags {
		flag := s.flag(strings.TrimPrefix(name, "--"))
		if flag == nil {
			return nil
		}
		all := s.values(value, flag.Value)
		for i := range all {
			all[i].Word = name + "=" + all[i].Word
		}
		return beginning(begun, all)
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
			all = append(all, s.values(begun, s.node.Positional[s.positional])...)
		case last.IsCumulative():
			all = append(all, s.values(begun, last)...)
		}
	}
	if strings.HasPrefix(begun, "-") && !s.noFlags || begun == "" && len(s.node.Children) == 0 && s.positional >= len(s.node.Positional) {
		all = append(all, s.flagWords()...)
	}
	return beginning(begun, all)
}

// flagWords are the flags that are not given yet, or may be given again.
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

// values are those of a flag or an argument; of a list, what may be its last value.
func (s *state) values(begun string, v *kong.Value) (all []Suggestion) {
	before := ""
	if v.IsSlice() {
		before = begun[:strings.LastIndex(begun, ",")+1]
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

// enumerated are the values that a tag lists, or that the type itself tells when it is to
// read what is none of them.
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

func beginning(begun string, all []Suggestion) (fitting []Suggestion) {
	for _, s := range all {
		if strings.HasPrefix(s.Word, begun) {
			fitting = append(fitting, s)
		}
	}
	return fitting
}
