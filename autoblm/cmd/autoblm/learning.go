package main

import (
	"cmp"
	"path/filepath"
	"slices"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// learningFlags say how structures are trained for completion. Commands differ in
// their defaults.
type learningFlags struct {
	Recipe string `placeholder:"NAME" help:"Train by settings that others published for this data set, such as n3 (autoblm recipe list); flags that are given beside it come first, also with their default value."`

	commonFlags

	LabelSmoothing     float64 `default:"0" help:"Share of a true entity that is spread over all entities."`
	RelationPrediction float64 `default:"0" help:"Weight of the cross entropy of the relation, given head and tail."`
}

// commonFlags say how embeddings are trained for any task.
type commonFlags struct {
	Dim           int                  `default:"${dim}" help:"Dimension of the embeddings, a multiple of the chunks."`
	Epochs        int                  `default:"${epochs}" help:"Passes over what is trained on."`
	Batch         int                  `default:"${batch}" help:"Triples or queries in a step."`
	LR            float64              `name:"lr" default:"${lr}" help:"Learning rate."`
	Decay         float64              `default:"1" help:"Factor on the learning rate after each epoch."`
	Optimizer     completion.Optimizer `default:"adagrad" help:"adagrad or adam."`
	ValidateEvery int                  `default:"${validate_every}" help:"Validate after every so many epochs and keep the best epoch; 0 keeps the last."`
	Patience      int                  `default:"${patience}" help:"Stop after so many validations without a better one; 0 never."`

	PlateauPatience int     `default:"0" help:"Lower the learning rate after so many validations in a row without a better one; 0 never."`
	PlateauFactor   float64 `default:"0.5" help:"Factor on the learning rate then."`

	Init       completion.Initial `default:"normal" help:"Distribution of the first embeddings: normal or xavier."`
	InitScale  float64            `default:"${init_scale}" help:"Their standard deviation, if normal."`
	Reciprocal bool               `negatable:"" default:"${reciprocal}" help:"Give each relation a reverse with an embedding of its own, which is asked where the relation is walked from tail to head."`
	MaxNorm    float64            `default:"0" help:"Shorten longer embeddings of entities to this norm after each step; 0 never."`

	Dropout float64 `default:"0" help:"Share of a query's coordinates that are set to 0 in a step."`

	N3         float64 `name:"n3" default:"${n3}" help:"Weight of the cubed norms of entities and relations."`
	L2         float64 `name:"l2" default:"0" help:"Weight of the squared norms of entities and relations."`
	EntityL2   float64 `name:"entity-l2" default:"0" help:"Weight of the squared norms of entities."`
	RelationL2 float64 `name:"relation-l2" default:"0" help:"Weight of the squared norms of relations."`
	Products   float64 `default:"0" help:"Weight of the squared norms of the products of entities with the relation, or with the path."`
	Dura       float64 `default:"0" help:"Weight of DURA: stands for --entity-l2 and --products where they are not given."`
}

func (f commonFlags) settings() completion.Settings {
	s := completion.DefaultSettings()
	s.Dim, s.Epochs, s.Batch = f.Dim, f.Epochs, f.Batch
	s.Optimizer, s.Decay = f.Optimizer, f.Decay
	s.ValidateEvery, s.Patience = f.ValidateEvery, f.Patience
	if f.PlateauPatience != 0 {
		s.PlateauPatience, s.PlateauFactor = f.PlateauPatience, f.PlateauFactor
	}
	s.Initial, s.InitScale, s.Reciprocal, s.MaxNorm = f.Init, f.InitScale, f.Reciprocal, f.MaxNorm
	s.Dropout = f.Dropout
	return s
}

func (f commonFlags) weights() completion.Weights {
	return completion.Weights{L2: f.L2, N3: f.N3, EntityL2: f.EntityL2, RelationL2: f.RelationL2, Products: f.Products}
}

// take is the other way of settings and weights.
func (f *commonFlags) take(s completion.Settings, rate float64, w completion.Weights) {
	f.Dim, f.Epochs, f.Batch, f.LR = s.Dim, s.Epochs, s.Batch, rate
	f.Optimizer, f.Decay = s.Optimizer, s.Decay
	f.ValidateEvery, f.Patience = s.ValidateEvery, s.Patience
	if s.PlateauPatience != 0 {
		f.PlateauPatience, f.PlateauFactor = s.PlateauPatience, s.PlateauFactor
	}
	f.Init, f.InitScale, f.Reciprocal, f.MaxNorm = s.Initial, s.InitScale, s.Reciprocal, s.MaxNorm
	f.Dropout = s.Dropout
	f.L2, f.N3, f.EntityL2, f.RelationL2, f.Products = w.L2, w.N3, w.EntityL2, w.RelationL2, w.Products
}

func (f learningFlags) settings() completion.Settings {
	s := f.commonFlags.settings()
	s.LabelSmoothing = f.LabelSmoothing
	return s
}

func (f learningFlags) weights() completion.Weights {
	w := f.commonFlags.weights()
	w.RelationPrediction = f.RelationPrediction
	return w
}

func (f learningFlags) member(s structure.Structure, seed uint64) completion.Member {
	return completion.Member{Structure: s, Seed: seed, LearningRate: f.LR, Weights: f.weights()}
}

// take is the other way of settings and weights.
func (f *learningFlags) take(s completion.Settings, rate float64, w completion.Weights) {
	f.commonFlags.take(s, rate, w)
	f.LabelSmoothing, f.RelationPrediction = s.LabelSmoothing, w.RelationPrediction
}

// BeforeResolve gives flags that are not given the values of the recipe, and of its
// structure.
func (f *learningFlags) BeforeResolve(ctx *kong.Context) error {
	values := map[string]string{}
	if name := given(ctx, "recipe"); name != "" {
		r, err := recipe.Named(name, filepath.Base(cmp.Or(given(ctx, "dataset"), datasets.World().Name)))
		if err != nil {
			return err
		}
		if values, err = recipeValues(r); err != nil {
			return err
		}
		if r.Structure.K() > 0 {
			values["structure"] = r.Structure.String()
		}
	}
	useInstead(ctx, values)
	return nil
}

// useInstead gives values to flags that are not given, and the weight of --dura to
// those for which it stands.
func useInstead(ctx *kong.Context, values map[string]string) {
	if weight := given(ctx, "dura"); weight != "" {
		values["entity-l2"], values["products"] = weight, weight
	}
	ctx.AddResolver(kong.ResolverFunc(func(_ *kong.Context, _ *kong.Path, flag *kong.Flag) (any, error) {
		if value, set := values[flag.Name]; set {
			return value, nil
		}
		return nil, nil
	}))
}

// given is the value that the command line has for a flag or an argument, or "".
func given(ctx *kong.Context, name string) string {
	for _, p := range ctx.Path {
		if p.Flag != nil && p.Flag.Name == name || p.Positional != nil && p.Positional.Name == name {
			return flagValue(ctx.Value(p))
		}
	}
	return ""
}

// recipeValues are the values that a recipe gives to flags, as they would be written.
func recipeValues(r recipe.Recipe) (map[string]string, error) {
	_, flags, err := recipeFlags(r)
	if err != nil {
		return nil, err
	}
	values := map[string]string{}
	for _, flag := range flags {
		values[flag.name] = flag.value
	}
	return values, nil
}

// recipeFlags are the flags of learning, as train has them by default and as a recipe
// has them.
func recipeFlags(r recipe.Recipe) (usual, here []flagText, err error) {
	var c struct{ learningFlags }
	grammar, err := newGrammar(&c)
	if err != nil {
		return nil, nil, err
	}
	own := func() []flagText {
		return slices.DeleteFunc(grammar.flags(), func(f flagText) bool { return f.name == "help" || f.name == "recipe" || f.name == "dura" })
	}
	usual = own()
	c.take(r.Training, r.LearningRate, r.Weights)
	return usual, own(), nil
}
