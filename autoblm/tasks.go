package autoblm

import (
	"context"
	"encoding/json"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/enum"
)

// Tasks is what structures can be searched for, by name. A program that has a task of
// its own adds it, and can then search on it as on the others.
var Tasks = []Kind{completionKind, queryKind, classKind}

// TaskNamed finds a task in [Tasks].
func TaskNamed(name string) (Kind, error) {
	var all []string
	for _, k := range Tasks {
		if k.Name == name {
			return k, nil
		}
		all = append(all, k.Name)
	}
	return Kind{}, enum.Unknown("task", name, all)
}

// WordsOf tells results of a task, in no words where there is no such task.
func WordsOf(i task.Identity) task.Words {
	kind, err := TaskNamed(i.Task)
	if err != nil {
		return task.Words{}
	}
	words, err := kind.Words(i.Own)
	if err != nil {
		return task.Words{}
	}
	return words.Complete()
}

// UsualSearch are the settings of a search for a task if nothing is said.
func UsualSearch(task string) search.Settings {
	usual := search.DefaultSettings()
	if kind, err := TaskNamed(task); err == nil && kind.Usual != nil {
		usual = kind.Usual(usual)
	}
	return usual
}

// AllFields are the fields of the trials of all tasks, so that the tables of all studies
// have the same columns.
func AllFields() []task.Column {
	var all []task.Column
	for _, kind := range Tasks {
		for _, field := range WordsOf(task.Identity{Task: kind.Name}).Fields {
			if !slices.ContainsFunc(all, func(known task.Column) bool { return known.Name == field.Name }) {
				all = append(all, field)
			}
		}
	}
	return all
}

// Kind is a task before there are data for it. Only Name, Open and Words are needed.
type Kind struct {
	// Name is that of [task.Identity]; Purpose says in a phrase what is searched for.
	Name, Purpose string
	// Recipes says whether the recipes of package recipe are for it.
	Recipes bool
	// Usual gives a search the defaults that are others for this task.
	Usual func(search.Settings) search.Settings
	// Own makes the settings that only this task has, with their defaults in a search that
	// has these.
	Own func(search.Settings) Own
	// Check says which settings of a search it cannot do with.
	Check func(SearchSettings) error
	// Holds says whether a source, a name or a folder, has data for this task first of all.
	Holds func(source string) bool
	// Open opens the data of a source, a name or a folder, with the settings that only
	// this task has, as a JSON object. Close what it returns in the end.
	Open func(ctx context.Context, source string, own json.RawMessage, c Compute) (*OpenTask, error)
	// Words are those of a task with these settings.
	Words func(own json.RawMessage) (task.Words, error)
}

// Own are the settings that only one task has, in a struct for a parser of command lines
// to fill.
type Own interface {
	// For points to those that a study keeps of a search with these settings, some of
	// which the task may share with the others.
	For(search.Settings) any
}

// OpenTask is a task with what it holds.
type OpenTask struct {
	task.Task
	// Close frees it.
	Close func()
}

// Words implements [task.Task], with usual words for what the task does not say.
func (t *OpenTask) Words() task.Words { return t.Task.Words().Complete() }
