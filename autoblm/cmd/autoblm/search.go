package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/predictor"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type searchCommand struct {
	Task      string  `default:"${task}" enum:"${tasks}" brief:"What for: ${enum}." help:"What for: ${purposes}."`
	Dataset   string  `default:"world" brief:"A name of dataset list, or a folder." help:"A name of dataset list, or a folder; for query also a folder of queries, for classify one of an RDF graph."`
	Algorithm string  `default:"${algorithm}" enum:"${algorithms}" brief:"${enum}." help:"autoblm+ (evolutionary), autoblm (progressive), random, tpe (a Parzen estimator) or reinforce (an LSTM)."`
	Minutes   float64 `default:"0" min:"0" max:"1000000" brief:"Plan for so many minutes, and end in them." help:"Plan for so many minutes, and end in them: what is not given is chosen so that it fits, and the best so far is kept. With --recipe basic, only end then, once a structure is trained. 0 is for no limit."`
	recipeFlag
	MaxSteps    struct{}    `kong:"-"` // no flag here
	Settings    searchFlags `embed:""`
	rungs       bool        // whether they are given
	penalty     bool
	batch       bool
	duraFlag    `group:"Training"`
	Predictor   string `default:"srf" enum:"srf,one-hot,none" help:"What picks the candidates to train: srf, one-hot or none."`
	Tune        int    `min:"0" max:"10000" help:"Before the search, try so many recipes, and search with the best."`
	TuneBy      string `default:"tpe" enum:"tpe,random" help:"tpe draws recipes like the good ones, and tries them on the best two named models, first for a third of the epochs; random draws learning rate, n3 and batch at random, and tries them on SimplE (the paper: 10)."`
	Final       int    `default:"0" min:"0" max:"10000" help:"After the search, train the best structures so many times with random recipes (the paper: 50)."`
	FinalDims   []int  `min:"1" max:"1048576" help:"Dimensions for --final, separated by commas."`
	FinalEpochs int    `min:"1" max:"1000000000" help:"Passes over the training triples for --final."`
	Single      bool   `help:"Keep one model, also where an ensemble would be kept: --ensemble 0."`
	own         ownFlags
	Own         kong.Plugins `embed:""`
	Study       string       `brief:"What keeps the search, to go on with." help:"The file that keeps the search, or the folder of a search that has one; the same command goes on with it. study.db in --out when left out."`
	Out         string       `brief:"The folder for the model, pictures and study." help:"The folder for the best model, the pictures and the study; a new one below autoblm-out when left out."`
	mixFlag
	computeFlags
}

// searchFlags are settings without their methods: the parser would call Validate before all
// are known.
type searchFlags search.Settings

// usualSearch has the defaults.
func usualSearch() searchCommand {
	final := search.DefaultFinal()
	c := searchCommand{FinalDims: final.Ranges.Dims, FinalEpochs: final.Epochs}
	c.use(search.DefaultSettings())
	c.Settings.Training.Precision = kge.AutoPrecision
	c.own, c.Own = usualOwn()
	return c
}

// plainRecipe is that of the first version, which stands for its procedure too.
const plainRecipe = "basic"

// plainName is that name, where there is no other.
type plainName string

// UnmarshalText knows no other.
func (n *plainName) UnmarshalText(text []byte) error {
	if string(text) != plainRecipe {
		return fmt.Errorf("there is no recipe %s for this, only %s", text, plainRecipe)
	}
	*n = plainRecipe
	return nil
}

