package main

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"math"
	"path/filepath"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/table"
)

// trainingFlags are the settings of a training for completion.
type trainingFlags struct {
	recipeFlag
	Settings kge.Settings `embed:""`
	Member   memberFlags  `embed:""`
	duraFlag
	line *kong.Context // what is given
}

// memberFlags are a member without its methods: the parser would call Validate before the
// member has its structure.
type memberFlags kge.Member

// usualTraining has the defaults, until the graph is known.
func usualTraining() trainingFlags {
	f := trainingFlags{Member: memberFlags{Seed: 1}}
	f.Settings.Precision = kge.AutoPrecision
	f.take(recipe.Default(math.MaxInt))
	return f
}

// settle puts what is usual for the graph and the form of models below what is given, where no
// recipe is named.
func (f *trainingFlags) settle(g *datasets.Graph, of form.Form) error {
	if f.Recipe != "" {
		return nil
	}
	r := recipe.ForGraph(g, of)
	f.take(r)
	f.useImplied(f.line)
	_, err := f.line.Apply()
	f.Recipe = r.Name
	return err
}

// BeforeApply puts a recipe, and the weights of DURA, below what is given.
func (f *trainingFlags) BeforeApply(ctx *kong.Context) error {
	_, err := f.useRecipe(ctx)
	return err
}

// useRecipe does so, and returns the recipe, which is the zero value where none is named.
func (f *trainingFlags) useRecipe(ctx *kong.Context) (recipe.Recipe, error) {
	f.line = ctx
	r, err := recipeOf(ctx)
	if err == nil && r.Name != "" {
		f.take(r)
	}
	f.useImplied(ctx)
	return r, err
}

// useImplied takes what flags stand for beside their own settings, where that is not given.
func (f *trainingFlags) useImplied(ctx *kong.Context) {
	useDura(ctx, &f.Member.Weights)
	useUnvalidated(ctx, &f.Settings)
}

// take gives all settings the values of a recipe.
func (f *trainingFlags) take(r recipe.Recipe) {
	takeTraining(&f.Settings, r.Training)
	f.Member.LearningRate, f.Member.Weights = r.LearningRate, r.Weights
}

// takeTraining leaves alone what means nothing in the settings to take, and the precision,
// which is no part of recipes.
func takeTraining(to *kge.Settings, s kge.Settings) {
	s.Precision = to.Precision
	if s.PlateauPatience == 0 {
		s.PlateauFactor = to.PlateauFactor
	}
	*to = s
}

// recipeFlag names settings of a training that stand below those that are given.
type recipeFlag struct {
	Recipe string `placeholder:"NAME" brief:"Train by settings of this name (recipe list)." help:"Train by settings of this name (autoblm recipe list): what others published for this data set, such as n3, or what is for any graph, such as basic; flags that are given beside it come first, also with their default value."`
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
	Dura float64 `default:"0" min:"0" help:"Weight of DURA: stands for --entity-l2 and --products where they are not given."`
}

func useDura(ctx *kong.Context, w *kge.Weights) {
	if weight, is := flags.Given[float64](ctx, "dura"); is {
		w.EntityL2, w.Products = weight, weight
	}
}

// useUnvalidated waits for no validation where none is wanted.
func useUnvalidated(ctx *kong.Context, s *kge.Settings) {
	if every, is := flags.Given[int](ctx, "validate-every"); is && every == 0 {
		s.Patience, s.PlateauPatience = 0, 0
	}
}

// modelFlags choose a structure, or a form that has none.
type modelFlags struct {
	Structure structureFlag `placeholder:"STRUCTURE" brief:"A bilinear model, such as complex or 1,0;0,2." help:"A bilinear model with this structure, as for structure check; that of the recipe, where there is one, when left out."`
	Model     form.Form     `brief:"Or one without: diag, transe, gqe, q2b or rotate." help:"A model that is not bilinear instead: ${forms}."`
}

// choose says what the members are of.
func (f modelFlags) choose(m *kge.Member) error {
	m.Form, m.Structure = f.Model, f.Structure.Structure
	if (f.Structure.K() == 0) == (f.Model == form.Bilinear) {
		return errors.New("give either --structure or --model with the name of a model that has none")
	}
	return nil
}

// structureOf is that of a bilinear model, nil for others.
func structureOf(f form.Form, a structure.Structure) *structure.Structure {
	if f != form.Bilinear {
		return nil
	}
	return &a
}

func titleOf(f form.Form, a *structure.Structure) string {
	if a != nil {
		return a.Title()
	}
	return f.String()
}

// trainedSummary is what the JSON of all trainings has.
type trainedSummary struct {
	Dataset      string           `json:"dataset"`
	Dim          int              `json:"dim"`
	Precision    kge.Precision    `json:"precision"`
	Seed         uint64           `json:"seed"`
	Epochs       int              `json:"epochs"`
	BestEpoch    int              `json:"best_epoch"`
	Loss         []float64        `json:"loss"`
	Validations  []kge.Validation `json:"validations"`
	Resumed      int              `json:"resumed,omitempty"` // epochs of runs before
	StoppedEarly *kge.EarlyStop   `json:"stopped_early,omitempty"`
	ValidatedBy  int              `json:"validated_by,omitempty"`
	Seconds      kge.Timing       `json:"seconds"`
	Out          string           `json:"out,omitempty"`
}

// summarizeTraining tells of the first model of a training.
func summarizeTraining(dataset string, dim int, report *kge.Report, out string) trainedSummary {
	r := report.Results[0]
	return trainedSummary{
		Dataset: dataset, Dim: dim, Precision: report.Precision, Seed: r.Member.Seed, Epochs: len(r.Loss), BestEpoch: r.BestEpoch,
		Loss: orEmpty(r.Loss), Validations: orEmpty(r.Validations), Resumed: report.Resumed, StoppedEarly: report.StoppedEarly, ValidatedBy: report.ValidatedBy, Seconds: report.Timing, Out: out,
	}
}

// print tells how what was trained went, and prints the metrics.
func (s trainedSummary) print(w io.Writer, what string, metrics *table.Table) {
	step := ""
	if s.Seconds.PerStep > 0 {
		step = fmt.Sprintf(" (%.2f ms a step)", 1e3*s.Seconds.PerStep)
	}
	fmt.Fprintf(w, "%s, %s, d %d%s: loss %s after %s, %.1f s%s\n", s.Dataset, what, s.Dim, s.Precision.Suffix(), last(s.Loss), format.Count(s.Epochs, "epoch"), s.Seconds.Train, step)
	if s.StoppedEarly != nil {
		fmt.Fprintf(w, "ended by the time after epoch %d of %d, step %s of %s; the same command goes on\n", s.StoppedEarly.Epoch, s.StoppedEarly.Epochs, format.Int(s.StoppedEarly.Step), format.Int(s.StoppedEarly.Steps))
	}
	if 0 < s.BestEpoch && s.BestEpoch < s.Epochs {
		fmt.Fprintf(w, "kept: epoch %d, the best by validation\n", s.BestEpoch)
	}
	if len(metrics.Rows) > 0 {
		fmt.Fprintln(w)
		metrics.Print(w)
	}
}

// last is the last loss, where there is one.
func last(loss []float64) string {
	if len(loss) == 0 {
		return format.Missing
	}
	return fmt.Sprintf("%.4f", loss[len(loss)-1])
}
