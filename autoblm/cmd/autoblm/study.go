package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/reproduce"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/inputfile"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/outfile"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/table"
)

type studyCommands struct {
	List   studyListCommand   `cmd:"" help:"List studies below a folder and processes that use them."`
	Show   studyShowCommand   `cmd:"" help:"Show the settings and results of a study."`
	Export studyExportCommand `cmd:"" help:"Print all trials of a study as a table for other programs."`
	Best   studyBestCommand   `cmd:"" help:"Write the best model of a study as a folder."`
	Resume studyResumeCommand `cmd:"" help:"Resume a search, also with a larger budget."`
}

type studyListCommand struct {
	Paths []string `arg:"" optional:"" brief:"Folders and files; default: current folder." help:"Folders to look in, and files. The default is the current folder."`
}

func (c *studyListCommand) Run(o *output) error {
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	list, err := listStudies(c.Paths)
	if err != nil {
		return err
	}
	return o.Result(map[string]any{"studies": list}, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintf(w, "no study below %s: autoblm search creates one\n",
				strings.Join(c.Paths, ", "))
			return
		}
		t := table.New("study", "data set", "structures", "kept model", "metric", "valid", "test",
			"state")
		for _, s := range list {
			if s.Summary == nil {
				t.Add(s.Path, "", "", "", "", "", "", s.Status)
				continue
			}
			amount, _, _ := strings.Cut(s.Amount, " structure")
			t.Add(s.Path, s.Dataset, amount, s.Kept, s.Metric, s.Valid, s.Test, s.State)
		}
		t.Print(w)
		for _, s := range list {
			if s.Status == study.Unreadable {
				o.Message("autoblm: %s", s.Note)
			}
		}
	})
}

// listedStudy is the JSON of a study in a list. One that cannot be read now has no summary.
type listedStudy struct {
	Path string `json:"path"`
	study.State
	*report.Summary
}

// listStudies describes the studies in files, and in folders and their subfolders.
func listStudies(paths []string) ([]listedStudy, error) {
	list := []listedStudy{}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, fmt.Errorf("cannot look for studies: %w", err)
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = study.Find(path); err != nil {
				return nil, err
			}
		}
		for _, file := range files {
			contents, err := study.Read(file)
			if err != nil {
				list = append(list, listedStudy{Path: file, State: study.StateOf(err)})
				continue
			}
			p := tasks.PresentationOf(contents.About.Identity)
			summary := report.Data{Contents: *contents, Presentation: p}.Summary()
			list = append(list, listedStudy{file, contents.State(), summary})
		}
	}
	return list, nil
}

type studyShowCommand struct{ studyFile }

// studyDetails is the JSON of study show.
type studyDetails struct {
	study.Outcome
	Study string `json:"study"`
	study.State
	Fingerprint string               `json:"fingerprint"`
	Source      string               `json:"source"`
	Command     []string             `json:"command,omitempty"`
	Settings    search.Settings      `json:"settings"`
	Trials      study.Counts         `json:"trials"`
	Rounds      []study.RoundSummary `json:"rounds"`
	Recipe      task.Recipe          `json:"recipe"`
	// Seconds is the time of all trials. Choosing is the time to propose them.
	Seconds  float64 `json:"seconds"`
	Choosing float64 `json:"choosing"`
}

func (c *studyShowCommand) Run(o *output) error {
	contents, err := c.read()
	if err != nil {
		return err
	}
	about, result := contents.About, contents.Result()
	p := tasks.PresentationOf(about.Identity)
	details := studyDetails{
		Outcome: study.OutcomeOf(about, result, p), Study: c.File, State: contents.State(),
		Fingerprint: about.Fingerprint, Source: about.Source, Command: about.Command,
		Settings: about.Settings, Trials: contents.Counts(), Rounds: contents.Summaries(p),
		Recipe: result.Recipe, Seconds: result.Seconds, Choosing: result.Overhead,
	}
	return o.Result(details, func(w io.Writer) {
		o.Show(details.block(contents, result, p, o.Verbose))
		if o.Verbose {
			details.printDetails(w, result, p)
		}
	})
}

