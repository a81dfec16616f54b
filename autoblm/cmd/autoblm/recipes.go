package main

import (
	"path/filepath"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// recipeFlag names a recipe.
type recipeFlag struct {
	Recipe string `placeholder:"NAME" brief:"Settings by name (recipe list)." help:"Settings by name (autoblm recipe list): published ones for this data set, such as n3, or ones for any graph, such as basic. Explicit flags override the recipe."`
}

// named returns the named recipe for a data set, a name or a folder.
func (f recipeFlag) named(dataset string) (recipe.Recipe, error) {
	return recipe.Named(f.Recipe, filepath.Base(dataset))
}

// taskRecipeFlag chooses between the defaults of queries or classes and smaller ones.
type taskRecipeFlag struct {
	Recipe string `default:"default" enum:"default,basic" brief:"Settings by name: default or basic." help:"Settings by name: default, or basic, which are smaller and have no validation or dropout. Explicit flags override the recipe."`
}

// basicRecipe is the name of the basic settings, which every task has.
const basicRecipe = "basic"

// trainingFlags are the settings of a training for completion.
type trainingFlags struct {
	recipeFlag
	Settings kge.Recipe `embed:""`
	duraFlag
	Seed uint64 `default:"1" brief:"Seed of the initial embeddings." help:"Seed of the initial embeddings."`
}

// usualSize stands for the size of a graph that is not read yet: neither small nor large.
var usualSize = recipe.Size{Entities: 1000, Valid: 1}

// newTrainingFlags returns the flags with the defaults for a graph of the usual size.
func newTrainingFlags() trainingFlags {
	return trainingFlags{Settings: withAutoPrecision(recipe.Default(usualSize).Recipe)}
}

// withAutoPrecision returns a recipe that leaves the precision to the machine.
func withAutoPrecision(r kge.Recipe) kge.Recipe {
	r.Training.Precision = kge.AutoPrecision
	return r
}

// recipeLayer returns the layer that sets all training settings.
func recipeLayer(to *kge.Recipe, r kge.Recipe) func() {
	return func() { *to = withAutoPrecision(r) }
}

// duraFlag sets two weights.
type duraFlag struct {
	Dura float64 `default:"0" min:"0" help:"Weight of DURA: sets --entity-l2 and --products, unless they are given."`
}

// impliedLayer returns the layer of settings that other flags imply: the weights of DURA, and
// nothing that needs validation without it.
func (f duraFlag) impliedLayer(line *kong.Context, r *kge.Recipe) func() {
	return func() {
		if flags.IsGiven(line, "dura") {
			r.EntityL2, r.Products = f.Dura, f.Dura
		}
		if r.Training.Translate || r.Training.BatchNorm { // which have no relation prediction
			r.RelationPrediction = 0
		}
		if !r.Training.Reciprocal { // which grouping needs
			r.Training.AnswersPerQuery = 0
		}
		if flags.IsGiven(line, "validate-every") && r.Training.ValidateEvery == 0 {
			r.Training.SkipValidation()
		}
	}
}
