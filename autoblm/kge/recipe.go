package kge

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// Recipe says how to train a model: everything but the model itself and its seed.
type Recipe struct {
	Training     Settings `json:"training" embed:""`
	LearningRate float64  `json:"learning_rate" name:"lr" above:"0" brief:"Learning rate of the first epoch." help:"Learning rate of the first epoch."`
	Weights
}

// DefaultRecipe returns [DefaultSettings] with a learning rate of 0.3 and no regularization.
func DefaultRecipe() Recipe { return Recipe{Training: DefaultSettings(), LearningRate: 0.3} }

// For returns the member that trains a model of form f by the recipe. The structure a is the
// zero value for a form without one.
func (r Recipe) For(f form.Form, a structure.Structure, seed uint64) Member {
	return Member{Form: f, Structure: a, Seed: seed, LearningRate: r.LearningRate, Weights: r.Weights}
}
