package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/surrogate"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type searchCommand struct {
	Task        string  `group:"Data and model" default:"${task}" enum:"${tasks}" brief:"${enum}." help:"What to search for: ${purposes}."`
	Dataset     string  `group:"Data and model" default:"world" brief:"Name from dataset list, folder or file." help:"Name from dataset list, a folder, or a file of facts; --task query also reads folders of queries, and classify those of RDF or of facts with classes.tsv."`
	Algorithm   string  `group:"Search" default:"${algorithm}" enum:"${algorithms}" brief:"${enum}." help:"Strategy that proposes structures: ${strategies}."`
	Minutes     float64 `group:"Search" default:"0" min:"0" max:"1000000" brief:"Deadline in minutes, and plan for it; 0: none." help:"Deadline in minutes; 0 sets none. Settings that are not given are planned to fit it, except with --recipe basic."`
	recipeFlag  `group:"Training"`
	MaxSteps, K struct{}       `kong:"-"` // no flags here
	Settings    searchSettings `embed:"" group:"Search"`
	duraFlag    `group:"Training"`
	variantFlags
	Ks          []int  `name:"k" group:"Search" min:"2" max:"8" help:"Number of chunks per embedding. Several, such as 2,4,8, compete: rounds take turns and the better half is promoted, with models of dense blocks as further baselines."`
	Predictor   string `group:"Search" default:"srf" enum:"srf,one-hot,none" help:"Selects the candidates to train: srf, one-hot or none."`
	Tune        int    `group:"Search" min:"0" max:"10000" help:"Number of recipes to try before the search, which uses the best."`
	TuneBy      string `group:"Search" default:"tpe" enum:"tpe,random" with:"tune" help:"tpe draws recipes similar to good ones, tries them on the two best baselines, and starts with a third of the epochs. random draws lr, n3 and batch and tries them on SimplE (the paper: 10 recipes)."`
	TuneEach    int    `group:"Search" min:"0" max:"10000" help:"Number of recipes to try after the search for each of the best structures and each baseline: penalties, relation prediction, translation. --minutes chooses it if there is much time; only for completion."`
	Final       int    `group:"Search" default:"0" min:"0" max:"10000" help:"Number of final trainings of the best structures with random recipes (the paper: 50)."`
	FinalDims   []int  `group:"Search" min:"1" max:"1048576" with:"final" help:"Dimensions for --final, separated by commas."`
	FinalEpochs int    `group:"Search" min:"1" max:"1000000000" with:"final" help:"Epochs for --final."`
	fullSoftmax bool   // the only one of the engine
	recipeName  string // of the training recipe in use
	taskFlags   taskFlags
	Study       string `output:"" group:"Results" placeholder:"FILE" brief:"File of the study, to save and resume it." help:"File of the study, or a folder with one; the same command resumes it. The default is study.db in --out."`
	Out         string `output:"" group:"Results" placeholder:"DIR" brief:"Folder for the model, pictures and study." help:"Folder for the best model, the pictures and the study. The default is a new one below autoblm-out."`
	distributeFlags
	configFlag
	mixFlag
	computeFlags
	TaskFlags kong.Plugins `embed:""`
}

// searchSettings has no methods, because the parser would call Validate before the settings are
// complete.
type searchSettings search.Settings

// newSearchCommand returns the command with its defaults.
func newSearchCommand() searchCommand {
	final := search.DefaultFinal()
	c := searchCommand{FinalDims: final.Ranges.Dims, FinalEpochs: final.Epochs}
	c.set(search.DefaultSettings())
	c.taskFlags, c.TaskFlags = newTaskFlags()
	return c
}

// set sets the settings of the search, and the flags that stand for some of them.
func (c *searchCommand) set(s search.Settings) {
	s.Recipe = withAutoPrecision(s.Recipe)
	c.Settings = searchSettings(s)
	c.Ks, c.Tune, c.TuneBy, c.TuneEach = s.Ks(), 0, "random", 0
	if s.Tune != nil {
		c.Tune = s.Tune.Trials
		if s.Tune.Space != nil {
			c.TuneBy = "tpe"
		}
	}
	if s.TuneEach != nil {
		c.TuneEach = s.TuneEach.Trials
	}
}

