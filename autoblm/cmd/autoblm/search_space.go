package main

import (
	"fmt"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// space returns the values to try for the settings of --model, nil without one. Given flags keep
// their values.
func (c *searchCommand) space(line *kong.Context) *search.Space {
	if c.Settings.Model == form.Bilinear {
		return nil
	}
	s := search.Settings(c.Settings)
	return s.SpaceOf(s.Model).Without(func(flag string) bool {
		return flags.IsGiven(line, flag) || flag == "dura" && flags.IsGiven(line, "entity-l2", "products")
	})
}

// negativesLayer returns the layer with the number of negatives of the first trial. A search that varies
// it begins with some if a setting that needs them is given, so that the setting is kept.
func (c *searchCommand) negativesLayer(line *kong.Context) func() {
	return func() {
		space := c.space(line)
		if space == nil || c.Sampling.Negatives > 0 || c.LossFunction.Loss == kge.BCE ||
			!flags.IsGiven(line, "margin", "adversarial-temperature", "subsampling") {
			return
		}
		i := slices.IndexFunc(space.Negatives, func(n int) bool { return n > 0 })
		if i >= 0 {
			c.Sampling.Negatives = space.Negatives[i]
		}
	}
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

// structureFlags configure a search for structures and have no effect on one for settings of a model.
var structureFlags = []string{
	"algorithm", "candidates", "ensemble", "filter", "final", "final-dims", "final-epochs", "halving",
	"initial-nonzeros", "k", "mutation-rate", "predictor", "retrain-dims", "retrain-epochs",
	"retrain-seeds", "retrain-splits", "tune", "tune-by", "tune-each", "warm-start",
}

// checkFlags returns an error if a flag that only structures have is given with --model, or on the
// command line one of another task or of completion alone.
func (c *searchCommand) checkFlags(line *kong.Context) error {
	t, err := tasks.Find(c.Task)
	if err != nil {
		return err
	}
	for flag := range flags.OnCommandLine(line) {
		if task, is := taskOf(flag); is && task != c.Task {
			return fmt.Errorf("--%s is for --task %s, not %s: leave it out, or add --task %[2]s",
				flag.Name, task, c.Task)
		}
		if !t.Recipes && (flag.Name == "ensemble" || flag.Name == "retrain-splits") && !flag.Target.IsZero() {
			return fmt.Errorf("--%s is for completion, not --task %s: leave it out", flag.Name, c.Task)
		}
	}
	if c.Settings.Model == form.Bilinear {
		return nil
	}
	for _, name := range structureFlags {
		if flags.IsGiven(line, name) {
			return fmt.Errorf("%v has no structure to search for: leave %s out", c.Settings.Model, name)
		}
	}
	return nil
}

// SpaceHelp implements flags.Tuner.
func (c *searchCommand) SpaceHelp(line *kong.Context) (title string, rows [][2]string) {
	space := c.space(line)
	if space == nil {
		return "", nil
	}
	title = "Values to try for " + c.Settings.Model.Title(structure.Structure{}) + "; a flag that is given is kept"
	if err := c.refusal(); err != nil {
		return title, [][2]string{{"none", err.Error()}}
	}
	for _, l := range space.Lines() {
		rows = append(rows, [2]string{"--" + l.Flag, l.Values})
	}
	if space.Cells {
		rows = append(rows, [2]string{"cell", "all functions, inputs, activations and matrices"})
	}
	return title, rows
}

// refusal returns the error of a search whose task does not train the model.
func (c *searchCommand) refusal() error {
	t, err := tasks.Find(c.Task)
	if err != nil {
		return err
	}
	return t.CheckSearch(autoblm.SearchSettings{
		Settings: search.Settings(c.Settings), Compute: c.Compute,
	})
}
