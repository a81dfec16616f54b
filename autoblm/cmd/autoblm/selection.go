package main

import (
	"maps"
	"strings"
	"sync"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// Selection implements flags.Selector: help has the flags that apply to the chosen model. Brief help
// adds those that its recipes set or that ComplEx lacks.
func (c *trainCommand) Selection(line *kong.Context) *flags.Selection {
	encoder := c.Encoding.Encoder
	isOther := c.Model != form.Bilinear || encoder != kge.NoEncoder // than a structure alone
	var arguments []string
	switch {
	case c.Model != form.Bilinear:
		arguments = []string{"--model", c.Model.String()}
	case flags.IsGiven(line, "structure"):
		arguments = []string{"--structure", c.Structure.String()}
	}
	if encoder != kge.NoEncoder {
		arguments = append(arguments, "--encoder", encoder.String())
	}
	if len(arguments) == 0 {
		return nil
	}
	s := &flags.Selection{
		Arguments: record.CommandLine(arguments...),
		Unused:    kge.Inapplicable(c.Model, c.Structure.Structure, encoder),
		Own:       map[string]bool{"message": encoder != kge.NoEncoder},
	}
	for flag, setting := range map[string]string{
		"from-ensemble": "teacher-weight", "dura": "products", "tables": "buckets",
	} {
		s.Unused[flag] = s.Unused[setting]
	}
	s.Unused["structure"] = c.Model != form.Bilinear
	s.Examples = []string{"train --dataset world " + s.Arguments + " --out mymodel"}
	if !isOther {
		return s
	}
	maps.Copy(s.Own, inapplicableToComplEx())
	isDistance := func(f form.Form) bool { return !f.Capabilities().Products }
	for _, r := range recipe.All() {
		isOwn := r.IsOf(c.Model, encoder)
		if isOwn || encoder == kge.NoEncoder && isDistance(c.Model) && isDistance(r.Form) {
			for _, name := range changedBy(r) {
				s.Own[name] = true
			}
		}
		if isOwn && r.Dataset != "" && len(s.Examples) == 1 {
			s.Examples = append(s.Examples, "train --dataset "+r.Dataset+" --recipe "+r.Name)
		}
	}
	return s
}

// inapplicableToComplEx returns the flags that are not for ComplEx.
var inapplicableToComplEx = sync.OnceValue(func() map[string]bool {
	return kge.Inapplicable(form.Bilinear, structure.MustParse("complex"), kge.NoEncoder)
})

// changedBy returns the flags of the settings that a recipe changes.
func changedBy(r recipe.Recipe) (names []string) {
	usual := map[string]string{}
	for _, each := range settings.Of(kge.Recipe{Training: kge.DefaultSettings()}) {
		usual[each.Name] = each.Text()
	}
	for _, each := range settings.Of(r.Recipe) {
		if each.Text() != usual[each.Name] {
			name := strings.TrimPrefix(each.Name, "training ")
			names = append(names, strings.ReplaceAll(name, "_", "-"))
		}
	}
	return names
}
