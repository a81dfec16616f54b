package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/settings"
	"github.com/autoblm/autoblm-go/internal/wholefile"
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

// listedStudy is an entry of the JSON of study list. What cannot be read now has
// an error, and the fields that are not known are null.
type listedStudy struct {
	Path      string   `json:"path"`
	Dataset   *string  `json:"dataset"`
	Algorithm *string  `json:"algorithm"`
	K         *int     `json:"k"`
	Dim       *int     `json:"dim"`
	Trained   *int     `json:"trained"`
	Budget    *int     `json:"budget"`
	BestMRR   *float64 `json:"best_mrr"`
	State     string   `json:"state"`
	Error     string   `json:"error,omitempty"`
}

// Run lists studies.
func (c *studyListCommand) Run(o *output) error {
	if len(c.Paths) == 0 {
		c.Paths = []string{"."}
	}
	list := []listedStudy{}
	for _, path := range c.Paths {
		info, err := os.Stat(path)
		if err != nil {
			return fmt.Errorf("cannot look for studies: %w", err)
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = study.Find(path); err != nil {
				return err
			}
		}
		for _, file := range files {
			list = append(list, listed(file))
		}
	}
	return o.result(map[string]any{"studies": list}, func(w io.Writer) {
		if len(list) == 0 {
			fmt.Fprintf(w, "no study below %s: autoblm search makes one\n", strings.Join(c.Paths, ", "))
			return
		}
		t := table{header: []string{"study", "data set", "algorithm", "k", "d", "trained", "budget", "best MRR", "state"}}
		for _, s := range list {
			best := missing
			if s.BestMRR != nil {
				best = number(*s.BestMRR)
			}
			t.add(s.Path, orMissing(s.Dataset), orMissing(s.Algorithm), orMissing(s.K), orMissing(s.Dim), orMissing(s.Trained), orMissing(s.Budget), best, s.State)
		}
		t.print(w)
		for _, s := range list {
			if s.Error != "" {
				o.say("autoblm: %s", s.Error)
			}
		}
	})
}

func orMissing[T any](value *T) string {
	if value == nil {
		return missing
	}
	return text(*value)
}

func listed(path string) listedStudy {
	contents, err := study.Read(path)
	if err != nil {
		s := listedStudy{Path: path, State: "unreadable", Error: oneLine(err)}
		var taken *study.InUseError
		if errors.As(err, &taken) {
			s.State, s.Error = "in use by "+taken.Holder(), ""
		}
		return s
	}
	about, result := contents.About, contents.Result()
	s := listedStudy{
		Path: path, Dataset: &about.Dataset, Algorithm: &about.Algorithm, K: &about.Settings.K, Dim: &about.Settings.Training.Dim,
		Trained: &result.Trained, Budget: &about.Settings.Budget, State: string(contents.Status()),
	}
	if len(result.Best) > 0 {
		best := result.Best[0].ScoreOrZero()
		s.BestMRR = &best
	}
	return s
}

// studyFile is the argument of the other commands.
type studyFile struct {
	File string `arg:"" help:"The study, such as study.db in the folder of a search."`
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
	Study       string          `json:"study"`
	State       study.Status    `json:"state"`
	Dataset     string          `json:"dataset"`
	Task        string          `json:"task,omitempty"` // of others than completion
	Fingerprint string          `json:"fingerprint"`
	Source      string          `json:"source"`
	Algorithm   string          `json:"algorithm"`
	Settings    search.Settings `json:"settings"`
	Budget      int             `json:"budget"`
	Trials      trialCounts     `json:"trials"`
	Rounds      []shownRound    `json:"rounds"`
	Tuned       []recipeSummary `json:"tuned"`
	Recipe      task.Recipe     `json:"recipe"`
	Best        []foundSummary  `json:"best"`
	Human       []namedSummary  `json:"human"`
	Finals      []recipeSummary `json:"finals"`
	// Seconds is the time of all trials, Choosing that of the rounds.
	Seconds  float64 `json:"seconds"`
	Choosing float64 `json:"choosing"`
}

// trialCounts counts the trials of a study. Proposed are those of the strategy.
type trialCounts struct {
	All      int `json:"all"`
	Proposed int `json:"proposed"`
	Complete int `json:"complete"`
	Failed   int `json:"failed"`
	Running  int `json:"running"`
}

type shownRound struct {
	Number   int `json:"number"`
	Proposed int `json:"proposed"`
	Repeats  int `json:"repeats"`
	// BestMRR is that of all trials up to this round, null before the first result.
	BestMRR *float64 `json:"best_mrr"`
	// Choosing is the time that the filter, the predictor and the strategy took,
	// Training that of the round's trials.
	Choosing float64 `json:"choosing"`
	Training float64 `json:"training"`
}

