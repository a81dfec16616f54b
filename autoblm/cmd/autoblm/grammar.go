package main

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/internal/words"
)

// newParser reads command lines into c, whose values are the defaults of its flags.
func newParser(c any, options ...kong.Option) (*kong.Kong, error) {
	var algorithms, tasks, purposes []string
	for _, strategy := range search.Strategies() {
		algorithms = append(algorithms, strategy.Name())
	}
	for _, kind := range autoblm.Tasks {
		tasks, purposes = append(tasks, kind.Name), append(purposes, fmt.Sprintf("%s (%s)", kind.Name, kind.Purpose))
	}
	return kong.New(c, append(options,
		kong.Vars{
			"algorithm": autoblm.DefaultSearch().Algorithm, "algorithms": strings.Join(algorithms, ","),
			"task": usualTask(), "tasks": strings.Join(tasks, ","), "purposes": words.List(purposes, "or"),
		},
		kong.PostBuild(takeDefaults), kong.WithAfterApply(dropUnused),
	)...)
}

// usualTask is the name of the first task.
func usualTask() string { return autoblm.Tasks[0].Name }

// takeDefaults makes what flags hold their defaults: 0 and the like only for settings, which
// have names in JSON too.
func takeDefaults(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		flag, is := node.(*kong.Flag)
		if is && !flag.HasDefault && (!flag.Target.IsZero() || flag.Tag.Has("json") && !flag.IsSlice()) {
			flag.HasDefault, flag.Default = true, flagValue(flag.Target)
		}
		return next(nil)
	})
}

// dropUnused sets settings to 0 that count only beside another one, which is 0.
func dropUnused(ctx *kong.Context) error {
	flags := map[string]*kong.Flag{}
	for _, flag := range ctx.Flags() {
		flags[flag.Name] = flag
	}
	for _, flag := range flags {
		if other := flags[flag.Tag.Get("beside")]; other != nil && other.Target.IsZero() {
			flag.Target.SetZero()
		}
	}
	return nil
}

// given is the value that the command line has for a flag or an argument.
func given[T any](ctx *kong.Context, name string) (value T, is bool) {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == name || p.Positional != nil && p.Positional.Name == name {
			return ctx.Value(p).Interface().(T), true
		}
	}
	return value, false
}

// flagText is a flag with its value as it is written.
type flagText struct{ name, value string }

// words are the arguments that give the flag its value.
func (f flagText) words() []string {
	if f.value == "true" || f.value == "false" { // which no flag but a switch has
		return []string{"--" + f.name + "=" + f.value}
	}
	return []string{"--" + f.name, f.value}
}

// flagsOf are the flags of a command, or of a line without commands, with their present
// values.
func flagsOf(parser *kong.Kong, command string) []flagText {
	node := parser.Model.Node
	for _, child := range node.Children {
		if child.Name == command {
			node = child
		}
	}
	var all []flagText
	for _, flag := range node.Flags {
		all = append(all, flagText{flag.Name, flagValue(flag.Target)})
	}
	return all
}

// otherThan are the arguments for flags that are not as usual, and for those named.
func otherThan(usual, flags []flagText, always ...string) []string {
	var words []string
	for i, flag := range flags {
		if flag != usual[i] || slices.Contains(always, flag.name) {
			words = append(words, flag.words()...)
		}
	}
	return words
}

// flagValue is a value as the parser reads it.
func flagValue(v reflect.Value) string {
	if marshaler, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := marshaler.MarshalText(); err == nil {
			return string(text)
		}
	}
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	words := make([]string, v.Len())
	for i := range words {
		words[i] = flagValue(v.Index(i))
	}
	return strings.Join(words, ",")
}
