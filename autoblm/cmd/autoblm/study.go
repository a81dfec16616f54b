package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

type studyCommands struct {
	List   studyListCommand   `cmd:"" help:"List the studies below a folder, with who uses them now."`
	Show   studyShowCommand   `cmd:"" help:"Tell what a study is about and what it has found."`
	Export studyExportCommand `cmd:"" help:"Print all trials of a study as a table for other programs."`
	Best   studyBestCommand   `cmd:"" help:"Write the best model of a study as a folder."`
	Resume studyResumeCommand `cmd:"" help:"Go on with a search that was interrupted or killed, or with a larger budget."`
}

type studyListCommand struct {
	Paths []string `arg:"" optional:"" help:"Folders to look into, and files; the current folder when left out."`
}

// Run lists studies.
func (c *studyListCommand) Run(o *output) error {
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	list, err := study.List(c.Paths, autoblm.PresentationOf)
	if err != nil {
		return err
	}
	return o.Result(map[string]any{"studies": list}, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintf(w, "no study below %s: autoblm search makes one\n", strings.Join(c.Paths, ", "))
			return
		}
		t := table.New("study", "data set", "algorithm", "k", "d", "trained", "budget", "metric", "best", "state")
		for _, s := range list {
			t.Add(s.Path, s.Dataset, s.Algorithm, s.K, s.Dim, s.Trained, s.Budget, s.Metric, s.BestScore, s.State)
		}
		t.Print(w)
		for _, s := range list {
			if s.Error != "" {
				o.Message("autoblm: %s", s.Error)
			}
		}
	})
}

// studyFile is the argument of the other commands.
type studyFile struct {
	File string `arg:"" brief:"The folder of a search, or the file of its study." help:"The study: the folder of a search, or a file such as study.db in it."`
}

// folder is where the results of the study go if nothing else is said: its own
// folder, where a search puts study.db, or one beside a study of another name.
func (f studyFile) folder() string {
	if filepath.Base(f.File) == studyName {
		return filepath.Dir(f.File)
	}
	return strings.TrimSuffix(f.File, filepath.Ext(f.File)) + "-out"
}

type studyShowCommand struct{ studyFile }

// shownStudy is the JSON of study show.
type shownStudy struct {
	study.Outcome
	Study       string               `json:"study"`
	State       study.Status         `json:"state"`
	Fingerprint string               `json:"fingerprint"`
	Source      string               `json:"source"`
	Settings    search.Settings      `json:"settings"`
	Trials      study.Counts         `json:"trials"`
	Rounds      []study.RoundSummary `json:"rounds"`
	Recipe      task.Recipe          `json:"recipe"`
	// Seconds is the time of all trials, Choosing that of the rounds.
	Seconds  float64 `json:"seconds"`
	Choosing float64 `json:"choosing"`
}

// Run shows a study.
func (c *studyShowCommand) Run(o *output) error {
	contents, err := c.read()
	if err != nil {
		return err
	}
	about, result, tell := contents.About, contents.Result(), autoblm.PresentationOf(contents.About.Identity)
	shown := shownStudy{
		Outcome: study.OutcomeOf(about, result, tell), Study: c.File, State: contents.Status(), Fingerprint: about.Fingerprint, Source: about.Source,
		Settings: about.Settings, Trials: contents.Counts(), Rounds: contents.Summaries(tell), Recipe: result.Recipe, Seconds: result.Seconds, Choosing: result.Overhead,
	}
	return o.Result(shown, func(w io.Writer) { shown.print(w, result, tell) })
}