// procedure returns the settings of the search before a task and a recipe change them.
func (c *searchCommand) procedure() search.Settings {
	switch {
	case c.Recipe == basicRecipe:
		return search.BasicSettings()
	case c.Settings.Model != form.Bilinear:
		s := search.BasicSettings()
		if c.Task == completion.TaskName {
			s = s.ForModel(c.Settings.Model)
		}
		if c.Minutes > 0 { // it begins with the default model
			s.Planned = &search.Planned{}
		}
		return s
	case c.Minutes > 0:
		return search.TimedSettings()
	}
	return search.DefaultSettings()
}

// resolve computes the settings of the search. The size of the data is zero until they are read.
func (c *searchCommand) resolve(line *kong.Context, size task.Size) error {
	t, err := tasks.Find(c.Task)
	if err != nil {
		return err
	}
	r, err := c.trainingRecipe(t)
	if err != nil {
		return err
	}
	if c.Recipe == "" && c.Settings.Model != form.Bilinear { // begins with its space
		r = recipe.Recipe{}
	}
	c.recipeName = r.Name
	layers := []func(){func() {
		s := c.procedure()
		s.Model = c.Settings.Model
		s = t.Defaults(s)
		s.Planned = planned(line, s.Planned)
		c.taskFlags.reset(t, !s.WarmStart)
		c.set(s)
	}, c.setChunks}
	if r.Name != "" {
		layers = append(layers, recipeLayer(&c.Settings.Recipe, r.Recipe), func() {
			// A recipe whose norms span more chunks than the search has needs as many.
			if block := r.N3Block; block > c.Settings.K && !flags.IsGiven(line, "k") {
				c.Settings.K, c.Ks = block, []int{block}
			}
		})
	}
	return c.resolveRecipe(line, append(layers, c.roundDims, c.graphLayer(line, size),
		c.impliedLayer(line, &c.Settings.Recipe), func() {
			c.Settings.Halving = min(c.Settings.Halving, search.DefaultHalving(c.Settings.Training.Epochs))
		}))
}

// resolveRecipe applies layers, and then the flags that choose a variant of the training.
func (c *searchCommand) resolveRecipe(line *kong.Context, layers []func()) error {
	r := &c.Settings.Recipe
	layers = append(layers, c.variantFlags.fromLayer(&r.Training))
	if c.Task == completion.TaskName {
		layers = append(layers, c.negativesLayer(line),
			c.samplingLayer(&c.Settings.Model, &r.Training), c.binaryLayer(r))
	}
	err := flags.Resolve(line, layers...)
	c.variantFlags.apply(&r.Training)
	return err
}

// trainingRecipe returns the recipe that --recipe names for training, or else that of the encoder, the
// zero value without both. The basic recipe configures the whole search instead.
func (c *searchCommand) trainingRecipe(t tasks.Registration) (recipe.Recipe, error) {
	f, encoder := search.Settings(c.Settings).FirstForm(), c.Encoding.Encoder
	switch {
	case c.Recipe == basicRecipe || c.Recipe == "" && (encoder == kge.NoEncoder || !t.Recipes):
		return recipe.Recipe{}, nil
	case c.Recipe == "":
		r, _ := recipe.ForModel(f, encoder)
		return r, nil
	case !t.Recipes:
		return recipe.Recipe{}, fmt.Errorf("there is no recipe %s for --task %s: use %s, or the flags "+
			"of training", c.Recipe, c.Task, basicRecipe)
	}
	r, err := c.named(c.Dataset)
	if err == nil && r.Form != form.Bilinear && r.Form != c.Settings.Model {
		return r, fmt.Errorf("the recipe %s trains %v, which has no structure to search for: "+
			"add --model %[2]v to tune it, or use another recipe", r.Name, r.Form)
	}
	r.Recipe = recipe.Adapt(r.Recipe, f)
	return r, err
}

