package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type reproduceCommand struct {
	Dataset       string          `arg:"" brief:"Benchmark with recipes, such as umls." help:"Benchmark with recipes, such as wn18rr or umls (autoblm recipe list)."`
	Stage         reproduce.Stage `default:"all" enum:"search,final,all" brief:"What to do: ${enum}." help:"search searches for a structure, final trains one to the end, all does both."`
	Minutes       float64         `default:"0" min:"0" max:"1000000" brief:"Deadline in minutes; 0 sets none." help:"Approximate deadline in minutes; 0 sets none. The same command resumes."`
	Structure     structureFlag   `placeholder:"STRUCTURE" brief:"Structure for --stage final." help:"Structure for --stage final. Default: the structure of the recipe, or the best that the search of --study compared."`
	Budget        int             `default:"0" min:"0" max:"100000" brief:"Structures to train, without the five baselines." help:"Structures that the search trains, without the five baselines. 0 stands for the paper's 256, or 32 on a small graph."`
	trainingFlags `group:"Training"`
	MaxSteps      struct{} `kong:"-"` // no flag here
	Study         string   `output:"" group:"Results" placeholder:"FILE" help:"Folder of a search, or file of its study. The default is study.db in --out."`
	Out           string   `output:"" group:"Results" placeholder:"DIR" brief:"Folder for the result and the model." help:"Folder for the result, the model and checkpoints. The default is below autoblm-out, by benchmark, recipe, stage and seed."`
	saveFlag
	configFlag
	distributeFlags
	mixFlag
	computeFlags
}

// Help describes the defaults.
func (reproduceCommand) Help() string {
	return `The default recipe is the authors' own, paper, or small on a small graph. The search uses
the recipe of the paper's search. The same command resumes after a deadline or an interruption.
The result, complete or not, is result.json in --out.`
}

// resolve computes the settings of the final training.
func (c *reproduceCommand) resolve(line *kong.Context) (recipe.Recipe, error) {
	r, err := reproduce.FinalRecipe(c.Recipe, c.Dataset)
	if err != nil {
		return r, err
	}
	err = flags.Resolve(line, recipeLayer(&c.Settings, r.Recipe),
		c.impliedLayer(line, &c.Settings))
	r.Recipe = c.Settings
	return r, err
}

// trainingShare is the share of the time until the deadline for training.
const trainingShare = 0.95

func (c *reproduceCommand) Run(ctx context.Context, line *kong.Context, o *output) error {
	began := time.Now()
	plan, err := c.plan(line)
	if err != nil {
		return cli.Usage(err)
	}
	if plan.Graph, err = read(ctx, o, datasets.Open, c.Dataset); err != nil {
		return err
	}
	warn(o, plan.Graph.Warnings("valid", "test"))
	c.Compute = c.ForTraining(plan.Final.Training, plan.Final.Form)
	if plan.Engine, err = c.open(); err != nil {
		return err
	}
	defer plan.Engine.Close()
	hasResults := plan.HasStudy() || isFile(plan.ResultFile())
	if !hasResults {
		if err := checkFree(plan.Folder, "the reproduction"); err != nil {
			return err
		}
	}
	if err := outfile.MakeFolder(plan.Folder); err != nil {
		return err
	}
	release, err := atomicfile.Hold(plan.Folder)
	if err != nil {
		return err
	}
	defer release()
	if err := o.CheckFile(plan.ResultFile(), outfile.Record); err != nil {
		return err
	}
	compute, err := c.compute()
	if err != nil {
		return err
	}
	on, err := c.coordinate(ctx, o, compute, c.MixEngines, plan.Search.RoundSize)
	if err != nil {
		return err
	}
	defer on.close()
	plan.Distribute = on.onTask()
	// A folder with results keeps its settings until these are known to be the same.
	save := func() error { return saveConfig(configTitle("reproduce "+c.Dataset), plan.Folder, line, pinned) }
	if !hasResults {
		if err := save(); err != nil {
			return err
		}
	}
	var end time.Time
	if limit := minutes(c.Minutes); limit > 0 {
		end = began.Add(limit)
		plan.Until = began.Add(time.Duration(trainingShare * float64(limit)))
	}
	searching, training := newSearchBar(o, "structure", !end.IsZero()), newTrainingBar(o, end)
	searching.SetDeadline(end)
	plan.OnSearch, plan.OnEpoch = searching.update, training.update
	command := shellCommand(o.Arguments)
	by := record.Setup{Command: command, Program: cli.Version(), Threads: c.Threads}
	d, err := reproduce.Continue(ctx, plan, by)
	searching.Finish()
	training.Finish()
	if d != nil && err != nil && ctx.Err() != nil {
		return fmt.Errorf("interrupted; resume with: %s", command)
	}
	if d != nil && d.Result.Final != nil && c.Stage == reproduce.Final {
		c.Structure.Structure = d.Result.Final.Training.Member.Structure // which a study may have given
	}
	if err == nil {
		err = save()
	}
	if err != nil {
		return err
	}
	o.Saved("the result is %s", plan.ResultFile())
	return o.Result(d, func(w io.Writer) {
		o.Show(reproductionBlock(d.Result, plan.ResultFile(), command))
		if o.Verbose {
			fmt.Fprintln(w)
			d.Result.Print(w)
		}
	})
}

