// Package tasks lists the tasks that a search can optimize, so that the command line, reports and
// notebooks need no code of their own for each.
package tasks

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// All holds the registered tasks. A program can append its own task and then search on it like on
// the others.
var All = []Registration{
	{
		Name: completion.TaskName, Purpose: completion.SearchPurpose, Holds: datasets.CanOpen,
		Recipes: true,
		Open: func(_ context.Context, source string, _ json.RawMessage, c autoblm.Compute) (*OpenTask, error) {
			t, err := completion.OpenTask(source, c.Open, warnings(c.Note))
			if err != nil {
				return nil, err
			}
			return &OpenTask{t, t.Engine.Close}, nil
		},
		Presentation: func(json.RawMessage) (task.Presentation, error) {
			return completion.NewPresentation(), nil
		},
	},
	{
		Name: query.TaskName, Purpose: query.SearchPurpose, Holds: query.CanOpen,
		Recipe: query.SearchRecipe, NoRelationPrediction: true,
		Flags: query.NewSearchFlags,
		Check: func(s autoblm.SearchSettings) error {
			if err := query.CheckSearch(s.TrialRecipe(), s.Model); err != nil {
				return err
			}
			return s.Compute.Check()
		},
		Open: func(
			ctx context.Context, source string, settings json.RawMessage, c autoblm.Compute,
		) (*OpenTask, error) {
			t, err := query.OpenTask(ctx, source, settings, c.Open, c.Note, warnings(c.Note))
			if err != nil {
				return nil, err
			}
			return &OpenTask{t, t.Engine.Close}, nil
		},
		Presentation: query.PresentationFor,
	},
	{
		Name: classify.TaskName, Purpose: classify.SearchPurpose, Holds: rdf.CanOpen,
		Recipe: classify.SearchRecipe, FixedTraining: true,
		Flags: classify.NewSearchFlags,
		Check: func(s autoblm.SearchSettings) error {
			if err := classify.CheckSearch(s.TrialRecipe(), s.Model); err != nil {
				return err
			}
			return s.Compute.Check()
		},
		Open: func(
			_ context.Context, source string, settings json.RawMessage, c autoblm.Compute,
		) (*OpenTask, error) {
			t, err := classify.OpenTask(source, settings, c.OpenClassify, warnings(c.Note))
			if err != nil {
				return nil, err
			}
			return &OpenTask{t, func() { t.Close(); t.Engine.Close() }}, nil
		},
		Presentation: classify.PresentationFor,
	},
}

// Registration describes a task before its data are open. Name, Open and Presentation are
// required.
type Registration struct {
	// Name is the name in [task.Identity]. Purpose is what a search optimizes, in a phrase.
	Name, Purpose string
	// Recipes is true if the recipes of package recipe apply to the task.
	Recipes bool
	// Recipe derives the default recipe of a search from that of any search. basic is true for a
	// search without a warm start, such as one with the recipe "basic".
	Recipe func(r task.Recipe, basic bool) task.Recipe
	// NoRelationPrediction is true if the task cannot learn to predict relations.
	NoRelationPrediction bool
	// FixedTraining is true if all trials train with the same settings, so that a search has no
	// stage that changes them.
	FixedTraining bool
	// Flags returns the settings that only this task has, with their defaults. basic is as for
	// Recipe.
	Flags func(basic bool) task.Flags
	// Check returns an error if the task does not support the settings of a search.
	Check func(autoblm.SearchSettings) error
	// Holds is true if a source, a name or a folder, contains data for this task.
	Holds func(source string) bool
	// Open opens the data of a source with the task settings of a study. The caller closes the
	// task.
	Open func(
		ctx context.Context, source string, settings json.RawMessage, c autoblm.Compute,
	) (*OpenTask, error)
	// Presentation returns the presentation of a task with these task settings.
	Presentation func(settings json.RawMessage) (task.Presentation, error)
}

// OpenTask is a task with its resources.
type OpenTask struct {
	task.Task
	// Close releases the resources.
	Close func()
}

// Presentation returns the presentation of the task with all defaults.
func (t *OpenTask) Presentation() task.Presentation { return t.Task.Presentation().WithDefaults() }

// Defaults adapts the default settings of a search to the task.
func (r Registration) Defaults(s search.Settings) search.Settings {
	if r.Recipe != nil {
		s = s.WithRecipe(r.Recipe(s.TrialRecipe(), !s.WarmStart))
	}
	if !r.Recipes {
		s = s.WithoutTuningEach()
	}
	if r.NoRelationPrediction {
		s = s.WithoutRelationPrediction()
	}
	if r.FixedTraining {
		s = s.WithFixedTraining()
	}
	return s
}

// CheckSearch returns an error if the task does not support the settings of a search.
func (r Registration) CheckSearch(s autoblm.SearchSettings) error {
	if r.FixedTraining {
		if err := s.CheckFixedTraining(); err != nil {
			return err
		}
	}
	if s.TuneEach != nil && !r.Recipes {
		return fmt.Errorf("the task %s has no penalties to tune for each model: leave out the stage "+
			"tune-each", r.Name)
	}
	if r.Check == nil {
		return nil
	}
	return r.Check(s)
}

// Find returns a registered task.
func Find(name string) (Registration, error) {
	var all []string
	for _, r := range All {
		if r.Name == name {
			return r, nil
		}
		all = append(all, r.Name)
	}
	return Registration{}, enum.Unknown("task", name, all)
}

// PresentationOf returns the presentation of a study's task, empty for an unknown task.
func PresentationOf(i task.Identity) task.Presentation {
	r, err := Find(i.Task)
	if err != nil {
		return task.Presentation{}
	}
	p, err := r.Presentation(i.TaskSettings)
	if err != nil {
		return task.Presentation{}
	}
	return p.WithDefaults()
}

// SearchDefaults returns the default settings of a search for a task, with or without a time limit.
func SearchDefaults(task string, isTimed bool) search.Settings {
	s := search.DefaultSettings()
	if isTimed {
		s = search.TimedSettings()
	}
	r, _ := Find(task) // an unknown task keeps the default settings
	if !r.Recipes {
		s.Ensemble = 0 // only completion has ensembles
	}
	return r.Defaults(s)
}

// TrialFields returns the fields of the trials of all tasks, so that all tables have the same
// columns.
func TrialFields() []task.Column {
	var all []task.Column
	for _, r := range All {
		for _, field := range PresentationOf(task.Identity{Task: r.Name}).Fields {
			isField := func(c task.Column) bool { return c.Name == field.Name }
			if !slices.ContainsFunc(all, isField) {
				all = append(all, field)
			}
		}
	}
	return all
}

// warnings returns a function that passes the warnings of a data set to note, if it is not nil.
func warnings(note func(text string)) func(warnings []string) {
	return func(warnings []string) {
		for _, warning := range warnings {
			if note != nil {
				note("warning: " + warning)
			}
		}
	}
}
