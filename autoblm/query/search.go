package query

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// SearchPurpose names what a search for queries optimizes.
const SearchPurpose = "the ends of paths of relations"

// SearchRecipe returns the default recipe of a search for queries, derived from the default
// recipe of any search. basic selects the settings of [BasicSettings].
func SearchRecipe(r task.Recipe, basic bool) task.Recipe {
	defaults, m := Default(form.Bilinear)
	if basic {
		defaults, m = BasicSettings(), kge.DefaultMember(structure.Structure{})
	}
	r.Training.Batch, r.Training.Dropout = defaults.Batch, defaults.Dropout
	r.Training.Reciprocal, r.Training.InitScale = defaults.Reciprocal, defaults.InitScale
	r.LearningRate, r.Weights = m.LearningRate, m.Weights
	return r
}

// searchFlags are the task settings of a search for queries on the command line. They hide negative
// sampling, which is part of all trainings.
type searchFlags struct {
	Negatives, Margin struct{} `kong:"-"`

	Settings TaskSettings `embed:"" group:"For the task query"`
}

// NewSearchFlags returns the default task settings of a search: the paths of [Default], so that it
// compares with the default model. basic selects those of [BasicSettings].
func NewSearchFlags(basic bool) task.Flags {
	s, _ := Default(form.Bilinear)
	if basic {
		s = BasicSettings()
	}
	return &searchFlags{Settings: TaskSettings{Paths: s.Paths}}
}

// For returns the settings that a study stores, with the negative sampling of the recipe.
func (f *searchFlags) For(r task.Recipe) any {
	s := f.Settings
	s.Sampling = r.Training.Sampling
	return &s
}

// CheckSearch returns an error if queries cannot be trained with a recipe and a form.
func CheckSearch(r task.Recipe, f form.Form) error {
	if _, isNeural := f.Neural(); isNeural {
		return fmt.Errorf("queries do not train with %v: choose another model, such as q2b", f)
	}
	return r.CheckNoTriples()
}

// OpenTask opens the queries of a source with the task settings of a study, and then the engine. It
// calls note with progress messages and warn with warnings.
func OpenTask(
	ctx context.Context, source string, settings json.RawMessage, open func() (kge.Engine, error),
	note func(string), warn func([]string),
) (*Task, error) {
	s, err := task.DecodeSettings[TaskSettings](settings)
	if err != nil {
		return nil, err
	}
	d, err := Prepare(ctx, source, note, slices.Concat(s.Hops, s.With)...)
	if err != nil {
		return nil, err
	}
	warn(d.Warnings(ctx, s.Hops, InValid, InTest))
	engine, err := open()
	return &Task{Data: d, Settings: s, Engine: engine}, err
}

// PresentationFor describes the results of a study with these task settings.
func PresentationFor(settings json.RawMessage) (task.Presentation, error) {
	s, err := task.DecodeSettings[TaskSettings](settings)
	return newPresentation(s), err
}
