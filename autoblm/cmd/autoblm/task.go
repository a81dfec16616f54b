package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// completionTaskName is what the command line calls the task without a name.
const completionTaskName = "completion"

// taskFlags are for tasks other than completion.
type taskFlags struct {
	Paths       query.Paths      `embed:"" group:"For --task query"`
	Convolution convolutionFlags `embed:"" group:"For --task classify"`
}

// convolutionFlags are settings of which there is a choice that other tasks do not have.
type convolutionFlags struct {
	Encoder, Dim, Epochs, Parts struct{} `kong:"-"`

	Settings classifyFlags `embed:""`
}

// usualTasks have the defaults.
func usualTasks() taskFlags {
	return taskFlags{Paths: query.DefaultSettings().Paths, Convolution: convolutionFlags{Settings: classifyFlags(classify.Defaults(classify.BLM))}}
}

// usualFor are the settings of a search with what is usual for a task.
func usualFor(name string, s search.Settings) search.Settings {
	switch name {
	case autoblm.QueryTaskName:
		usual := query.DefaultSettings()
		s.Training.Batch, s.Training.Reciprocal, s.N3 = usual.Batch, usual.Reciprocal, 0
	case autoblm.ClassTaskName:
		usual, m := classify.Defaults(classify.BLM), classify.DefaultMember()
		s.Training.Dim, s.Training.Epochs, s.Training.Dropout = usual.Dim, usual.Epochs, m.Dropout
		s.LearningRate, s.L2, s.N3 = m.LearningRate, m.L2, 0
	}
	return s
}

// classSettings are what the flags say of a search for classes; what all tasks have
// is in settings of completion.
func (f taskFlags) classSettings(of search.Settings) autoblm.ClassSettings {
	own := autoblm.ClassSettings{Convolution: classify.Settings(f.Convolution.Settings), Member: classify.DefaultMember()}
	own.Convolution.Dim, own.Convolution.Epochs = of.Training.Dim, of.Training.Epochs
	own.Member.Seed = 0
	own.Member.LearningRate, own.Member.Dropout, own.Member.L2 = of.LearningRate, of.Training.Dropout, of.L2
	return own
}

// take is the other way, from what a study keeps.
func (f *taskFlags) take(about study.About) (err error) {
	switch about.Task {
	case autoblm.QueryTaskName:
		err = json.Unmarshal(about.Own, &f.Paths)
	case autoblm.ClassTaskName:
		own := autoblm.ClassSettings{}
		err = json.Unmarshal(about.Own, &own)
		f.Convolution.Settings = classifyFlags(own.Convolution)
	}
	return err
}

// sameTask says whether the settings that only the task has are those of a study.
func (c *searchCommand) sameTask(about study.About) bool {
	own, err := c.own(about.Task, search.Settings(c.Settings))
	if err != nil || about.Own == nil {
		return err == nil && own == nil
	}
	differ, err := settings.Difference(about.Own, own)
	return err == nil && differ == ""
}

// own are the settings that only the task of a search has.
func (f taskFlags) own(name string, of search.Settings) (json.RawMessage, error) {
	switch name {
	case autoblm.QueryTaskName:
		return json.Marshal(f.Paths)
	case autoblm.ClassTaskName:
		return json.Marshal(f.classSettings(of))
	}
	return nil, nil
}

// problem is what structures are searched for, on data that are open.
type problem struct {
	*autoblm.OpenTask
	about task.Identity
}

// openProblem opens the data of a task.
func openProblem(ctx context.Context, o *output, name, source string, own json.RawMessage, c autoblm.Compute) (problem, error) {
	kind, err := autoblm.TaskNamed(name)
	if err != nil {
		return problem{}, err
	}
	c.Note = func(text string) { o.say("autoblm: %s", text) }
	t, err := kind.Open(ctx, source, own, c)
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
	Dataset string `help:"Where the data are now, if they are no longer where they were: a name of dataset list, or a folder."`
}

// reopen opens the data of a study again, and checks that they are the same.
func (c studied) reopen(ctx context.Context, o *output, about study.About, compute autoblm.Compute) (problem, error) {
	if _, err := autoblm.TaskNamed(about.Task); err != nil {
		return problem{}, fmt.Errorf("the study %s is for the task %q, which this program does not know: use the one that made it", c.File, about.Task)
	}
	source := cmp.Or(c.Dataset, about.Source)
	if source == "" {
		return problem{}, fmt.Errorf("the study %s does not know where its data, %s, are: say it with --dataset", c.File, about.Dataset)
	}
	p, err := openProblem(ctx, o, about.Task, source, about.Own, compute)
	switch {
	case err != nil:
		return problem{}, fmt.Errorf("the data of the study are not at hand; --dataset says where they are now: %w", err)
	case p.about.Fingerprint != about.Fingerprint:
		p.Close()
		return problem{}, fmt.Errorf("the data in %s are not those of the study %s, or have changed: say with --dataset where those of the study are", source, c.File)
	}
	return p, nil
}
