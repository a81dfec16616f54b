package main

import (
	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// space returns the values to try for the settings of --model, nil without one. Given flags keep
// their values.
func (c *searchCommand) space(line *kong.Context) *search.Space {
	if c.Settings.Model == form.Bilinear {
		return nil
	}
	s := search.Settings(c.Settings)
	s.Space = search.ModelSpace(s.Model)
	if c.Task != completion.TaskName {
		s.Space = s.Space.ForPaths()
	}
	return s.SpaceOf(s.Model).Without(func(flag string) bool {
		return flags.IsGiven(line, flag) || flag == "dura" && flags.IsGiven(line, "entity-l2", "products")
	})
}

// varied returns the flags whose values a search for the settings of --model tries.
func (c *searchCommand) varied(line *kong.Context) map[string]bool {
	all := map[string]bool{}
	if space := c.space(line); space != nil {
		for _, l := range space.Lines() {
			all[l.Flag] = true
		}
		all["entity-l2"], all["products"] = all["dura"], all["dura"]
	}
	return all
}

// SpaceHelp implements flags.Tuner.
func (c *searchCommand) SpaceHelp(line *kong.Context) (title string, rows [][2]string) {
	space := c.space(line)
	if space == nil {
		return "", nil
	}
	for _, l := range space.Lines() {
		rows = append(rows, [2]string{l.Flag, l.Values})
	}
	if space.Cells {
		rows = append(rows, [2]string{"cell", "all functions, inputs, activations and matrices"})
	}
	return "Values to try for " + c.Settings.Model.String() + "; a flag that is given is kept", rows
}