// BeforeApply puts what is usual for the task and the time, a recipe, and the weights of DURA
// below what is given.
func (c *searchCommand) BeforeApply(ctx *kong.Context) error {
	training := c.Settings.Training
	name, _ := flags.Given[string](ctx, "recipe")
	minutes, _ := flags.Given[float64](ctx, "minutes")
	usual := search.DefaultSettings()
	model, _ := flags.Given[form.Form](ctx, "model")
	switch {
	case name == plainRecipe || model != form.Bilinear:
		usual = search.BasicSettings()
	case minutes > 0:
		usual = search.TimedSettings()
	}
	task, _ := flags.Given[string](ctx, "task")
	if kind, err := autoblm.FindTask(task); err == nil { // else the parser says so
		usual = kind.Defaults(usual)
		c.own.use(kind, usual)
	}
	if usual.Planned != nil {
		given := func(names ...string) bool {
			return slices.ContainsFunc(names, func(name string) bool { return flags.Is(ctx, name) })
		}
		may := *usual.Planned
		usual.Planned = &search.Planned{
			Dim: may.Dim && !given("dim"), Epochs: may.Epochs && !given("epochs"), Structures: may.Structures && !given("budget", "halving"),
			Tune: may.Tune && !given("tune"), Retrain: may.Retrain && !given("retrain-seeds", "retrain-dims", "retrain-epochs"),
		}
	}
	if k, is := flags.Given[int](ctx, "k"); is && k > 1 { // else the parser says so
		usual.K = k
		usual.Training.Dim = divided(usual.Training.Dim, k)
		usual.RetrainDims = slices.Clone(usual.RetrainDims)
		for i, dim := range usual.RetrainDims {
			usual.RetrainDims[i] = divided(dim, k)
		}
	}
	takeTraining(&training, usual.Training)
	usual.Training = training
	c.use(usual)
	c.rungs = flags.Is(ctx, "halving")
	c.batch = flags.Is(ctx, "batch")
	c.penalty = slices.ContainsFunc([]string{"n3", "dura", "entity-l2", "products"}, func(name string) bool { return flags.Is(ctx, name) })
	useDura(ctx, &c.Settings.Weights)
	if name == plainRecipe {
		return nil
	}
	r, err := recipeOf(ctx)
	if err == nil && r.Form != form.Bilinear && r.Form != model {
		return fmt.Errorf("the recipe %s trains %v, which has no structure to search for: give --model %[2]v too, to tune that, or take another recipe", r.Name, r.Form)
	}
	if err == nil && r.Name != "" {
		c.takeRecipe(r)
		useDura(ctx, &c.Settings.Weights)
	}
	return err
}

// divided is a dimension, or the next lower one, that so many chunks divide.
func divided(dim, chunks int) int { return max(1, dim/chunks) * chunks }

// use takes settings, and the flags that stand for some of them.
func (c *searchCommand) use(s search.Settings) {
	c.Settings = searchFlags(s)
	c.Tune, c.TuneBy = 0, "random"
	if s.Tune != nil {
		c.Tune = s.Tune.Trials
	}
	if s.Tune != nil && s.Tune.Space != nil {
		c.TuneBy = "tpe"
	}
}

// takeRecipe trains by a recipe.
func (c *searchCommand) takeRecipe(r recipe.Recipe) {
	takeTraining(&c.Settings.Training, r.Training)
	c.Settings.LearningRate, c.Settings.Weights = r.LearningRate, r.Weights
}

// searchSummary is the JSON of search.
type searchSummary struct {
	study.Outcome
	K        int         `json:"k"`
	Dim      int         `json:"dim"`
	Trained  int         `json:"trained"`
	Failed   int         `json:"failed"`
	Seconds  float64     `json:"seconds"`
	Overhead float64     `json:"overhead"` // seconds of strategy, filter and predictor
	Resumed  int         `json:"resumed"`
	Stopped  search.Stop `json:"stopped"`
	Note     string      `json:"note,omitempty"`
	Study    string      `json:"study"`
	Out      string      `json:"out"`
}

// Run searches.
func (c *searchCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	settings, err := c.searchSettings()
	if err != nil {
		return cli.Usage(err)
	}
	settings.Began = began
	own, err := c.own.of(c.Task, settings.Settings)
	if err != nil {
		return err
	}
	p, err := openProblem(ctx, o, c.Task, c.Dataset, own, settings.Compute)
	if err != nil {
		return err
	}
	defer p.Close()
	c.suit(&settings.Settings, p)
	again := slices.Clone(o.Arguments)
	if c.Out == "" {
		named := filepath.Join(outFolder, fmt.Sprintf("%s-%s", p.about.Dataset, time.Now().Format("20060102-150405")))
		if c.Out, err = outfile.NewFolder(named); err != nil {
			return err
		}
		again = append(again, "--out", c.Out)
	}
	if c.Study == "" {
		c.Study = filepath.Join(c.Out, studyName)
		again = append(again, "--study", c.Study)
	} else if c.Study, err = studyIn(c.Study); err != nil {
		return err
	}
	settings.Study = c.Study
	return searching{problem: p, settings: settings, out: c.Out, again: commandOf(again)}.run(ctx, o)
}

