package main

import (
	"path/filepath"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// configName is the name of the file with the settings of a run.
const configName = "config.yaml"

// configTitle returns the first line of the configuration of a run. It has no path of its own, since
// paths in the file are relative to where the run began.
func configTitle(command string) string {
	words := append(strings.Fields(command), "--config", "FOLDER/"+configName)
	return shellCommand(words) + " repeats this run."
}

// pinned keeps the value of each flag.
func pinned(*kong.Flag) flags.Use { return flags.Pinned }

// saveConfig writes the settings of a run, after a title, into the folder of its results.
func saveConfig(
	title, folder string, line *kong.Context, useOf func(*kong.Flag) flags.Use,
) error {
	content, err := flags.Config(line, title, useOf)
	if err != nil {
		return err
	}
	return atomicfile.Write(filepath.Join(folder, configName), content)
}

// pinEngine replaces the engine auto by the native one if that was chosen.
func (f *computeFlags) pinEngine(engine kge.Engine) {
	if engine.Name() == kge.NativeEngine {
		f.Engine = kge.NativeEngine
	}
}

// gomlxEngine is the name of the other engine.
const gomlxEngine = "gomlx"

// config returns the configuration of a search. Comments have the choices of its plan.
func (c *searchCommand) config(line *kong.Context, planned search.Settings) ([]byte, error) {
	title := configTitle("search")
	if p := c.Settings.Planned; p != nil {
		title += "\nThe search chose the settings in comments, to fit its deadline."
		c.Settings = searchSettings(planned)
		c.Settings.Planned = p
		if planned.Tune != nil {
			c.Tune = planned.Tune.Trials
		}
		if planned.TuneEach != nil {
			c.TuneEach = planned.TuneEach.Trials
		}
	}
	if c.Settings.Model != form.Bilinear {
		title += "\nThe search varies the settings in comments."
	}
	varied := c.varied(line)
	return flags.Config(line, title, func(f *kong.Flag) flags.Use {
		if varied[f.Name] {
			return flags.Open
		}
		return c.useOf(f)
	})
}

// useOf leaves open what a search with a deadline plans, because a given value changes its plan
// and its default model.
func (c *searchCommand) useOf(f *kong.Flag) flags.Use {
	task, isOfTask := taskOf(f)
	planned := []string{
		"budget", "halving", "tune", "tune-each", "retrain-seeds", "retrain-splits", "retrain-dims",
		"retrain-epochs",
	}
	switch {
	case isOfTask && task != c.Task:
		return flags.Unused
	case c.Settings.Model != form.Bilinear && slices.Contains(structureFlags, f.Name):
		return flags.Unused
	case c.Final == 0 && strings.HasPrefix(f.Name, "final-"):
		return flags.Unused
	case c.Settings.Planned != nil &&
		(f.Group != nil && f.Group.Title == "Training" || slices.Contains(planned, f.Name)):
		return flags.Open
	}
	return flags.Pinned
}

// taskOf returns the task of a flag that only one task has, which its group names.
func taskOf(f *kong.Flag) (task string, is bool) {
	if f.Group == nil {
		return "", false
	}
	return strings.CutPrefix(f.Group.Title, "For the task ")
}

// useOf leaves open what --tune draws, unless it is given.
func (c *classifyTrainCommand) useOf(f *kong.Flag) flags.Use {
	if _, isDrawn := keepDrawn[f.Name]; isDrawn && c.Tune > 0 {
		return flags.Open
	}
	return flags.Pinned
}