// Run shows a study.
func (c *studyShowCommand) Run(o *output) error {
	contents, err := study.Read(c.File)
	if err != nil {
		return err
	}
	about, result := contents.About, contents.Result()
	shown := shownStudy{
		Study: c.File, State: contents.Status(), Dataset: about.Dataset, Task: about.Task, Fingerprint: about.Fingerprint, Source: about.Source,
		Algorithm: about.Algorithm, Settings: about.Settings, Budget: about.Settings.Budget, Trials: countTrials(contents.Trials), Rounds: roundsOf(contents),
		Tuned: orEmpty(recipes(result.Tuned)), Recipe: result.Recipe, Best: found(result.Best), Human: named(result.Named), Finals: orEmpty(recipes(result.Finals)),
		Seconds: result.Seconds, Choosing: result.Overhead,
	}
	return o.result(shown, func(w io.Writer) { shown.print(w, result) })
}

func countTrials(trials []task.Trial) trialCounts {
	n := trialCounts{All: len(trials)}
	for _, t := range trials {
		if t.Round > 0 {
			n.Proposed++
		}
		switch t.State {
		case task.Complete:
			n.Complete++
		case task.Failed:
			n.Failed++
		case task.Running:
			n.Running++
		}
	}
	return n
}

func roundsOf(c *study.Contents) []shownRound {
	rounds := []shownRound{}
	var best *float64
	for _, r := range c.Rounds {
		round := shownRound{Number: r.Number, Proposed: r.Proposed, Repeats: r.Repeats, Choosing: r.Seconds}
		for _, t := range c.Trials {
			if t.Round != r.Number {
				continue
			}
			round.Training += t.Seconds
			if score := t.ScoreOrZero(); t.State == task.Complete && (best == nil || score > *best) {
				best = &score
			}
		}
		round.BestMRR = best
		rounds = append(rounds, round)
	}
	return rounds
}

func (s shownStudy) print(w io.Writer, r *search.Result) {
	fmt.Fprintf(w, "%s: %s on %s, %s\n", s.Study, s.Algorithm, s.Dataset, s.State)
	fmt.Fprintf(w, "%d of %s trained in %s; choosing them took %s\n", r.Trained, plural(s.Budget, "structure"), duration(s.Seconds), duration(s.Choosing))
	fmt.Fprintf(w, "%s in all: %d complete, %d diverged, %d without a result yet\n", plural(s.Trials.All, "trial"), s.Trials.Complete, s.Trials.Failed, s.Trials.Running)
	source := s.Source
	if source == "" {
		source = "not known, --dataset has to say it"
	}
	fmt.Fprintf(w, "data: %s, fingerprint %s\n\nSettings\n\n", source, s.Fingerprint)
	all := table{header: []string{"name", "value"}}
	for _, setting := range settings.Of(s.Settings) {
		if !setting.Omitted {
			all.add(setting.Name, setting.Text())
		}
	}
	all.print(w)
	printTuned(w, r)
	if len(s.Rounds) > 0 {
		fmt.Fprintf(w, "\nRounds, with the best validation MRR so far and the seconds for choosing and for training\n\n")
		rounds := table{header: []string{"round", "proposed", "repeats", "best MRR", "choosing", "training"}}
		for _, round := range s.Rounds {
			best := missing
			if round.BestMRR != nil {
				best = number(*round.BestMRR)
			}
			rounds.add(text(round.Number), text(round.Proposed), text(round.Repeats), best, fmt.Sprintf("%.2f", round.Choosing), fmt.Sprintf("%.2f", round.Training))
		}
		rounds.print(w)
	}
	if len(r.Best)+len(r.Named) > 0 {
		fmt.Fprintf(w, "\nThe best structures found, and the named ones by the same recipe\n\n")
		comparison(r, s.Task).print(w)
		fmt.Fprintln(w)
		for i, t := range r.Best[:min(len(r.Best), mostFound)] {
			fmt.Fprintf(w, "found %d is %s\n", i+1, t.Structure)
		}
	}
	printFinals(w, r)
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
	case !c.CSV && !o.json:
		return usage(errors.New("say in which form to export the study: --csv or --json"))
	case c.CSV && o.json && c.Out == "":
		return usage(errors.New("--csv and --json cannot both be printed: name a file for the CSV with --out"))
	case !c.CSV && c.Out != "":
		return usage(errors.New("--out is the file for --csv"))
	}
	contents, err := study.Read(c.File)
	if err != nil {
		return err
	}
	if !c.CSV {
		return o.result(exportedStudy{
			About: contents.About, Source: contents.About.Source, Budget: contents.About.Settings.Budget,
			Trials: orEmpty(contents.Trials), Rounds: orEmpty(contents.Rounds),
		}, nil)
	}
	if c.Out == "" {
		return study.WriteCSV(o.stdout, contents.Trials)
	}
	var lines bytes.Buffer
	if err := study.WriteCSV(&lines, contents.Trials); err != nil {
		return err
	}
	if err := wholefile.Write(c.Out, lines.Bytes()); err != nil {
		return fmt.Errorf("cannot write the trials: %w", err)
	}
	return o.result(map[string]any{"trials": len(contents.Trials), "out": c.Out}, func(w io.Writer) {
		fmt.Fprintf(w, "%s in %s\n", plural(len(contents.Trials), "trial"), c.Out)
	})
}