// manyExamples is from how many on an epoch has large batches, whose steps take less time for
// each.
const manyExamples = 100_000

// largeBatch is the batch size then.
const largeBatch = 500

// suit gives settings that are not given what the size of a graph suits.
func (c *searchCommand) suit(s *search.Settings, p problem) {
	if c.Recipe != "" || p.about.Task != completion.TaskName || s.Model != form.Bilinear {
		return
	}
	size := p.Task.Size()
	if !c.penalty {
		s.N3 = recipe.Default(size.Entities).N3
	}
	if !c.batch && size.Examples > manyExamples {
		s.Training.Batch = largeBatch
	}
}

// searching is a search that is set up, by whichever command.
type searching struct {
	problem
	settings autoblm.SearchSettings
	out      string // the folder for the model and the pictures
	again    string // the command that goes on with it
}

func (s searching) run(ctx context.Context, o *output) error {
	if err := outfile.MakeFolder(s.out); err != nil {
		return err
	}
	o.Message("study: %s", s.settings.Study)
	s.settings.OnPlan = func(p search.Plan) {
		what := "the plan"
		if p.Tuned && p.Recipes > 0 {
			what = "the rest of the plan, by the recipe found"
		}
		o.Message("%s: %v", what, p)
	}
	bar := newSearchBar(o, endOf(time.Now(), s.settings.TimeLimit))
	s.settings.OnProgress = bar.update
	result, err := autoblm.SearchFor(ctx, s.Task, s.settings)
	bar.Finish()
	if err != nil {
		return err
	}
	s.settings.Settings = result.Settings
	s.settings.Training.Precision = result.Recipe.Training.Precision // what it came to
	var best study.Description
	if result.Artifact != nil {
		if best, err = study.DescriptionOf(result.Artifact); err != nil {
			return err
		}
	}
	summary := s.summary(result)
	print := func(w io.Writer) { s.print(w, o, result, summary, best.Structure) }
	if s.settings.Model != form.Bilinear {
		print = func(w io.Writer) { s.printRecipes(w, result, summary) }
	}
	o.Saved("the study is %s", s.settings.Study)
	written := s.writeGallery(result)
	if err := errors.Join(o.Result(summary, print), written); err != nil {
		return err // the study has it all
	}
	if result.Stopped == search.Interrupted {
		return fmt.Errorf("interrupted after %d of %d structures; go on with: %s", result.Trained, s.settings.Budget, s.again)
	}
	switch {
	case len(result.Best) > 0 || result.Artifact != nil:
		return nil
	case result.Stopped == search.TimeLimitReached && result.Trained == 0:
		return fmt.Errorf("nothing was trained to its end in the time: give it more --minutes, with --study %s", s.settings.Study)
	}
	return fmt.Errorf("all %d structures diverged: try a learning rate below %g, in a new study", result.Trained, s.settings.LearningRate)
}