// planned returns which settings a plan for a deadline may change: those that are not given.
func planned(line *kong.Context, p *search.Planned) *search.Planned {
	if p == nil {
		return nil
	}
	free := func(names ...string) bool { return !flags.IsGiven(line, names...) }
	structures := p.Structures && free("budget")
	retrain := p.Retrain && free("retrain-dims", "retrain-epochs")
	return &search.Planned{
		Dim: p.Dim && free("dim"), Epochs: p.Epochs && free("epochs"), Tune: p.Tune && free("tune"),
		Structures: structures, FixedHalving: structures && !free("halving"),
		Retrain: retrain, FixedSeeds: retrain && !free("retrain-seeds"),
		FixedSplits: retrain && !free("retrain-splits"), TuneEach: p.TuneEach && free("tune-each"),
	}
}

// setChunks sets the numbers of chunks of the search to the given ones.
func (c *searchCommand) setChunks() {
	if len(c.Ks) == 0 {
		return
	}
	ks := slices.Compact(slices.Sorted(slices.Values(c.Ks)))
	c.Settings.K, c.Settings.FewerK = ks[len(ks)-1], nil
	if len(ks) > 1 {
		c.Settings.FewerK = ks[:len(ks)-1]
	}
}

// roundDims rounds default dimensions down to multiples of the number of chunks, or up to those of the
// model.
func (c *searchCommand) roundDims() {
	round := func(dim int) int { return max(1, dim/c.Settings.K) * c.Settings.K }
	if f := c.Settings.Model; f != form.Bilinear {
		round = func(dim int) int { return f.RoundDim(dim) }
	}
	c.Settings.Training.Dim = round(c.Settings.Training.Dim)
	c.Settings.RetrainDims = slices.Clone(c.Settings.RetrainDims)
	for i, dim := range c.Settings.RetrainDims {
		c.Settings.RetrainDims[i] = round(dim)
	}
}

// graphLayer returns the layer with the settings that depend on the size of a graph.
func (c *searchCommand) graphLayer(line *kong.Context, size task.Size) func() {
	return func() {
		s := &c.Settings
		if size == (task.Size{}) || c.Recipe != "" || c.Task != completion.TaskName ||
			s.Model != form.Bilinear || c.Encoding.Encoder != kge.NoEncoder {
			return
		}
		n3, frequency := s.N3, s.PenaltyFrequency
		autoblm.AdaptRecipe(&s.Recipe, recipe.Size{
			Entities: size.Entities, Train: size.Examples, Valid: size.Validation, Full: c.fullSoftmax,
		})
		if flags.IsGiven(line, "dura", "entity-l2", "products") {
			s.N3, s.PenaltyFrequency = n3, frequency
		}
	}
}

func (c *searchCommand) Run(ctx context.Context, line *kong.Context, o *output) error {
	began := time.Now()
	settings, err := c.settings(line, task.Size{})
	if err != nil {
		return cli.Usage(err)
	}
	own, err := c.taskFlags.encode(c.Task, settings.Settings)
	if err != nil {
		return err
	}
	p, err := openProblem(ctx, o, c.Task, c.Dataset, own, settings.Compute)
	if err != nil {
		return err
	}
	defer p.Close()
	byDefault, err := c.defaultRecipe(line, p.Task)
	if err != nil {
		return cli.Usage(err)
	}
	engine, _ := p.Arithmetic(kge.Float32)
	c.fullSoftmax = engine != kge.NativeEngine
	if settings, err = c.settings(line, p.Size()); err != nil {
		return cli.Usage(err)
	}
	settings.Default = byDefault
	resume := slices.Clone(o.Arguments)
	if c.Out == "" {
		if c.Out, err = newFolder(p.identity.Dataset); err != nil {
			return err
		}
		resume = append(resume, "--out", c.Out)
	}
	if c.Study == "" {
		c.Study = filepath.Join(c.Out, studyName)
		resume = append(resume, "--study", c.Study)
	} else if c.Study, err = studyIn(c.Study); err != nil {
		return err
	}
	settings.Began, settings.Study, settings.Command = began, c.Study, o.Arguments
	trained, disconnect, err := c.distribute(ctx, o, p.Task, settings)
	if err != nil {
		return err
	}
	defer disconnect()
	return searchRun{
		problem: p, trained: trained, settings: settings, out: c.Out, resumeCommand: shellCommand(resume),
		config: func(planned search.Settings) ([]byte, error) { return c.config(line, planned) },
	}.execute(ctx, o)
}