func (s shownStudy) print(w io.Writer, r *search.Result, tell task.Presentation) {
	fmt.Fprintf(w, "%s: %s on %s, %s\n", s.Study, s.Algorithm, s.Dataset, s.State)
	fmt.Fprintf(w, "%d of %s trained in %s; choosing them took %s\n", r.Trained, format.Count(s.Budget, "structure"), format.Seconds(s.Seconds), format.Seconds(s.Choosing))
	fmt.Fprintf(w, "%s in all: %d complete, %d diverged, %d without a result yet\n", format.Count(s.Trials.All, "trial"), s.Trials.Complete, s.Trials.Failed, s.Trials.Running)
	if len(s.Engines) > 0 {
		fmt.Fprintf(w, "engine: %s, %v\n", format.List(s.Engines, "and"), s.Precision)
	}
	if mixed := task.MixedEnginesWarning(s.Engines); mixed != "" {
		fmt.Fprintln(w, mixed)
	}
	fmt.Fprintf(w, "data: %s, fingerprint %s\n\nSettings\n\n", cmp.Or(s.Source, "not known, --dataset has to say it"), s.Fingerprint)
	all := table.New("name", "value")
	for _, setting := range settings.Of(s.Settings) {
		if !setting.Omitted {
			all.Add(setting.Name, setting.Text())
		}
	}
	all.Print(w)
	s.PrintTuned(w)
	if len(s.Rounds) > 0 {
		fmt.Fprintf(w, "\nRounds, with the best %s so far and the seconds for choosing and for training\n\n", tell.Valid)
		rounds := table.New("round", "proposed", "repeats", "best "+tell.Metric, "choosing", "training")
		for _, round := range s.Rounds {
			rounds.Add(round.Number, round.Proposed, round.Repeats, round.BestScore, fmt.Sprintf("%.2f", round.Choosing), fmt.Sprintf("%.2f", round.Training))
		}
		rounds.Print(w)
	}
	if len(r.Best)+len(r.Baselines) > 0 {
		fmt.Fprintf(w, "\nThe best structures found, and the named ones by the same recipe\n\n")
		s.PrintBest(w)
		fmt.Fprintln(w)
		for i, t := range r.Best[:min(len(r.Best), study.MostShown)] {
			fmt.Fprintf(w, "found %d is %s\n", i+1, t.Structure)
		}
	}
	s.PrintFinals(w)
	s.PrintRetrained(w)
	s.PrintEnsemble(w)
}

type studyExportCommand struct {
	studyFile
	CSV bool   `name:"csv" help:"A line for each trial, with its names in the first line."`
	Out string `help:"Write into this file instead of printing."`
}

// exportedStudy is the JSON of study export: all that the file has but the best model.
type exportedStudy struct {
	About  study.About    `json:"about"`
	Source string         `json:"source"`
	Budget int            `json:"budget"`
	Trials []task.Trial   `json:"trials"`
	Rounds []search.Round `json:"rounds"`
}

// Run exports a study.
func (c *studyExportCommand) Run(o *output) error {
	switch {
	case !c.CSV && !o.JSON:
		return cli.Usage(errors.New("say in which form to export the study: --csv or --json"))
	case c.CSV && o.JSON && c.Out == "":
		return cli.Usage(errors.New("--csv and --json cannot both be printed: name a file for the CSV with --out"))
	case !c.CSV && c.Out != "":
		return cli.Usage(errors.New("--out is the file for --csv"))
	}
	if err := o.CheckFile(c.Out, outfile.Trials); err != nil {
		return err
	}
	contents, err := c.read()
	if err != nil {
		return err
	}
	if !c.CSV {
		return o.Result(exportedStudy{
			About: contents.Asked, Source: contents.About.Source, Budget: contents.About.Settings.Budget,
			Trials: orEmpty(contents.Trials), Rounds: orEmpty(contents.Rounds),
		}, nil)
	}
	var lines bytes.Buffer
	if err := study.WriteCSV(&lines, contents.Trials, autoblm.PresentationOf(contents.About.Identity).ByRecipe, autoblm.TrialFields()); err != nil {
		return err
	}
	if c.Out == "" {
		_, err := o.Stdout.Write(lines.Bytes())
		return err
	}
	if err := outfile.Write(c.Out, outfile.Trials, lines.Bytes()); err != nil {
		return err
	}
	o.Saved("the trials are in %s", c.Out)
	return o.Result(map[string]any{"trials": len(contents.Trials), "out": c.Out}, func(w io.Writer) {
		fmt.Fprintf(w, "%s in %s\n", format.Count(len(contents.Trials), "trial"), c.Out)
	})
}

type studyBestCommand struct {
	studyFile
	Out string `help:"The model folder; model in the folder of the study when left out."`
}

// bestSummary is the JSON of study best.
type bestSummary struct {
	study.Description
	Canonical *structure.Structure `json:"canonical"`
	Name      string               `json:"name"`
	K         int                  `json:"k"`
	From      string               `json:"from"`      // found, baseline or ensemble
	Precision kge.Precision        `json:"precision"` // of its training
	Out       string               `json:"out"`
}

