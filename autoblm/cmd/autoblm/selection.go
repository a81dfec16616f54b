package main

import (
	"maps"
	"strings"
	"sync"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// Selection implements flags.Selector: help has the flags that apply to the chosen model. Brief help
// adds those that its recipes set or that ComplEx lacks.
func (c *trainCommand) Selection(line *kong.Context) *flags.Selection {
	model, encoder := search.Settings{Model: c.Model}.FirstForm(), c.Encoding.Encoder // a found cell for none
	isOther := model != form.Bilinear || encoder != kge.NoEncoder                     // than a structure alone
	var arguments []string
	switch {
	case model != form.Bilinear:
		arguments = []string{"--model", model.String()}
	case flags.IsGiven(line, "structure"):
		arguments = []string{"--structure", c.Structure.text}
	}
	if encoder != kge.NoEncoder {
		arguments = append(arguments, "--encoder", encoder.String())
	}
	if encoder == kge.BLM && model != form.Bilinear { // without a structure for messages
		arguments = append(arguments, "--message", "complex")
	}
	if len(arguments) == 0 {
		return nil
	}
	s := selectionFor(arguments, model, c.Structure.Structure, encoder)
	s.Unused["structure"] = model != form.Bilinear
	s.Examples = []string{"train --dataset world " + s.Arguments + " --out mymodel"}
	if !isOther {
		return s
	}
	maps.Copy(s.Own, inapplicableToComplEx())
	isDistance := func(f form.Form) bool { return !f.Capabilities().Products }
	for _, r := range recipe.All() {
		isOwn := r.IsOf(model, encoder)
		if isOwn || encoder == kge.NoEncoder && isDistance(model) && isDistance(r.Form) {
			addChanged(s.Own, r.Recipe)
		}
		if isOwn && r.Dataset != "" && len(s.Examples) == 1 {
			s.Examples = append(s.Examples, "train --dataset "+r.Dataset+" --recipe "+r.Name)
		}
	}
	return s
}

// Selection implements flags.Selector: help has the flags that apply to the chosen model. Brief help
// adds the settings of an encoder that its recipes set; it lists the values to try for a model itself.
func (c *searchCommand) Selection(line *kong.Context) *flags.Selection {
	model, encoder := c.Settings.Model, c.Encoding.Encoder
	var arguments []string
	if model != form.Bilinear {
		arguments = []string{"--model", model.String()}
	}
	if encoder != kge.NoEncoder {
		arguments = append(arguments, "--encoder", encoder.String())
	}
	if len(arguments) == 0 {
		return nil
	}
	example := structure.Structure{}
	if model == form.Bilinear {
		example = structure.MustParse("complex")
	}
	s := selectionFor(arguments, search.Settings(c.Settings).FirstForm(), example, encoder)
	s.Minor = c.varied(line)
	if c.Settings.Training.Loss == kge.BCE { // which has no penalties
		s.Minor["n3"] = true
	}
	for _, name := range structureFlags {
		s.Unused[name] = model != form.Bilinear
	}
	for _, r := range recipe.All() {
		if encoder != kge.NoEncoder && r.IsOf(model, encoder) {
			t := kge.DefaultSettings()
			t.Encoding = r.Training.Encoding
			addChanged(s.Own, kge.Recipe{Training: t})
		}
	}
	s.Examples = []string{"search --dataset world " + s.Arguments + " --minutes 5 --out mysearch"}
	return s
}

// selectionFor returns the selection of a model by arguments, without examples.
func selectionFor(
	arguments []string, f form.Form, s structure.Structure, e kge.Encoder,
) *flags.Selection {
	unused := kge.Inapplicable(f, s, e)
	for flag, setting := range map[string]string{
		"from-ensemble": "teacher-weight", "dura": "products", "tables": "buckets",
	} {
		unused[flag] = unused[setting]
	}
	return &flags.Selection{
		Arguments: record.CommandLine(arguments...), Unused: unused,
		Own: map[string]bool{"message": e != kge.NoEncoder},
	}
}

// inapplicableToComplEx returns the flags that are not for ComplEx.
var inapplicableToComplEx = sync.OnceValue(func() map[string]bool {
	return kge.Inapplicable(form.Bilinear, structure.MustParse("complex"), kge.NoEncoder)
})

// addChanged adds the flags of the settings that a recipe changes.
func addChanged(to map[string]bool, r kge.Recipe) {
	for _, name := range changedBy(r) {
		to[name] = true
	}
}

// changedBy returns the flags of the settings that a recipe changes.
func changedBy(r kge.Recipe) (names []string) {
	usual := map[string]string{}
	for _, each := range settings.Of(kge.Recipe{Training: kge.DefaultSettings()}) {
		usual[each.Name] = each.Text()
	}
	for _, each := range settings.Of(r) {
		if each.Text() != usual[each.Name] {
			name := strings.TrimPrefix(each.Name, "training ")
			names = append(names, strings.ReplaceAll(name, "_", "-"))
		}
	}
	return names
}
