package main

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

type reportCommand struct {
	Study   string `required:"" help:"The study, such as study.db in the folder of a search."`
	Out     string `default:"report.html" help:"The page; its pictures go into a folder beside it, report_files for report.html."`
	Dataset string `help:"Where the data are now, if they are no longer where they were: a name of dataset list, or a folder."`
	computeFlags
}

// reportSummary is the JSON of report.
type reportSummary struct {
	Study     string   `json:"study"`
	Dataset   string   `json:"dataset"`
	Task      string   `json:"task,omitempty"` // of others than completion
	Algorithm string   `json:"algorithm"`
	Verdict   []string `json:"verdict"`
	Out       string   `json:"out"`
	Pictures  []string `json:"pictures"`
	// Note says why the page lacks what needs the data, if it does.
	Note string `json:"note,omitempty"`
}

// Run writes the report of a study.
func (c *reportCommand) Run(ctx context.Context, o *output) error {
	contents, err := study.Read(c.Study)
	if err != nil {
		return err
	}
	written, err := os.Stat(c.Study)
	if err != nil {
		return fmt.Errorf("cannot read the study: %w", err)
	}
	d := report.Data{
		Contents: *contents, Date: written.ModTime().UTC(),
		Program: fmt.Sprintf("autoblm %s with %s on %s/%s", version(), runtime.Version(), runtime.GOOS, runtime.GOARCH),
	}
	if err := c.measure(ctx, &d, o); err != nil {
		return err
	}
	if d.Commands, err = c.commands(contents); err != nil {
		return err
	}
	pictures, err := report.Save(c.Out, d)
	if err != nil {
		return err
	}
	summary := reportSummary{
		Study: c.Study, Dataset: contents.About.Dataset, Task: contents.About.Task, Algorithm: contents.About.Algorithm,
		Verdict: d.Verdict(), Out: c.Out, Pictures: orEmpty(pictures), Note: d.NoGraph,
	}
	return o.result(summary, func(w io.Writer) {
		for _, sentence := range summary.Verdict {
			fmt.Fprintln(w, printable(sentence))
		}
		fmt.Fprintf(w, "\nThe report is %s", c.Out)
		if len(pictures) > 0 {
			fmt.Fprintf(w, ", and its pictures are in %s", filepath.Dir(pictures[0]))
		}
		fmt.Fprintln(w)
	})
}

// measure adds what needs the data. Without them there is a report too, unless it
// was said where they are.
func (c *reportCommand) measure(ctx context.Context, d *report.Data, o *output) error {
	if d.About.Task != "" {
		return c.measureTask(ctx, d, o)
	}
	g, err := c.studyOf().graph(d.About)
	if err != nil {
		return c.without("metrics by relation", err, d, o)
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	return d.Measure(ctx, engine, g)
}

// studyOf finds the data.
func (c *reportCommand) studyOf() *studyResumeCommand {
	return &studyResumeCommand{studyFile: studyFile{c.Study}, Dataset: c.Dataset}
}

// without leaves out what needs the data, unless it was said where they are.
func (c *reportCommand) without(what string, why error, d *report.Data, o *output) error {
	if c.Dataset != "" {
		return why
	}
	d.NoGraph = oneLine(why) + "."
	o.say("autoblm: the report has no %s: %s", what, oneLine(why))
	return nil
}

// measureTask does the same for the data of another task than completion.
func (c *reportCommand) measureTask(ctx context.Context, d *report.Data, o *output) error {
	const what = "sizes of the data, by which to judge chance"
	source, err := c.studyOf().source(d.About)
	if err != nil {
		return c.without(what, err, d, o)
	}
	switch d.About.Task {
	case autoblm.QueryTaskName:
		err = measureQueries(ctx, d, source, o)
	case autoblm.ClassTaskName:
		err = measureClasses(d, source)
	default:
		err = fmt.Errorf("this program does not know the task %q: use the one that made the study", d.About.Task)
	}
	if err != nil {
		return c.without(what, notAtHand(err), d, o)
	}
	return nil
}

func measureQueries(ctx context.Context, d *report.Data, source string, o *output) error {
	var own autoblm.QuerySettings
	if err := json.Unmarshal(d.About.TaskSettings, &own); err != nil {
		return fmt.Errorf("the study has settings that cannot be read: %w", err)
	}
	data, err := openQueries(ctx, o, source, slices.Concat(own.Hops, own.With)...)
	if err != nil {
		return err
	}
	return d.MeasureQueries(data)
}

func measureClasses(d *report.Data, source string) error {
	g, err := rdf.Open(source, rdf.Options{})
	if err != nil {
		return err
	}
	return d.MeasureClasses(g)
}

// commands are those that a reader of the report may want.
func (c *reportCommand) commands(contents *study.Contents) ([]report.Command, error) {
	about := contents.About
	about.Source = cmp.Or(c.Dataset, about.Source, about.Dataset)
	again, exact, err := searchLine(about, engineOf(contents.Trials))
	if err != nil {
		return nil, err
	}
	purpose := "Make this study again, in a new file"
	if !exact {
		purpose = "Make a study like this again; some of its settings can only be set by a program, as package search does"
	}
	file := quoted(c.Study)
	resume := fmt.Sprintf("%s study resume %s", program(), file)
	onward := "Go on with it"
	if contents.Status() == study.Finished {
		onward = "Go on with it to twice as many structures"
		resume += fmt.Sprintf(" --budget %d", 2*about.Settings.Budget)
	}
	rewrite := fmt.Sprintf("%s report --study %s --out %s", program(), file, quoted(c.Out))
	if c.Dataset != "" {
		resume += " --dataset " + quoted(c.Dataset)
		rewrite += " --dataset " + quoted(c.Dataset)
	}
	all := []report.Command{{Purpose: purpose, Line: again}, {Purpose: onward, Line: resume}}
	readers := "autoblm predict and autoblm eval"
	if about.Task == autoblm.QueryTaskName {
		readers = "autoblm query eval"
	}
	if contents.Best != nil {
		all = append(all, report.Command{
			Purpose: "Take the best model out of it, as a folder for " + readers,
			Line:    fmt.Sprintf("%s study best %s --out model", program(), file),
		})
	}
	return append(all, report.Command{Purpose: "Write this report again", Line: rewrite}), nil
}
