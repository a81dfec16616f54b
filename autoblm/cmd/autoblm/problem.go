package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
)

// taskFlags maps the names of tasks to the settings that only they have.
type taskFlags map[string]task.Flags

// newTaskFlags returns the flags of all tasks with their defaults, and the same flags for the
// parser.
func newTaskFlags() (all taskFlags, plugins kong.Plugins) {
	all = taskFlags{}
	for _, t := range tasks.All {
		if t.Flags != nil {
			f := t.Flags(false)
			all[t.Name] = f
			plugins = append(plugins, f)
		}
	}
	return all, plugins
}

// reset sets the flags of a task to their defaults, in place, since the parser points to them.
func (f taskFlags) reset(t tasks.Registration, basic bool) {
	if f[t.Name] != nil {
		reflect.ValueOf(f[t.Name]).Elem().Set(reflect.ValueOf(t.Flags(basic)).Elem())
	}
}

// encode returns the settings of a task for a search, nil if the task has none.
func (f taskFlags) encode(name string, s search.Settings) (json.RawMessage, error) {
	if f[name] == nil {
		return nil, nil
	}
	return json.Marshal(f[name].For(s.TrialRecipe()))
}

// problem is an open task with its identity.
type problem struct {
	*tasks.OpenTask
	identity task.Identity
}

// openProblem opens the data of a task.
func openProblem(
	ctx context.Context, o *output, name, source string, settings json.RawMessage, c autoblm.Compute,
) (problem, error) {
	registration, err := tasks.Find(name)
	if err != nil {
		return problem{}, err
	}
	warn(o, nil)
	c.Note = func(text string) {
		if warning, is := strings.CutPrefix(text, "warning: "); is {
			warn(o, []string{warning})
			return
		}
		o.Message("autoblm: %s", text)
	}
	open := func(source string) (*tasks.OpenTask, error) {
		return registration.Open(ctx, source, settings, c)
	}
	t, err := read(ctx, o, open, source)
	if err != nil {
		return problem{}, err
	}
	identity, err := t.Identity()
	if err != nil {
		t.Close()
	}
	return problem{t, identity}, err
}

// studyFile is the study that a command is about.
type studyFile struct {
	File string `arg:"" brief:"Folder of a search, or file of its study." help:"Folder of a search, or file of a study such as study.db."`
}

// read reads the study, and replaces a folder by its file.
func (f *studyFile) read() (contents *study.Contents, err error) {
	if f.File, err = studyIn(f.File); err != nil {
		return nil, err
	}
	return study.Read(f.File)
}

// folder returns the default folder for results of the study: its own for study.db, otherwise one
// next to it.
func (f studyFile) folder() string {
	if filepath.Base(f.File) == studyName {
		return filepath.Dir(f.File)
	}
	return strings.TrimSuffix(f.File, filepath.Ext(f.File)) + "-out"
}

// freeFolder returns the default folder for a model of the study. The folder of a reproduction is an
// error, because its final training keeps a model there.
func (f studyFile) freeFolder() (string, error) {
	folder := f.folder()
	if reproduce.Holds(folder) {
		return "", cli.Usage(fmt.Errorf("%s is of a reproduction, which its own command resumes: "+
			"name another folder with --out", folder))
	}
	return folder, nil
}

// movedData is a study whose data may have moved.
type movedData struct {
	studyFile
	Dataset string `placeholder:"NAME|DIR" brief:"Where the data are now, if they moved." help:"Where the data are now, if they moved: a name of dataset list, or a folder."`
}

// reopen opens the data of a study and checks that they are unchanged.
func (m movedData) reopen(
	ctx context.Context, o *output, about study.About, compute autoblm.Compute,
) (problem, error) {
	if _, err := tasks.Find(about.Task); err != nil {
		return problem{}, fmt.Errorf("open the study %s: this program has no task %q; "+
			"use the program that made the study", m.File, about.Task)
	}
	source := cmp.Or(m.Dataset, datasets.SourceFolder(about.Source))
	if source == "" {
		return problem{}, fmt.Errorf("open the data of the study %s: the place of %s is unknown; "+
			"name it with --dataset", m.File, about.Dataset)
	}
	p, err := openProblem(ctx, o, about.Task, source, about.TaskSettings, compute)
	switch {
	case err != nil:
		return problem{}, fmt.Errorf("open the data of the study (--dataset names their place): %w", err)
	case p.identity.Fingerprint != about.Fingerprint:
		p.Close()
		return problem{}, fmt.Errorf("open the data of the study %s: %s has other data, or they "+
			"changed; name the original data with --dataset", m.File, source)
	}
	return p, nil
}