func (c *searchCommand) searchSettings() (autoblm.SearchSettings, error) {
	s := autoblm.SearchSettings{Settings: search.Settings(c.Settings), Algorithm: c.Algorithm, MixEngines: c.MixEngines}
	s.Settings.Predictor, s.Tune, s.Final = nil, nil, nil
	if !c.rungs {
		s.Halving = min(s.Halving, search.DefaultHalving(s.Training.Epochs))
	}
	if c.Single {
		s.Ensemble = 0
	}
	if c.Predictor != "none" {
		fit := predictor.DefaultSettings()
		if c.Predictor == "one-hot" {
			fit.Features = predictor.OneHot
		}
		s.Settings.Predictor = &fit
	}
	if c.Tune != 0 {
		s.Tune = search.DefaultTune()
		if c.TuneBy == "tpe" {
			s.Tune = c.space()
		}
		s.Tune.Trials = c.Tune
	}
	if c.Final != 0 {
		s.Final = search.DefaultFinal()
		s.Final.Trials, s.Final.Ranges.Dims, s.Final.Epochs = c.Final, c.FinalDims, c.FinalEpochs
	}
	var err error
	if s.Compute, err = c.compute(); err != nil {
		return s, err
	}
	s.Compute = s.Compute.For(s.Model)
	if s.TimeLimit, err = timeLimit(c.Minutes); err != nil {
		return s, err
	}
	kind, err := autoblm.FindTask(c.Task)
	if err != nil {
		return s, err
	}
	if c.Recipe != "" && c.Recipe != plainRecipe && !kind.Recipes {
		return s, fmt.Errorf("there are no recipes for --task %s: give the flags of training", c.Task)
	}
	if err := kind.CheckSearch(s); err != nil {
		return s, err
	}
	return s, s.Validate()
}

// space is what recipes are drawn from: what is usual for the task.
func (c *searchCommand) space() *search.TuneSettings {
	usual := search.DefaultSettings()
	if kind, err := autoblm.FindTask(c.Task); err == nil {
		usual = kind.Defaults(usual)
	}
	if usual.Tune == nil { // of a task without this stage, which says so
		return search.GuidedTune(c.Tune)
	}
	return usual.Tune
}

// endOf is when what began then is over after some time; zero where that is 0, for any.
func endOf(began time.Time, limit time.Duration) (end time.Time) {
	if limit > 0 {
		end = began.Add(limit)
	}
	return end
}

func timeLimit(minutes float64) (time.Duration, error) {
	if !(minutes >= 0) || minutes > 1e6 {
		return 0, fmt.Errorf("minutes is %v: it must be from 0, for no limit, to a million", minutes)
	}
	return time.Duration(minutes * float64(time.Minute)), nil
}

func (s searching) summary(r *search.Result) searchSummary {
	summary := searchSummary{
		Outcome: study.OutcomeOf(s.studyAbout(), r, s.Presentation()), K: s.settings.K, Dim: s.settings.Training.Dim,
		Trained: r.Trained, Failed: r.Trained - r.Complete, Seconds: r.Seconds,
		Resumed: r.Resumed, Stopped: r.Stopped, Note: r.Note, Overhead: r.Overhead, Study: s.settings.Study, Out: s.out,
	}
	if s.settings.K != 4 && s.settings.Model == form.Bilinear {
		summary.Note = strings.TrimPrefix(summary.Note+"; the named models have four chunks and were left out", "; ")
	}
	return summary
}