// block returns the kept model, the model without a search, and the state of the study.
func (s studyDetails) block(
	contents *study.Contents, r *search.Result, p task.Presentation, verbose bool,
) cli.Block {
	what := s.Algorithm
	if f := s.Settings.Model; f != form.Bilinear {
		what = f.String()
	}
	b := cli.Block{Title: []string{"study " + string(s.Status), s.Dataset, what, study.Amount(r),
		format.Brief(s.Seconds)}, Unfinished: s.Status != study.Finished}
	addHeadline(&b, report.Data{Contents: *contents, Presentation: p}.Headline())
	noteRecipe(&b, r)
	noteEngines(&b, s.Engines)
	if s.Note != "" {
		b.Note("State: " + s.Note + ".")
	}
	place := studyPlace(s.Study)
	b.Next = append(b.Next, nextReport(place, contents.About.Settings.Model, r)...)
	resume := resumption(place, r)
	if resume != nil && s.Status != study.Running && !reproduce.Holds(place) {
		b.Next = append(b.Next, shellCommand(resume))
	}
	if !verbose {
		b.Next = append(b.Next, shellCommand([]string{"study", "show", place, "--verbose"}))
	}
	return b
}

// printDetails prints all settings and tables.
func (s studyDetails) printDetails(w io.Writer, r *search.Result, p task.Presentation) {
	fmt.Fprintf(w, "\nproposed in %s\n", format.Seconds(s.Choosing))
	fmt.Fprintf(w, "%s in total: %d complete, %d diverged or lost, %d unfinished\n",
		format.Count(s.Trials.All, "trial"), s.Trials.Complete, s.Trials.Failed, s.Trials.Running)
	if len(s.Engines) > 0 {
		fmt.Fprintf(w, "engine: %s, %v\n", format.List(s.Engines, "and"), s.Precision)
	}
	if mixed := task.MixedEnginesWarning(s.Engines); mixed != "" {
		fmt.Fprintln(w, mixed)
	}
	if s.Command != nil {
		fmt.Fprintf(w, "command: %s\n", shellCommand(s.Command))
	}
	fmt.Fprintf(w, "data: %s, fingerprint %s\n\nSettings\n\n",
		cmp.Or(s.Source, "unknown place, use --dataset"), s.Fingerprint)
	all := table.New("name", "value")
	for _, setting := range settings.Of(s.Settings) {
		first, _, _ := strings.Cut(setting.Name, " ")
		hasEffect := s.Settings.Model == form.Bilinear ||
			!slices.Contains(structureFlags, strings.ReplaceAll(first, "_", "-"))
		if !setting.Omitted && hasEffect {
			all.Add(setting.Name, setting.Text())
		}
	}
	all.Print(w)
	s.PrintTuned(w)
	s.printRounds(w, p)
	switch {
	case len(r.Best)+len(r.Baselines) == 0:
	case s.Settings.Model != form.Bilinear:
		fmt.Fprintf(w, "\nBest settings\n\n")
		s.PrintRecipes(w)
	default:
		fmt.Fprintf(w, "\nBest structures, and the baselines with the same recipe\n\n")
		s.PrintBest(w)
		fmt.Fprintln(w)
		for i, t := range r.Best[:min(len(r.Best), study.MostShown)] {
			fmt.Fprintf(w, "found %d: %s", i+1, t.Structure)
			if message := t.Message(); message.K() > 0 {
				fmt.Fprintf(w, ", message %s", message)
			}
			fmt.Fprintln(w)
		}
	}
	s.PrintTunedEach(w)
	s.PrintFinals(w)
	s.PrintRetrained(w)
	s.PrintEnsemble(w)
}

