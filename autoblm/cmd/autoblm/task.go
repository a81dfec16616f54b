package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"reflect"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// ownFlags are the settings that only one task has, by the names of the tasks.
type ownFlags map[string]task.Flags

// usualOwn have the defaults; plugins are the same for the parser.
func usualOwn() (own ownFlags, plugins kong.Plugins) {
	own = ownFlags{}
	for _, kind := range autoblm.Tasks {
		if kind.Flags != nil {
			o := kind.Flags(false)
			own[kind.Name] = o
			plugins = append(plugins, o)
		}
	}
	return own, plugins
}

// use gives those of a task their defaults in a search with these settings.
func (f ownFlags) use(kind autoblm.Registration, s search.Settings) {
	if f[kind.Name] != nil {
		reflect.ValueOf(f[kind.Name]).Elem().Set(reflect.ValueOf(kind.Flags(!s.WarmStart)).Elem()) // whose flags the parser has
	}
}

// of are those of a task in a search with these settings, nil where it has none.
func (f ownFlags) of(name string, s search.Settings) (json.RawMessage, error) {
	if f[name] == nil {
		return nil, nil
	}
	return json.Marshal(f[name].For(s.TrialRecipe()))
}

// take is the other way, from what a study keeps.
func (f ownFlags) take(about study.About) error {
	if f[about.Task] == nil {
		return nil
	}
	own := f[about.Task].For(about.Settings.TrialRecipe())
	reflect.ValueOf(own).Elem().SetZero() // as is what a study leaves out
	return json.Unmarshal(about.TaskSettings, own)
}

// same says whether the settings that only the task has are those of a study.
func (f ownFlags) same(about study.About) bool {
	own, err := f.of(about.Task, about.Settings)
	if err != nil || own == nil {
		return err == nil && about.TaskSettings == nil
	}
	differ, err := settings.Difference(about.TaskSettings, own)
	return err == nil && differ == ""
}

// problem is what structures are searched for, on data that are open.
type problem struct {
	*autoblm.OpenTask
	about task.Identity
}

// openProblem opens the data of a task.
func openProblem(ctx context.Context, o *output, name, source string, own json.RawMessage, c autoblm.Compute) (problem, error) {
	kind, err := autoblm.FindTask(name)
	if err != nil {
		return problem{}, err
	}
	c.Note = func(text string) { o.Message("autoblm: %s", text) }
	t, err := read(ctx, o, func(source string) (*autoblm.OpenTask, error) { return kind.Open(ctx, source, own, c) }, source)
	if err != nil {
		return problem{}, err
	}
	identity, err := t.Identity()
	if err != nil {
		t.Close()
	}
	return problem{t, identity}, err
}

// studied is where the data of a study are.
type studied struct {
	studyFile
	Dataset string `brief:"Where the data are now, if they moved." help:"Where the data are now, if they are no longer where they were: a name of dataset list, or a folder."`
}

// reopen opens the data of a study again, and checks that they are the same.
func (c studied) reopen(ctx context.Context, o *output, about study.About, compute autoblm.Compute) (problem, error) {
	if _, err := autoblm.FindTask(about.Task); err != nil {
		return problem{}, fmt.Errorf("the study %s is for the task %q, which this program does not know: use the one that made it", c.File, about.Task)
	}
	source := cmp.Or(c.Dataset, datasets.SourceFolder(about.Source))
	if source == "" {
		return problem{}, fmt.Errorf("the study %s does not know where its data, %s, are: say it with --dataset", c.File, about.Dataset)
	}
	p, err := openProblem(ctx, o, about.Task, source, about.TaskSettings, compute)
	switch {
	case err != nil:
		return problem{}, fmt.Errorf("the data of the study are not at hand; --dataset says where they are now: %w", err)
	case p.about.Fingerprint != about.Fingerprint:
		p.Close()
		return problem{}, fmt.Errorf("the data in %s are not those of the study %s, or have changed: say with --dataset where those of the study are", source, c.File)
	}
	return p, nil
}
