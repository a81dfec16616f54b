// Package flags makes the fields of settings the flags of a command line, and the other
// way round a command line of settings. The parser is kong, which reads the tags of the
// fields as they are; three more are read here: fields with a name in JSON have a default in
// any case, beside names the flag without which a setting counts for nothing, and brief is
// what help says of a flag that most users need, where it cannot say all.
package flags

import (
	"encoding"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Parser reads command lines into c, whose values are the defaults of its flags.
func Parser(c any, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(options, kong.PostBuild(takeDefaults), kong.PostBuild(nameEnumerations), kong.WithAfterApply(checkLimits), kong.WithAfterApply(dropUnused))...)
}

// takeDefaults makes what flags hold their defaults: 0 and the like only for settings.
func takeDefaults(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		flag, is := node.(*kong.Flag)
		if is && !flag.HasDefault && (!flag.Target.IsZero() || flag.Tag.Has("json") && !flag.IsSlice()) {
			flag.HasDefault, flag.Default = true, valueOf(flag.Target)
		}
		return next(nil)
	})
}

// nameEnumerations has errors about enumerated values say what values of settings say.
func nameEnumerations(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Flag:
			enumerate(n.Value)
		case *kong.Value:
			enumerate(n)
		}
		return next(nil)
	})
}

func enumerate(v *kong.Value) {
	if v.Enum == "" || v.Target.Kind() != reflect.String {
		return
	}
	read := v.Mapper
	v.Mapper = kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		err := read.Decode(ctx, target)
		if all := v.EnumSlice(); err == nil && !slices.Contains(all, target.String()) {
			err = enum.Unknown(v.Name, target.String(), all)
		}
		return err
	})
}

// checkLimits says which of the flags that are given is out of the limits of its tags, also
// where it would count for nothing.
func checkLimits(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag == nil {
			continue
		}
		name, _, _ := strings.Cut(p.Flag.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			name = p.Flag.Name
		}
		if err := settings.CheckValue(name, tagOf(p.Flag.Tag), p.Flag.Target); err != nil {
			return err
		}
	}
	return nil
}

// tagOf is the tag of a field as the parser has kept it.
func tagOf(t *kong.Tag) reflect.StructTag {
	var tag strings.Builder
	for _, limit := range settings.Limits {
		if t.Has(limit) {
			fmt.Fprintf(&tag, "%s:%q ", limit, t.Get(limit))
		}
	}
	return reflect.StructTag(tag.String())
}

// dropUnused sets settings to 0 that count only beside another one, which is 0.
func dropUnused(ctx *kong.Context) error {
	all := map[string]*kong.Flag{}
	for _, flag := range ctx.Flags() {
		all[flag.Name] = flag
	}
	for _, flag := range all {
		if other := all[flag.Tag.Get("beside")]; other != nil && other.Target.IsZero() {
			flag.Target.SetZero()
		}
	}
	return nil
}

// IsGiven says whether the command line has a value for a flag or an argument.
func IsGiven(ctx *kong.Context, name string) bool {
	_, is := Given[any](ctx, name)
	return is
}

// Given is the value that the command line has for a flag or an argument.
func Given[T any](ctx *kong.Context, name string) (value T, is bool) {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == name || p.Positional != nil && p.Positional.Name == name {
			return ctx.Value(p).Interface().(T), true
		}
	}
	return value, false
}

// Is says whether a flag is given.
func Is(ctx *kong.Context, name string) bool {
	return slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool { return p.Flag != nil && p.Flag.Name == name })
}

// Flag is a flag with its value, as they are written.
type Flag struct{ Name, Value string }

// Words are the arguments that give the flag its value.
func (f Flag) Words() []string {
	if f.Value == "true" || f.Value == "false" { // which no flag but a switch has
		return []string{"--" + f.Name + "=" + f.Value}
	}
	return []string{"--" + f.Name, f.Value}
}

// Of are the flags of a command, or of a line without commands, with their present
// values.
func Of(parser *kong.Kong, command string) []Flag {
	node := parser.Model.Node
	for _, child := range node.Children {
		if child.Name == command {
			node = child
		}
	}
	var all []Flag
	for _, flag := range node.Flags {
		all = append(all, Flag{flag.Name, valueOf(flag.Target)})
	}
	return all
}

// Unlike are the arguments for flags that are not as usual, and for those named.
func Unlike(usual, flags []Flag, always ...string) []string {
	var words []string
	for i, flag := range flags {
		if flag != usual[i] || slices.Contains(always, flag.Name) {
			words = append(words, flag.Words()...)
		}
	}
	return words
}

// valueOf is a value as the parser reads it.
func valueOf(v reflect.Value) string {
	if marshaler, ok := v.Interface().(encoding.TextMarshaler); ok {
		if text, err := marshaler.MarshalText(); err == nil {
			return string(text)
		}
	}
	if v.Kind() != reflect.Slice {
		return fmt.Sprint(v.Interface())
	}
	parts := make([]string, v.Len())
	for i := range parts {
		parts[i] = valueOf(v.Index(i))
	}
	return strings.Join(parts, ",")
}