func (s studyDetails) printRounds(w io.Writer, p task.Presentation) {
	if len(s.Rounds) == 0 {
		return
	}
	fmt.Fprintf(w, "\nRounds, with the best %s so far and seconds\n\n", p.Valid)
	t := table.New("round", "proposed", "repeats", "best "+p.Metric, "proposing", "training")
	for _, r := range s.Rounds {
		t.Add(r.Number, r.Proposed, r.Repeats, r.BestScore, fmt.Sprintf("%.2f", r.Choosing),
			fmt.Sprintf("%.2f", r.Training))
	}
	t.Print(w)
}

type studyExportCommand struct {
	studyFile
	CSV bool   `name:"csv" brief:"One line per trial, after a header." help:"One line per trial, after a header."`
	Out string `placeholder:"FILE" brief:"File for --csv." help:"File for --csv. The default is the standard output."`
}

// exportedStudy is the JSON of study export: the whole study without the best model.
type exportedStudy struct {
	About  study.About    `json:"about"`
	Source string         `json:"source"`
	Budget int            `json:"budget"`
	Trials []task.Trial   `json:"trials"`
	Rounds []search.Round `json:"rounds"`
}

func (c *studyExportCommand) Run(o *output) error {
	switch {
	case !c.CSV && !o.JSON:
		return cli.Usage(errors.New("the format is missing: use --csv or --json"))
	case c.CSV && o.JSON && c.Out == "":
		return cli.Usage(errors.New("--csv and --json cannot both be printed: use --out for the CSV"))
	case c.CSV && o.Record != nil && c.Out == "":
		return cli.Usage(errors.New("--record stores the JSON of --out FILE: give it, or leave --record out"))
	case !c.CSV && c.Out != "":
		return cli.Usage(errors.New("--out does not fit: it is the file for --csv"))
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
			About: contents.Asked, Source: contents.About.Source,
			Budget: contents.About.Settings.Budget,
			Trials: orEmpty(contents.Trials), Rounds: orEmpty(contents.Rounds),
		}, nil)
	}
	var lines bytes.Buffer
	byRecipe := tasks.PresentationOf(contents.About.Identity).ByRecipe
	if err := study.WriteCSV(&lines, contents.Trials, byRecipe, tasks.TrialFields()); err != nil {
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
	Out string `placeholder:"DIR" brief:"Folder for the model." help:"Folder for the model. The default is model in the folder of the study."`
}

// bestSummary is the JSON of study best.
type bestSummary struct {
	study.Description
	Canonical *structure.Structure `json:"canonical"`
	Name      string               `json:"name"`
	K         int                  `json:"k"`
	From      string               `json:"from"`      // found, baseline or ensemble
	Precision kge.Precision        `json:"precision"` // of the training
	Out       string               `json:"out"`
}

// precisionOf returns the precision in which a model was trained.
func precisionOf(m study.Description) kge.Precision {
	var t kge.Training
	if json.Unmarshal(m.Training, &t) != nil {
		return kge.Float32
	}
	return t.Settings.Precision
}

// isSaved reports whether a folder has a model already.
func isSaved(model task.Artifact, dir string) bool {
	files, err := model.Files()
	saved, failed := inputfile.Read(filepath.Join(dir, modelfolder.Description))
	return err == nil && failed == nil && bytes.Equal(saved, files[modelfolder.Description])
}

// Run writes the best model.
func (c *studyBestCommand) Run(o *output) error {
	contents, err := c.read()
	if err != nil {
		return err
	}
	if contents.Best == nil {
		return fmt.Errorf("the study %s has no model yet: autoblm study resume continues it", c.File)
	}
	if c.Out == "" {
		folder, err := c.freeFolder()
		if err != nil {
			return err
		}
		c.Out = filepath.Join(folder, modelfolder.InSearch)
	} else if !isSaved(contents.Best, c.Out) {
		if err := checkFree(c.Out, "the model"); err != nil {
			return err
		}
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
		o.Show(s.block(o.Verbose))
		if a := m.Structure; a != nil && o.Verbose {
			fmt.Fprintf(w, "\n%s\nf(h,r,t) = %s\n", o.Drawing(a.Draw), a.Formula())
		}
	})
}

