package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"reflect"
	"runtime"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/words"
)

type reproduceCommand struct {
	Dataset       string          `arg:"" help:"A benchmark that there are recipes for, such as wn18rr or umls (autoblm recipe list)."`
	Stage         reproduce.Stage `default:"all" enum:"search,final,all" help:"search for a structure, the final training of one, or all: both."`
	Minutes       float64         `default:"0" help:"End after about so many minutes, complete or not; the same command goes on. 0 never."`
	Structure     structureFlag   `help:"What --stage final trains; that of the recipe, or the best of --study, when left out."`
	Budget        int             `default:"0" help:"How many structures the search trains; 0 for the paper's 256, and 32 on a small graph."`
	trainingFlags `group:"Final training, as in the recipe where not given"`
	MaxSteps      struct{} `kong:"-"` // no flag here
	Study         string   `help:"The file that keeps the search; study.db in --out when left out."`
	Out           string   `help:"The folder for the result, the model and what is on its way; one below autoblm-out for each benchmark, recipe, stage and seed when left out."`
	computeFlags
}

// Help says how it goes on.
func (reproduceCommand) Help() string {
	return `Without --recipe it is the authors' own, paper, and on a small graph small. The search is
by their recipe for searches. What is complete is not done again, so the same command goes on where
the time was up, or after an interruption. The result is result.json in --out, complete or not.`
}

// BeforeApply puts the recipe, and the weights of DURA, below what is given.
func (c *reproduceCommand) BeforeApply(ctx *kong.Context) error {
	name, _ := flags.Given[string](ctx, "recipe")
	dataset, _ := flags.Given[string](ctx, "dataset")
	r, err := finalRecipe(name, dataset)
	if err != nil {
		return err
	}
	c.Recipe = r.Name
	c.take(r)
	useDura(ctx, &c.Member.Weights)
	return nil
}

// finalRecipe is the recipe of a name for a benchmark, or the first that there is.
func finalRecipe(name, dataset string) (recipe.Recipe, error) {
	if all := recipe.For(dataset); name == "" && len(all) > 0 {
		return all[0], nil
	}
	return recipe.Named(cmp.Or(name, "paper"), dataset)
}

// searchRecipe is the recipe for searches on a benchmark.
func searchRecipe(dataset string) (recipe.Recipe, error) {
	for _, r := range recipe.For(dataset) {
		if r.Structure.K() == 0 {
			return r, nil
		}
	}
	return recipe.Recipe{}, fmt.Errorf("there is no recipe for searches on %s", dataset)
}

// smallBudget is how many structures a search on a small graph trains.
const smallBudget = 32

// resultFile is the name of the result in the folder of a reproduction.
const resultFile = "result.json"

// saveEvery is how much work a kill may cost. Tests change it.
var saveEvery = 10 * time.Second

// share of the time that is for training, the rest for what comes before and after.
const trainingShare = 0.95

// reproduced is a result with what it was measured by.
type reproduced = measured.Document[reproduce.Result]

// Run reproduces.
func (c *reproduceCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	limit, err := timeLimit(c.Minutes)
	if err != nil {
		return usage(err)
	}
	plan, err := c.plan()
	if err != nil {
		return usage(err)
	}
	if plan.Graph, err = datasets.Open(c.Dataset); err != nil {
		return err
	}
	if plan.Engine, err = c.open(form.Bilinear); err != nil {
		return err
	}
	defer plan.Engine.Close()
	file := filepath.Join(plan.Folder, resultFile)
	before, err := measured.Read[reproduce.Result](file)
	switch {
	case err == nil:
		plan.Before = &before.Result
	case !errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("cannot go on with the result of before: %w", err)
	}
	if limit > 0 {
		plan.Until = began.Add(time.Duration(trainingShare * float64(limit)))
	}
	searching, training := newSearchBar(o.stderr), newTrainingBar(o.stderr, plan.Final.Training.Epochs)
	plan.OnSearch, plan.OnEpoch = searching.update, training.update
	result, err := reproduce.Run(ctx, plan)
	searching.finish()
	training.finish()
	if result == nil {
		return err
	}
	d := before
	result.Engine, result.Backend = doneBy(before.Result, *result)
	if !reflect.DeepEqual(*result, before.Result) {
		d = c.document(ctx, o.arguments, result)
		if err := d.Write(file); err != nil {
			return fmt.Errorf("cannot write the result: %w", err)
		}
	}
	if result.Complete {
		if err := plan.Clean(); err != nil {
			return err
		}
	}
	again := commandOf(o.arguments)
	if err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted; go on with: %s", again)
	}
	if err != nil {
		return err
	}
	return o.result(d, func(w io.Writer) {
		printReproduced(w, d)
		fmt.Fprintf(w, "\nThe result is %s\n", file)
		if !result.Complete {
			fmt.Fprintf(w, "The time was up; go on with: %s\n", again)
		}
	})
}

