package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type reproduceCommand struct {
	Dataset       string          `arg:"" brief:"A benchmark that has recipes, such as umls." help:"A benchmark that there are recipes for, such as wn18rr or umls (autoblm recipe list)."`
	Stage         reproduce.Stage `default:"all" enum:"search,final,all" brief:"What to do: ${enum}." help:"search for a structure, the final training of one, or all: both."`
	Minutes       float64         `default:"0" min:"0" max:"1000000" brief:"End after so many minutes; 0 never." help:"End after about so many minutes, complete or not; the same command goes on. 0 never."`
	Structure     structureFlag   `placeholder:"STRUCTURE" brief:"What --stage final trains." help:"What --stage final trains; that of the recipe, or the best of --study, when left out."`
	Budget        int             `default:"0" min:"0" max:"100000" brief:"How many structures the search trains." help:"How many structures the search trains, beside the five named models; 0 for the paper's 256, and 32 on a small graph."`
	trainingFlags `group:"Final training, as in the recipe where not given"`
	MaxSteps      struct{} `kong:"-"` // no flag here
	Study         string   `help:"The file that keeps the search; study.db in --out when left out."`
	Out           string   `brief:"The folder for the result and the model." help:"The folder for the result, the model and what is on its way; one below autoblm-out for each benchmark, recipe, stage and seed when left out."`
	saveFlag
	mixFlag
	computeFlags
}

// Help says how it goes on.
func (reproduceCommand) Help() string {
	return `Without --recipe it is the authors' own, paper, and on a small graph small. The search is
by their recipe for searches; RESCAL (rescal) has --stage final only. What is complete is not done again, so the same command goes on where
the time was up, or after an interruption. The result is result.json in --out, complete or not.`
}

// BeforeApply puts the recipe, and the weights of DURA, below what is given.
func (c *reproduceCommand) BeforeApply(ctx *kong.Context) error {
	name, _ := flags.Given[string](ctx, "recipe")
	dataset, _ := flags.Given[string](ctx, "dataset")
	r, err := reproduce.FinalRecipe(name, dataset)
	if err != nil {
		return err
	}
	c.Recipe = r.Name
	c.take(r)
	c.useImplied(ctx)
	return nil
}

// share of the time that is for training, the rest for what comes before and after.
const trainingShare = 0.95

// Run reproduces.
func (c *reproduceCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	limit, err := timeLimit(c.Minutes)
	if err != nil {
		return cli.Usage(err)
	}
	plan, err := c.plan()
	if err != nil {
		return cli.Usage(err)
	}
	if plan.Graph, err = read(ctx, o, datasets.Open, c.Dataset); err != nil {
		return err
	}
	warn(o, plan.Graph.Warnings("valid", "test"))
	if plan.Engine, err = c.open(plan.Final.Form); err != nil {
		return err
	}
	defer plan.Engine.Close()
	if err := outfile.MakeFolder(plan.Folder); err != nil {
		return err
	}
	if err := o.CheckFile(plan.ResultFile(), outfile.Record); err != nil {
		return err
	}
	if limit > 0 {
		plan.Until = began.Add(time.Duration(trainingShare * float64(limit)))
	}
	searching, training := newSearchBar(o, endOf(began, limit)), newTrainingBar(o, endOf(began, limit))
	plan.OnSearch, plan.OnEpoch = searching.update, training.update
	again := commandOf(o.Arguments)
	d, err := reproduce.Continue(ctx, plan, record.Setup{Command: again, Program: cli.Version(), Threads: c.Threads})
	searching.Finish()
	training.Finish()
	if d != nil && err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted; go on with: %s", again)
	}
	if err != nil {
		return err
	}
	o.Saved("the result is %s", plan.ResultFile())
	return o.Result(d, func(w io.Writer) {
		d.Result.Print(w)
		fmt.Fprintf(w, "\nThe result is %s\n", plan.ResultFile())
		if !d.Result.Complete {
			fmt.Fprintf(w, "The time was up; go on with: %s\n", again)
		}
	})
}

// plan is what the flags say.
func (c *reproduceCommand) plan() (reproduce.Plan, error) {
	p := reproduce.Plan{
		Stage: c.Stage, Structure: c.Structure.Structure, Seed: c.Member.Seed, Study: c.Study, SaveEvery: c.SaveEvery, MixEngines: c.MixEngines,
		Folder: cmp.Or(c.Out, filepath.Join(outFolder, fmt.Sprintf("reproduce-%s-%s-%s-%d", c.Dataset, c.Recipe, c.Stage, c.Member.Seed))),
	}
	p.Study = cmp.Or(p.Study, filepath.Join(p.Folder, studyName))
	var err error
	if p.Final, err = reproduce.FinalRecipe(c.Recipe, c.Dataset); err != nil {
		return p, err
	}
	if c.Stage != reproduce.Final && c.Structure.K() > 0 {
		return p, fmt.Errorf("--stage %s finds its structure itself: --structure is for --stage final", c.Stage)
	}
	p.Final.Recipe = kge.Recipe{Training: c.Settings, LearningRate: c.Member.LearningRate, Weights: c.Member.Weights}
	s := c.Structure.Structure
	if s.K() == 0 && p.Final.Form == form.Bilinear {
		s = structure.Zero(4) // as those of searches
	}
	if err := p.Final.Training.ValidateFor(p.Final.Member(s, c.Member.Seed)); err != nil {
		return p, err
	}
	return p, p.SearchBy(c.Dataset, c.Budget)
}