// reproductionBlock compares the trained model with the published one.
func reproductionBlock(r reproduce.Result, file, command string) cli.Block {
	b := cli.Block{Title: []string{"reproduction finished", r.Dataset}, Unfinished: !r.Complete}
	if !r.Complete {
		b.Title[0] = "reproduction stopped by its deadline"
		b.Next = []string{command}
	}
	if s := r.Search; s != nil {
		b.Title = append(b.Title, fmt.Sprintf("%d of %s", s.Trained,
			format.Count(s.Budget, "structure")))
		if len(s.Best) > 0 {
			b.Add("best found", s.Best[0].Structure.Title(), "valid MRR "+format.Cell(s.Best[0].ValidMRR))
		}
		if len(s.Baselines) > 0 {
			best := slices.MaxFunc(s.Baselines, func(x, y reproduce.Found) int {
				return cmp.Compare(x.ValidMRR, y.ValidMRR)
			})
			b.Add("baseline", structure.TitleOf(best.Name), "valid MRR "+format.Cell(best.ValidMRR))
		}
	}
	if f := r.Final; f != nil {
		b.Title = append(b.Title, fmt.Sprintf("%d of %s", f.Epochs,
			format.Count(f.Training.Settings.Epochs, "epoch")), format.Brief(f.Seconds.Train))
		if f.Test != nil {
			b.Add("final", f.Title(), "test MRR "+format.Cell(f.Test.Both.MRR),
				"H@10 "+format.Cell(f.Test.Both.Hits10))
		}
		if p := f.Published; p != nil {
			hits := ""
			if p.HasHits() {
				hits = "H@10 " + format.Cell(p.Hits10)
			}
			b.Add("published", p.Model, "test MRR "+format.Cell(p.MRR), hits)
		}
	}
	b.Add("result", file)
	return b
}

// plan returns the plan of the reproduction, after checks that need no data.
func (c *reproduceCommand) plan(line *kong.Context) (reproduce.Plan, error) {
	r, err := c.resolve(line)
	if err != nil {
		return reproduce.Plan{}, err
	}
	folder := fmt.Sprintf("reproduce-%s-%s-%s-%d", c.Dataset, r.Name, c.Stage, c.Seed)
	p := reproduce.Plan{
		Final: r, Stage: c.Stage, Structure: c.Structure.Structure, Seed: c.Seed,
		SaveEvery: c.SaveEvery, MixEngines: c.MixEngines,
		Folder: cmp.Or(c.Out, filepath.Join(outFolder, folder)),
	}
	if c.Stage == reproduce.Final && (c.Cluster != "" || c.Context != "") {
		return p, errors.New("--stage final trains here: leave --cluster and --context out")
	}
	p.Study = filepath.Join(p.Folder, studyName)
	if c.Study != "" {
		if p.Study, err = studyIn(c.Study); err != nil {
			return p, err
		}
		if c.Stage == reproduce.Final && !p.HasStudy() {
			return p, fmt.Errorf("there is no study %s to take the structure from: name another", p.Study)
		}
	}
	if c.Stage != reproduce.Final && c.Structure.K() > 0 {
		return p, fmt.Errorf("--stage %s finds its own structure: use --structure with --stage final",
			c.Stage)
	}
	s, isKnown := c.Structure.Structure, true
	switch {
	case s.K() > 0 || r.Form != form.Bilinear:
	case c.Stage == reproduce.Final:
		// A study's structure is checked after it is read.
		s, isKnown = r.Structure, !p.HasStudy() && !r.Searches()
	default:
		s = structure.Zero(4) // as in the search
		if b := r.N3Block; b > s.K() {
			return p, fmt.Errorf("recipe %s is for structures with %d chunks, and the search has %d: "+
				"use --stage final", r.Name, b, s.K())
		}
	}
	if isKnown {
		if err := r.Training.ValidateFor(r.Member(s, c.Seed)); err != nil {
			return p, err
		}
	}
	if c.Stage == reproduce.Final {
		return p, nil
	}
	return p, p.SearchBy(c.Dataset, c.Budget)
}