// precisionOf is what a model was trained in: float32 where it does not say.
func precisionOf(m study.Description) kge.Precision {
	var t kge.Training
	if json.Unmarshal(m.Training, &t) != nil {
		return kge.Float32
	}
	return t.Settings.Precision
}

// Run writes the best model.
func (c *studyBestCommand) Run(o *output) error {
	contents, err := c.read()
	if err != nil {
		return err
	}
	if contents.Best == nil {
		return fmt.Errorf("the study %s has no model yet: autoblm study resume goes on with it", c.File)
	}
	if c.Out == "" {
		c.Out = filepath.Join(c.folder(), modelName)
	}
	if err := modelfolder.Prepare(c.Out); err != nil {
		return err
	}
	m, err := study.DescriptionOf(contents.Best)
	if err != nil {
		return err
	}
	if err := task.Save(c.Out, contents.Best); err != nil {
		return err
	}
	o.Saved("the model is in %s", c.Out)
	s := bestSummary{Description: m, From: study.FromSearch, Precision: precisionOf(m), Out: c.Out}
	kept := contents.Result().Kept
	switch {
	case len(m.Members) > 0:
		s.From = study.FromEnsemble
	case kept != nil && study.IsBaseline(*kept):
		s.From = study.FromBaseline
	}
	if a := m.Structure; a != nil {
		canonical := a.Canonical(structure.Full)
		s.Canonical, s.Name, s.K = &canonical, a.Name(), a.K()
	}
	return o.Result(s, func(w io.Writer) {
		if len(m.Members) > 0 {
			fmt.Fprintf(w, "an ensemble of %s on %s\n\n", format.Count(len(m.Members), "model"), m.Dataset)
		} else {
			fmt.Fprintf(w, "%s on %s, d %d%s, %s\n\n", titleOf(m.Form, m.Structure), m.Dataset, m.Dim, s.Precision.Suffix(), s.From)
		}
		if a := m.Structure; a != nil {
			fmt.Fprintf(w, "%s\nf(h,r,t) = %s\n\n", o.Drawing(a.Draw), a.Formula())
		}
		t := completion.NewTable()
		for i, split := range []json.RawMessage{m.Valid, m.Test} {
			var e completion.Evaluation
			if json.Unmarshal(split, &e) == nil && e.Triples > 0 {
				e.AddTo(t, []string{"valid", "test"}[i], true)
			}
		}
		if len(t.Rows) > 0 {
			t.Print(w)
		}
		fmt.Fprintf(w, "\nThe model is in %s\n", c.Out)
	})
}

type studyResumeCommand struct {
	studied
	Budget  int     `default:"0" min:"0" max:"100000" brief:"How many structures to train in all." help:"How many structures to train in all; 0 stands for the budget of the last run."`
	Minutes float64 `default:"0" min:"0" max:"1000000" brief:"End after so many minutes; 0 never." help:"End after so many minutes. Of a search that was planned for its minutes, so many in all, for more than before of which it plans anew; 0 for those that it has."`
	// Precision is for whoever gives the flags of the search again.
	Precision kge.Precision `default:"auto" help:"auto, or the precision that the study was begun in; another is refused."`
	Out       string        `brief:"The folder for the best model and the pictures." help:"The folder for the best model and the pictures; that of the study when left out."`
	mixFlag
	computeFlags
}

// Run goes on with a search.
func (c *studyResumeCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	limit, err := timeLimit(c.Minutes)
	if err != nil {
		return cli.Usage(err)
	}
	compute, err := c.compute()
	if err != nil {
		return err
	}
	contents, err := c.read()
	if err != nil {
		return err
	}
	about := contents.Asked
	settings := autoblm.SearchSettings{Settings: about.Settings, Algorithm: about.Algorithm, Study: c.File, MixEngines: c.MixEngines, Compute: compute, Began: began}
	if limit > 0 || contents.Plan == nil {
		settings.TimeLimit = limit
	}
	settings.Training.Precision = c.Precision
	if c.Budget != 0 {
		settings.Budget = c.Budget
	}
	if err := settings.Validate(); err != nil {
		return cli.Usage(err)
	}
	p, err := c.reopen(ctx, o, about, compute)
	if err != nil {
		return err
	}
	defer p.Close()
	if c.Out == "" {
		c.Out = c.folder()
	}
	return searching{problem: p, settings: settings, out: c.Out, again: commandOf(o.Arguments)}.run(ctx, o)
}