// doneBy is the engine that did the last piece: that of before where nothing was left
// to do.
func doneBy(before, now reproduce.Result) (engine, backend string) {
	if before.Complete && reflect.DeepEqual(before.Search, now.Search) && reflect.DeepEqual(before.Final, now.Final) {
		return before.Engine, before.Backend
	}
	return now.Engine, now.Backend
}

// plan is what the flags say.
func (c *reproduceCommand) plan() (reproduce.Plan, error) {
	p := reproduce.Plan{
		Stage: c.Stage, Structure: c.Structure.Structure, Seed: c.Member.Seed, Study: c.Study, SaveEvery: saveEvery,
		Folder: cmp.Or(c.Out, filepath.Join("autoblm-out", fmt.Sprintf("reproduce-%s-%s-%s-%d", c.Dataset, c.Recipe, c.Stage, c.Member.Seed))),
	}
	p.Study = cmp.Or(p.Study, filepath.Join(p.Folder, studyName))
	var err error
	if p.Final, err = finalRecipe(c.Recipe, c.Dataset); err != nil {
		return p, err
	}
	if c.Stage != reproduce.Final && c.Structure.K() > 0 {
		return p, fmt.Errorf("--stage %s finds its structure itself: --structure is for --stage final", c.Stage)
	}
	p.Final.Training, p.Final.LearningRate, p.Final.Weights = c.Settings, c.Member.LearningRate, c.Member.Weights
	k := 4 // of searches
	if c.Structure.K() > 0 {
		k = c.Structure.K()
	}
	if err := p.Final.Training.Validate(k); err != nil {
		return p, err
	}
	if err := p.Final.Member(structure.Zero(k), c.Member.Seed).Validate(); err != nil {
		return p, err
	}
	how, err := searchRecipe(c.Dataset)
	if err != nil {
		return p, err
	}
	budget := c.Budget
	if budget == 0 && how.Name == "paper-search" {
		budget = 256
	} else if budget == 0 {
		budget = smallBudget
	}
	p.Search, p.SearchRecipe = reproduce.SearchSettings(how, budget, c.Member.Seed), how.Name
	return p, p.Search.Validate()
}

// document is the result with what it was measured by.
func (c *reproduceCommand) document(ctx context.Context, arguments []string, r *reproduce.Result) reproduced {
	var gpus []probe.GPU
	backend := ""
	if r.Engine == "gomlx" {
		backend = r.Backend
	}
	if probe.IsCUDA(backend) {
		gpus = probe.This().GPUs(ctx)
	}
	versions := measured.Versions(ctx, backend, gpus)
	versions["autoblm"] = cmp.Or(versions["autoblm"], version())
	d := reproduced{
		Command: measured.HidePaths(commandOf(arguments)), Date: time.Now().Format(time.DateOnly),
		Machine:  fmt.Sprintf("%s, %d of them used, engine %s on %s", measured.Machine(gpus), cmp.Or(c.Threads, runtime.GOMAXPROCS(0)), r.Engine, measured.HidePaths(r.Backend)),
		Versions: versions, Result: *r,
	}
	d.Result.Backend = measured.HidePaths(r.Backend)
	return d
}

func printReproduced(w io.Writer, d reproduced) {
	r := d.Result
	if s := r.Search; s != nil {
		fmt.Fprintf(w, "search on %s by %s: %d of %s in %s\n", r.Dataset, s.Recipe, s.Trained, words.Count(s.Budget, "structure"), words.Seconds(s.Seconds+s.Overhead))
		t := words.NewTable("", "valid MRR", "test MRR", "structure")
		for i, f := range s.Best[:min(len(s.Best), mostFound)] {
			t.Add(fmt.Sprintf("found %d", i+1), f.ValidMRR, f.TestMRR, f.Structure)
		}
		for _, f := range s.Named {
			t.Add(structure.TitleOf(f.Name), f.ValidMRR, f.TestMRR, "")
		}
		if len(t.Rows) > 0 {
			fmt.Fprintln(w)
			t.Print(w)
		}
	}
	if r.Final == nil {
		return
	}
	f := r.Final
	if r.Search != nil {
		fmt.Fprintln(w)
	}
	s := f.Training.Settings
	fmt.Fprintf(w, "final training on %s by %s: %s, d %d, %d of %s in %s\n", r.Dataset, f.Recipe, f.Training.Member.Structure.Title(), s.Dim, f.Epochs, words.Count(s.Epochs, "epoch"), words.Seconds(f.Seconds.Train))
	if f.Test == nil {
		return
	}
	fmt.Fprintln(w)
	t := metricsTable()
	addMetrics(t, fmt.Sprintf("valid, epoch %d", f.BestEpoch), f.Valid, false)
	addMetrics(t, "test", f.Test, false)
	if p := f.Published; p != nil {
		t.Add("published: "+p.Model, p.MRR, p.Hits1, nil, p.Hits10, nil)
	}
	t.Print(w)
	if p := f.Published; p != nil {
		fmt.Fprintf(w, "(published by %s)\n", p.Source)
	}
}