func (s searching) print(w io.Writer, o *output, r *search.Result, summary searchSummary, best *structure.Structure) {
	fmt.Fprintf(w, "%s on %s: %s trained in %s, d %d%s, %s, seed %d\n", s.settings.Algorithm, s.about.Dataset, format.Count(r.Trained, "structure"), format.Seconds(r.Seconds), s.settings.Training.Dim, s.settings.Training.Precision.Suffix(), format.Count(s.settings.Training.Epochs, "epoch"), s.settings.Seed)
	printEnd(w, r)
	if diverged := r.Trained - r.Complete; diverged > 0 {
		fmt.Fprintf(w, "%d of them diverged\n", diverged)
	}
	summary.PrintTuned(w)
	fmt.Fprintln(w)
	summary.PrintBest(w)
	if len(r.Best) == 0 && r.Artifact == nil {
		return
	}
	fmt.Fprintf(w, "\n%s\n", strings.Join(s.report(r).Verdict(), "\n"))
	summary.PrintFinals(w)
	summary.PrintRetrained(w)
	summary.PrintEnsemble(w)
	summary.PrintGain(w)
	kept := "the best model (model) and the pictures"
	if r.Artifact == nil {
		best, kept = &r.Best[0].Structure, "the pictures"
	}
	whose := "found by the search"
	if summary.Kept["from"] == study.FromBaseline {
		whose = "the named " + structure.TitleOf(r.Kept.Name)
		if len(r.Best) > 0 {
			fmt.Fprintf(w, "\nThe best structure found, %s\n", r.Best[0].Structure)
		}
	}
	if r.Kept != nil && r.Kept.Stage == task.Retraining {
		whose += fmt.Sprintf(", seed %d", r.Kept.Recipe.Seed)
	}
	if r.Kept != nil && r.Kept.Stage == task.EnsembleSelection {
		best, kept, whose = &r.Members()[0].Structure, "the ensemble (model) and the pictures", "the first of the ensemble"
	}
	fmt.Fprintf(w, "\nThe structure of the best model (%s), %s\n\n%s\nf(h,r,t) = %s\n", whose, best, o.Drawing(best.Draw), best.Formula())
	s.printExamples(w, r.Artifact)
	fmt.Fprintf(w, "\nIn %s are %s (*.png, *.svg)\n", s.out, kept)
	fmt.Fprintf(w, "The study, to go on with (--study) or to read as a page (autoblm report --study): %s\n", s.settings.Study)
}

// printEnd says why a search ended before its budget was spent, if it did.
func printEnd(w io.Writer, r *search.Result) {
	if r.Stopped != search.BudgetSpent {
		fmt.Fprintln(w, strings.TrimSuffix(fmt.Sprintf("ended by: %s, %s", r.Stopped, r.Note), ", "))
	}
}

// printRecipes is print for a model without a structure.
func (s searching) printRecipes(w io.Writer, r *search.Result, summary searchSummary) {
	fmt.Fprintf(w, "%v on %s: %s tried in %s, d %d%s, %s, seed %d\n", s.settings.Model, s.about.Dataset, format.Count(r.Trained, "recipe"), format.Seconds(r.Seconds), s.settings.Training.Dim, s.settings.Training.Precision.Suffix(), format.Count(s.settings.Training.Epochs, "epoch"), s.settings.Seed)
	printEnd(w, r)
	fmt.Fprintln(w)
	summary.PrintRecipes(w)
	if mixed := task.MixedEnginesWarning(summary.Engines); mixed != "" {
		fmt.Fprintf(w, "\n%s\n", mixed)
	}
	s.printExamples(w, r.Artifact)
	fmt.Fprintf(w, "\nIn %s is the best model (model)\nThe study, to go on with (--study): %s\n", s.out, s.settings.Study)
}

// printExamples shows what the best model says, where the task can.
func (s searching) printExamples(w io.Writer, a task.Artifact) {
	if a == nil {
		return
	}
	examples, err := s.Task.Examples(a)
	if err != nil || len(examples.Queries) == 0 { // of other data; there is nothing to show
		return
	}
	for _, each := range examples.Queries {
		fmt.Fprintf(w, "\n%s\n  %s", format.Escape(each[0]), format.Escape(each[1]))
	}
	fmt.Fprintf(w, "\n\n(%s)\n", examples.Note)
}

// report is what a report tells of a search, but for what has to be measured.
func (s searching) report(r *search.Result) report.Data {
	return report.Data{Presentation: s.Presentation(), Contents: study.Contents{About: s.studyAbout(), Trials: r.Trials, Rounds: r.Rounds}}
}

// studyAbout is what the study is about.
func (s searching) studyAbout() study.About {
	return study.About{Identity: s.about, Algorithm: s.settings.Algorithm, Settings: s.settings.Settings}
}

// writeGallery fills the folder of a search: what the best trial has left, and the
// pictures.
func (s searching) writeGallery(r *search.Result) error {
	if r.Artifact != nil {
		if err := task.Save(filepath.Join(s.out, modelName), r.Artifact); err != nil {
			return err
		}
	}
	if s.settings.Model != form.Bilinear { // which has no structures to draw
		return nil
	}
	_, err := report.SavePictures(s.out, s.report(r))
	return err
}