type studyBestCommand struct {
	studyFile
	Out string `help:"The model folder; model in the folder of the study when left out."`
}

// bestSummary is the JSON of study best.
type bestSummary struct {
	Dataset   string                 `json:"dataset"`
	Structure structure.Structure    `json:"structure"`
	Canonical structure.Structure    `json:"canonical"`
	Name      string                 `json:"name"`
	K         int                    `json:"k"`
	Dim       int                    `json:"dim"`
	Training  *completion.Training   `json:"training"`
	Valid     *completion.Evaluation `json:"valid"`
	Test      *completion.Evaluation `json:"test"`
	Out       string                 `json:"out"`
}

// Run writes the best model.
func (c *studyBestCommand) Run(o *output) error {
	contents, err := study.Read(c.File)
	if err != nil {
		return err
	}
	m := contents.Best
	if m == nil {
		return fmt.Errorf("the study %s has no model yet: autoblm study resume goes on with it", c.File)
	}
	if c.Out == "" {
		c.Out = filepath.Join(c.folder(), "model")
	}
	if err := saveModel(contents.About, m, c.Out); err != nil {
		return err
	}
	s := bestSummary{
		Dataset: m.Dataset, Structure: m.Structure, Canonical: m.Structure.Canonical(structure.Full), Name: m.Structure.Name(), K: m.Structure.K(), Dim: m.Dim,
		Training: m.Training, Valid: m.Valid, Test: m.Test, Out: c.Out,
	}
	return o.result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%s on %s, d %d\n\n%s\nf(h,r,t) = %s\n\n", m.Structure.Title(), m.Dataset, m.Dim, m.Structure.Draw(o.colour()), m.Structure.Formula())
		t := metricsTable("")
		for _, split := range []struct {
			name string
			*completion.Evaluation
		}{{"valid", m.Valid}, {"test", m.Test}} {
			if split.Evaluation != nil {
				addMetrics(&t, split.name, split.Both)
				addMetrics(&t, "  heads", split.Head)
				addMetrics(&t, "  tails", split.Tail)
			}
		}
		t.print(w)
		fmt.Fprintf(w, "\nThe model is in %s\n", c.Out)
	})
}

type studyResumeCommand struct {
	studyFile
	Budget  int     `default:"0" help:"How many structures to train in all; 0 stands for the budget of the last run."`
	Minutes float64 `default:"0" help:"End the search after so many minutes, at the end of a round; 0 never."`
	Dataset string  `help:"Where the data are now, if they are no longer where they were: a name of dataset list, or a folder."`
	Out     string  `help:"The folder for the best model and the pictures; that of the study when left out."`
	computeFlags
}

// Run goes on with a search.
func (c *studyResumeCommand) Run(ctx context.Context, o *output) error {
	limit, err := timeLimit(c.Minutes)
	if err != nil {
		return usage(err)
	}
	compute, err := c.compute()
	if err != nil {
		return err
	}
	contents, err := study.Read(c.File)
	if err != nil {
		return err
	}
	about := contents.About
	settings := autoblm.SearchSettings{Settings: about.Settings, Algorithm: about.Algorithm, Study: c.File, Compute: compute}
	settings.TimeLimit = limit
	if c.Budget != 0 {
		settings.Budget = c.Budget
	}
	if err := settings.Validate(); err != nil {
		return usage(err)
	}
	p, err := c.problemOf(ctx, o, about, compute)
	if err != nil {
		return err
	}
	defer p.close()
	if c.Out == "" {
		c.Out = c.folder()
	}
	return searching{problem: p, settings: settings, out: c.Out, again: commandOf(o.arguments)}.run(ctx, o)
}

// source is where the data of a study are.
func (c *studyResumeCommand) source(about study.About) (string, error) {
	source := about.Source
	if c.Dataset != "" {
		source = c.Dataset
	}
	if source == "" {
		return "", fmt.Errorf("the study %s does not know where its data, %s, are: say it with --dataset", c.File, about.Dataset)
	}
	return source, nil
}

func notAtHand(err error) error {
	return fmt.Errorf("the data of the study are not at hand; --dataset says where they are now: %w", err)
}

func otherData(source, file string) error {
	return fmt.Errorf("the data in %s are not those of the study %s, or have changed: say with --dataset where those of the study are", source, file)
}

// graph finds the graph of a study of completion again.
func (c *studyResumeCommand) graph(about study.About) (*datasets.Graph, error) {
	source, err := c.source(about)
	if err != nil {
		return nil, err
	}
	g, err := datasets.Open(source)
	if err != nil {
		return nil, notAtHand(err)
	}
	if g.Fingerprint() != about.Fingerprint {
		return nil, otherData(source, c.File)
	}
	return g, nil
}