// defaultRecipe returns the recipe of the command train on the data of a task, with the given
// flags; nil if the task has no default model.
func (c *searchCommand) defaultRecipe(line *kong.Context, t task.Task) (*kge.Recipe, error) {
	model, found := t.Default(search.Settings(c.Settings).FirstForm())
	if !found {
		return nil, nil
	}
	r := &c.Settings.Recipe
	layers := []func(){recipeLayer(r, model.Recipe.Recipe)}
	registration, err := tasks.Find(c.Task)
	if err != nil {
		return nil, err
	}
	named, err := c.trainingRecipe(registration)
	if err != nil {
		return nil, err
	}
	if named.Name != "" {
		layers = append(layers, recipeLayer(r, named.Recipe))
	}
	err = c.resolveRecipe(line, append(layers, c.impliedLayer(line, r)))
	chosen := *r
	return &chosen, err
}

// settings returns the resolved settings of the search, after checking them.
func (c *searchCommand) settings(
	line *kong.Context, size task.Size,
) (s autoblm.SearchSettings, err error) {
	if err := c.checkFlags(line); err != nil {
		return s, err
	}
	if err := c.resolve(line, size); err != nil {
		return s, err
	}
	s = autoblm.SearchSettings{
		Settings: search.Settings(c.Settings), Algorithm: c.Algorithm, MixEngines: c.MixEngines,
	}
	s.Predictor, s.Tune, s.TuneEach, s.Final = c.predictor(), c.tune(), nil, nil
	if c.TuneEach > 0 {
		s.TuneEach = search.EachTune(c.TuneEach)
	}
	if s.Training.Translate {
		s.Settings = s.WithTranslation()
	}
	s.Space = c.space(line)
	s.TimeLimit = minutes(c.Minutes)
	if c.Final != 0 {
		s.Final = search.DefaultFinal()
		s.Final.Trials, s.Final.Ranges.Dims, s.Final.Epochs = c.Final, c.FinalDims, c.FinalEpochs
	}
	if s.Compute, err = c.compute(); err != nil {
		return s, err
	}
	s.Compute = s.Compute.ForTraining(s.Training, s.FirstForm())
	t, err := tasks.Find(c.Task)
	if err != nil {
		return s, err
	}
	if err := t.CheckSearch(s); err != nil {
		if flags.IsGiven(line, "dura") {
			err = fmt.Errorf("%w (--dura sets --entity-l2 and --products)", err)
		}
		return s, err
	}
	return s, s.Validate()
}

func (c *searchCommand) predictor() *surrogate.Settings {
	if c.Predictor == "none" {
		return nil
	}
	fit := surrogate.DefaultSettings()
	if c.Predictor == "one-hot" {
		fit.Features = surrogate.OneHot
	}
	return &fit
}

// tune returns the settings of the tuning stage, nil for none.
func (c *searchCommand) tune() *search.TuneSettings {
	if c.Tune == 0 {
		return nil
	}
	s := search.DefaultTune()
	if c.TuneBy == "tpe" {
		s = search.GuidedTune(c.Tune)
		if tune := tasks.SearchDefaults(c.Task, false).Tune; tune != nil { // with the task's own space
			s = tune
		}
	}
	s.Trials = c.Tune
	return s
}
