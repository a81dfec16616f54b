// Package flags turns the fields of settings into flags of a command line. The parser is kong,
// which reads the tags of the fields. Five more tags are read here. Fields with a json name always
// have a default, also if it is zero. The tag needs names other flags: if all of them are zero,
// this one has no effect. The tag brief is the one-line help of a common flag. In brief help for a
// model (see Selection), flags that matter for it show their tag own, and flags with the tag minor are
// left out.
package flags

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/internal/enum"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// Parser returns a parser of command lines into c. The values in c are the defaults.
func Parser(c any, options ...kong.Option) (*kong.Kong, error) {
	return kong.New(c, append(options,
		kong.PostBuild(takeDefaults), kong.PostBuild(checkNames), kong.WithAfterApply(checkOnce),
		kong.WithAfterApply(checkLimits), kong.WithAfterApply(SettleCompanions),
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
			err = enum.Unknown(v.Name, target.String(), all)
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
		name, _, _ := strings.Cut(p.Flag.Tag.Get("json"), ",")
		if name == "" || name == "-" {
			name = p.Flag.Name
		}
		if err := settings.CheckValue(name, limitTags(p.Flag.Tag), p.Flag.Target); err != nil {
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

// SettleCompanions applies the tag needs, which lists flags separated by commas: a flag is zero if
// all flags in its list are zero. Otherwise it has its default, unless it has a value.
func SettleCompanions(ctx *kong.Context) error {
	all := map[string]*kong.Flag{}
	for _, flag := range ctx.Flags() {
		all[flag.Name] = flag
	}
	for _, flag := range all {
		var companions []*kong.Flag
		for name := range strings.SplitSeq(flag.Tag.Get("needs"), ",") {
			if companion := all[name]; companion != nil {
				companions = append(companions, companion)
			}
		}
		isSet := func(f *kong.Flag) bool { return !f.Target.IsZero() }
		switch {
		case companions == nil:
		case !slices.ContainsFunc(companions, isSet):
			flag.Target.SetZero()
		case flag.Target.IsZero() && !IsGiven(ctx, flag.Name):
			if err := flag.Reset(); err != nil {
				return err
			}
		}
	}
	return nil
}

// IsGiven reports whether the command line or its configuration has one of the flags.
func IsGiven(ctx *kong.Context, names ...string) bool {
	return slices.ContainsFunc(ctx.Path, func(p *kong.Path) bool {
		return p.Flag != nil && slices.Contains(names, p.Flag.Name)
	})
}