// block describes the model, with its metrics as stored.
func (s bestSummary) block(verbose bool) cli.Block {
	m, model := s.Description, "ensemble of "+format.Int(len(s.Members))
	if len(m.Members) == 0 {
		model = fmt.Sprintf("%s, d %d%s", titleOf(m.Form, m.Structure), m.Dim, s.Precision.Suffix())
	}
	b := cli.Block{Title: []string{"best model", m.Dataset, model}}
	if s.From != study.FromEnsemble { // the model says so
		b.Title = append(b.Title, s.From)
	}
	for i, split := range []json.RawMessage{m.Test, m.Valid} {
		var e completion.Evaluation
		if json.Unmarshal(split, &e) == nil && e.Triples > 0 {
			addEvaluation(&b, []string{"test", "valid"}[i], &e)
			if verbose {
				addMetrics(&b, "  heads", e.Head, 0)
				addMetrics(&b, "  tails", e.Tail, 0)
			}
		}
	}
	b.Add("model", s.Out)
	return b
}

type studyResumeCommand struct {
	movedData
	Budget  int     `default:"0" min:"0" max:"100000" brief:"Structures to train in total; 0: as before." help:"Number of structures to train in total; 0 keeps that of the last run."`
	Minutes float64 `default:"0" min:"0" max:"1000000" brief:"Deadline in minutes, in total if planned; 0: as before." help:"Deadline in minutes. For a search that was planned for a deadline, it is the new total, and 0 keeps the old one; otherwise it limits this run, and 0 sets none."`
	Out     string  `placeholder:"DIR" brief:"Folder for the best model and the pictures." help:"Folder for the best model and the pictures. The default is the folder of the study."`
	distributeFlags
	mixFlag
	computeFlags
}

func (c *studyResumeCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	compute, err := c.compute()
	if err != nil {
		return err
	}
	contents, err := c.read()
	if err != nil {
		return err
	}
	if c.Out == "" {
		if c.Out, err = c.freeFolder(); err != nil {
			return err
		}
	}
	about := contents.Asked
	settings := autoblm.SearchSettings{
		Settings: about.Settings, Algorithm: about.Algorithm, Study: c.File,
		MixEngines: c.MixEngines, Began: began,
		Compute: compute.ForTraining(about.Settings.Training, about.Settings.FirstForm()),
	}
	if limit := minutes(c.Minutes); limit > 0 || about.Settings.Planned == nil {
		settings.TimeLimit = limit
	}
	if p := contents.Plan; p != nil && settings.TimeLimit < p.Limit {
		return cli.Usage(fmt.Errorf("the study was planned for %.3g minutes in total: give more --minutes, "+
			"or leave them out", p.Limit.Minutes()))
	}
	settings.Training.Precision = kge.AutoPrecision // that of the study
	if c.Budget != 0 {
		if planned := about.Settings.Planned; planned != nil && planned.Structures {
			return cli.Usage(errors.New("the number of structures follows from the time: give more --minutes, " +
				"and leave --budget out"))
		}
		if contents.Plan != nil && c.Minutes == 0 {
			return cli.Usage(fmt.Errorf("budget is %d, but the study was planned for a deadline of %.3g "+
				"minutes in total: give more --minutes", c.Budget, contents.Plan.Limit.Minutes()))
		}
		settings.Budget = c.Budget
	}
	if err := settings.Validate(); err != nil {
		return cli.Usage(err)
	}
	p, err := c.reopen(ctx, o, about, settings.Compute)
	if err != nil {
		return err
	}
	defer p.Close()
	trained, disconnect, err := c.distribute(ctx, o, p.Task, settings)
	if err != nil {
		return err
	}
	defer disconnect()
	return searchRun{
		problem: p, trained: trained, settings: settings, out: c.Out,
		resumeCommand: shellCommand(o.Arguments),
	}.execute(ctx, o)
}
