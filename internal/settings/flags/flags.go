// Package flags turns the fields of settings into flags of a command line. The parser is kong,
// which reads the tags of the fields. Six more tags are read here. Fields with a json name always
// have a default, also if it is zero. The tag needs names other flags, as in "n3,l3" or "loss=bce": if
// all of them are zero or have other values, this one has no effect and is zero. The tag with is alike,
// but the flag keeps its value. The tag brief is the one-line help of a common flag. In brief help for
// a model (see Selection), flags that matter for it show their tag own, and flags with the tag minor
// are left out.
package flags

import (
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Parser returns a parser of command lines into c. The values in c are the defaults.
func Parser(c any, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(options,
		kong.PostBuild(takeDefaults), kong.PostBuild(checkNames), kong.WithAfterApply(checkOnce),
		kong.WithAfterApply(checkLimits), kong.WithAfterApply(settleCompanions),
	)...)
}

// takeDefaults makes the present values of flags their defaults.
func takeDefaults(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		flag, ok := node.(*kong.Flag)
		if ok && !flag.HasDefault &&
			(!flag.Target.IsZero() || flag.Tag.Has("json") && !flag.IsSlice()) {
			flag.HasDefault, flag.Default = true, settings.TextOf(flag.Target, ",")
		}
		return next(nil)
	})
}

// checkNames gives unknown enumerated values the error that settings give.
func checkNames(k *kong.Kong) error {
	return kong.Visit(k.Model, func(node kong.Visitable, next kong.Next) error {
		switch n := node.(type) {
		case *kong.Flag:
			checkName(n.Value)
		case *kong.Value:
			checkName(n)
		}
		return next(nil)
	})
}

func checkName(v *kong.Value) {
	if v.Enum == "" || v.Target.Kind() != reflect.String {
		return
	}
	read := v.Mapper
	v.Mapper = kong.MapperFunc(func(ctx *kong.DecodeContext, target reflect.Value) error {
		err := read.Decode(ctx, target)
		if all := v.EnumSlice(); err == nil && !slices.Contains(all, target.String()) {
			err = enum.Unknown("value", target.String(), all)
		}
		return err
	})
}

// checkOnce returns an error if a required flag for one value is given twice. Of other flags the last
// counts, so that scripts can change their own defaults.
func checkOnce(ctx *kong.Context) error {
	given := map[*kong.Flag]bool{}
	for _, p := range ctx.Path {
		if p.Flag == nil {
			continue
		}
		if given[p.Flag] && p.Flag.Required && !p.Flag.IsCumulative() {
			return fmt.Errorf("--%s is given twice, but takes one value: leave out one of them", p.Flag.Name)
		}
		given[p.Flag] = true
	}
	return nil
}

// checkLimits returns an error if a given flag is outside the limits in its tags.
func checkLimits(ctx *kong.Context) error {
	for _, p := range ctx.Path {
		if p.Flag == nil {
			continue
		}
		if err := settings.CheckValue(p.Flag.Name, limitTags(p.Flag.Tag), p.Flag.Target); err != nil {
			return err
		}
	}
	return nil
}

// limitTags returns the tags of a field with its limits.
func limitTags(t *kong.Tag) reflect.StructTag {
	var tag strings.Builder
	for _, limit := range settings.Limits {
		if t.Has(limit) {
			fmt.Fprintf(&tag, "%s:%q ", limit, t.Get(limit))
		}
	}
	return reflect.StructTag(tag.String())
}

// companions returns the flags in the tag needs or with of a flag, as on a command line, and whether
// one of them has the value that the tag asks for. There are none if the command has none of them.
func companions(all map[string]*kong.Flag, tag string) (names []string, isMet bool) {
	for item := range strings.SplitSeq(tag, ",") {
		name, value, hasValue := strings.Cut(item, "=")
		companion := all[name]
		if companion == nil {
			continue
		}
		names = append(names, "--"+strings.Replace(item, "=", " ", 1))
		if hasValue {
			isMet = isMet || settings.TextOf(companion.Target, ",") == value
		} else {
			isMet = isMet || !companion.Target.IsZero()
		}
	}
	return names, isMet
}

// byName returns the flags of a command.
func byName(ctx *kong.Context) map[string]*kong.Flag {
	all := map[string]*kong.Flag{}
	for _, flag := range ctx.Flags() {
		all[flag.Name] = flag
	}
	return all
}

// settleCompanions applies the tag needs, which lists flags separated by commas: a flag is zero if
// it has none of these companions. Otherwise it has its default, unless it has a value.
func settleCompanions(ctx *kong.Context) error {
	all := byName(ctx)
	for _, flag := range all {
		names, isMet := companions(all, flag.Tag.Get("needs"))
		switch {
		case names == nil:
		case !isMet:
			flag.Target.SetZero()
		case flag.Target.IsZero() && !IsGiven(ctx, flag.Name):
			if err := flag.Reset(); err != nil {
				return err
			}
		}
	}
	return nil
}

// checkCompanions returns an error if the command line has a flag, with a value that is not zero,
// without any of the companions in its tags needs and with. A configuration may have such flags.
func checkCompanions(ctx *kong.Context) error {
	all := byName(ctx)
	for flag := range OnCommandLine(ctx) {
		for _, tag := range []string{"needs", "with"} {
			names, isMet := companions(all, flag.Tag.Get(tag))
			if names != nil && !isMet && !flag.Target.IsZero() {
				return fmt.Errorf("--%s has no effect without %s: add it, or leave --%[1]s out",
					flag.Name, format.List(names, "or"))
			}
		}
	}
	return nil
}

// OnCommandLine returns the flags of the command line itself, without those of a configuration.
func OnCommandLine(ctx *kong.Context) iter.Seq[*kong.Flag] {
	return func(yield func(*kong.Flag) bool) {
		for _, p := range ctx.Path {
			if p.Flag != nil && !p.Resolved && !yield(p.Flag) {
				return
			}
		}
	}
}

// IsGiven reports whether the command line or its configuration has one of the flags.
func IsGiven(ctx *kong.Context, names ...string) bool {
	return slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool {
		return p.Flag != nil && slices.Contains(names, p.Flag.Name)
	})
}
