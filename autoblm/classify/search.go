package classify

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/settings"
)

// SearchPurpose names what a search for classes optimizes.
const SearchPurpose = "classes of entities of an RDF graph"

// SearchRecipe returns the default recipe of a search for classes, derived from the default
// recipe of any search. The encoder has its own training settings; the others have the values
// that a study stores by default.
func SearchRecipe(r task.Recipe, _ bool) task.Recipe {
	encoder, m, base := Defaults(BLM), DefaultMember(), kge.DefaultSettings()
	r.Training.Dim, r.Training.Epochs, r.Training.Dropout = encoder.Dim, encoder.Epochs, m.Dropout
	r.Training.Batch, r.Training.ValidateEvery = base.Batch, base.ValidateEvery
	r.Training.Reciprocal, r.Training.InitScale = base.Reciprocal, base.InitScale
	r.LearningRate, r.L2, r.N3 = m.LearningRate, m.L2, 0
	return r
}

// searchFlags are the task settings of a search for classes on the command line. They hide the
// settings that all tasks have, and those that a search for structures determines.
type searchFlags struct {
	Encoder, Dim, Epochs, Parts struct{} `kong:"-"`

	Settings TaskSettings `embed:"" group:"For the task classify"`
}

// NewSearchFlags returns the default task settings of a search; basic selects the published
// encoder settings.
func NewSearchFlags(basic bool) task.Flags {
	encoder := Defaults(BLM)
	if basic {
		encoder = Published(BLM)
	}
	return &searchFlags{Settings: TaskSettings{Convolution: encoder}}
}

// For returns the settings that a study stores, with dimension, epochs, learning rate, dropout
// and L2 of the recipe.
func (f *searchFlags) For(r task.Recipe) any {
	s := &f.Settings
	s.Convolution.Dim, s.Convolution.Epochs = r.Training.Dim, r.Training.Epochs
	s.Member = Member{LearningRate: r.LearningRate, Dropout: r.Training.Dropout, L2: r.L2}
	return s
}

// CheckSearch returns an error if classes cannot be trained with a recipe and a form.
func CheckSearch(r task.Recipe, f form.Form) error {
	if f != form.Bilinear {
		return errors.New("classification uses an encoder, which has no form: leave model out")
	}
	if r.Training.Precision == kge.Bfloat16 {
		return errors.New("classification computes in float32 only: leave precision out")
	}
	return checkUnused(r)
}

// checkUnused returns an error if a setting of a recipe that classification does not use is set.
func checkUnused(r task.Recipe) error {
	used := SearchRecipe(task.Recipe{Recipe: kge.DefaultRecipe(), Seed: r.Seed}, false)
	used.LearningRate, used.L2 = r.LearningRate, r.L2
	t := &used.Training
	t.Dim, t.Epochs, t.Dropout = r.Training.Dim, r.Training.Epochs, r.Training.Dropout
	t.DataSeed, t.Precision = r.Training.DataSeed, r.Training.Precision
	unset := settings.Of(used)
	for i, s := range settings.Of(r) {
		if s.Text() != unset[i].Text() {
			return fmt.Errorf("classification does not use %s, which is %s: leave it out", s.Option, s.Text())
		}
	}
	return nil
}

// OpenTask opens an RDF graph with the task settings of a study. It calls warn with warnings.
// open opens the engine; [Task.Close] does not close it.
func OpenTask(
	source string, settings json.RawMessage, open func() (Engine, error), warn func([]string),
) (*Task, error) {
	s, err := task.DecodeSettings[TaskSettings](settings)
	if err != nil {
		return nil, err
	}
	g, err := rdf.Open(source, rdf.Options{})
	if err != nil {
		return nil, err
	}
	warn(append(g.Warnings(), g.GivenAway()...))
	engine, err := open()
	if err != nil {
		return nil, err
	}
	return &Task{Graph: g, Settings: s, Engine: engine}, nil
}

// PresentationFor describes the results of a study with these task settings.
func PresentationFor(settings json.RawMessage) (task.Presentation, error) {
	s, err := task.DecodeSettings[TaskSettings](settings)
	return NewPresentation(s), err
}
