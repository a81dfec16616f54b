package main

import (
	"cmp"
	"path/filepath"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

// trainingFlags are the settings of a training for completion.
type trainingFlags struct {
	recipeFlag
	Settings kge.Settings `embed:""`
	Member   memberFlags  `embed:""`
	duraFlag
}

// memberFlags are a member without its methods: the parser would call Validate before the
// member has its structure.
type memberFlags kge.Member

// usualTraining has the defaults.
func usualTraining() trainingFlags {
	return trainingFlags{Settings: kge.DefaultSettings(), Member: memberFlags(kge.DefaultMember(structure.Structure{}))}
}

// BeforeApply puts a recipe, and the weights of DURA, below what is given.
func (f *trainingFlags) BeforeApply(ctx *kong.Context) error {
	_, err := f.useRecipe(ctx)
	return err
}

// useRecipe does so, and returns the recipe, which is the zero value where none is named.
func (f *trainingFlags) useRecipe(ctx *kong.Context) (recipe.Recipe, error) {
	r, err := recipeOf(ctx)
	if err == nil && r.Name != "" {
		f.take(r)
	}
	useDura(ctx, &f.Member.Weights)
	return r, err
}

// take gives all settings the values of a recipe.
func (f *trainingFlags) take(r recipe.Recipe) {
	takeTraining(&f.Settings, r.Training)
	f.Member.LearningRate, f.Member.Weights = r.LearningRate, r.Weights
}

// takeTraining leaves alone what means nothing in the settings to take.
func takeTraining(to *kge.Settings, s kge.Settings) {
	if s.PlateauPatience == 0 {
		s.PlateauFactor = to.PlateauFactor
	}
	*to = s
}

// member is one with a seed of its own.
func (f trainingFlags) member(s structure.Structure, seed uint64) kge.Member {
	m := kge.Member(f.Member)
	m.Structure, m.Seed = s, seed
	return m
}

// recipeFlag names settings of a training that stand below those that are given.
type recipeFlag struct {
	Recipe string `placeholder:"NAME" help:"Train by settings that others published for this data set, such as n3 (autoblm recipe list); flags that are given beside it come first, also with their default value."`
}

// recipeOf is the recipe that a command line names, or the zero value.
func recipeOf(ctx *kong.Context) (recipe.Recipe, error) {
	name, is := flags.Given[string](ctx, "recipe")
	if !is {
		return recipe.Recipe{}, nil
	}
	dataset, _ := flags.Given[string](ctx, "dataset")
	return recipe.Named(name, filepath.Base(cmp.Or(dataset, datasets.World().Name)))
}

// duraFlag stands for two weights.
type duraFlag struct {
	Dura float64 `default:"0" help:"Weight of DURA: stands for --entity-l2 and --products where they are not given."`
}

func useDura(ctx *kong.Context, w *kge.Weights) {
	if weight, is := flags.Given[float64](ctx, "dura"); is {
		w.EntityL2, w.Products = weight, weight
	}
}
