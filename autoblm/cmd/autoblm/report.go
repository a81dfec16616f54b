package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

type reportCommand struct {
	Study   string `required:"" help:"The study: the folder of a search, or a file such as study.db in it."`
	Out     string `default:"report.html" help:"The page; its pictures go into a folder beside it, report_files for report.html."`
	Dataset string `help:"Where the data are now, if they are no longer where they were: a name of dataset list, or a folder."`
	computeFlags
}

// reportSummary is the JSON of report.
type reportSummary struct {
	Study     string   `json:"study"`
	Dataset   string   `json:"dataset"`
	Task      string   `json:"task"`
	Algorithm string   `json:"algorithm"`
	Verdict   []string `json:"verdict"`
	Out       string   `json:"out"`
	Pictures  []string `json:"pictures"`
	// Note says why the page lacks what needs the data, if it does.
	Note string `json:"note,omitempty"`
}

// Run writes the report of a study.
func (c *reportCommand) Run(ctx context.Context, o *output) error {
	var err error
	if c.Study, err = studyIn(c.Study); err != nil {
		return err
	}
	contents, err := study.Read(c.Study)
	if err != nil {
		return err
	}
	if f := contents.About.Settings.Model; f != form.Bilinear {
		return fmt.Errorf("the study %s is of recipes of %v, and a report is of structures: autoblm study show tells of it", c.Study, f)
	}
	if err := outfile.MakeFolder(filepath.Dir(c.Out)); err != nil {
		return err
	}
	if err := o.CheckFile(c.Out, outfile.Page); err != nil {
		return err
	}
	written, err := os.Stat(c.Study)
	if err != nil {
		return fmt.Errorf("cannot read the study: %w", err)
	}
	usual := autoblm.SearchDefaults(contents.About.Task)
	d := report.Data{
		Contents: *contents, Presentation: autoblm.PresentationOf(contents.About.Identity),
		Defaults: &usual, Date: written.ModTime().UTC(),
		Program: fmt.Sprintf("autoblm %s with %s on %s/%s", cli.Version(), runtime.Version(), runtime.GOOS, runtime.GOARCH),
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
	o.Saved("the report is %s", c.Out)
	summary := reportSummary{
		Study: c.Study, Dataset: contents.About.Dataset, Task: contents.About.Task, Algorithm: contents.About.Algorithm,
		Verdict: d.Verdict(), Out: c.Out, Pictures: orEmpty(pictures), Note: d.NoData,
	}
	return o.Result(summary, func(w io.Writer) {
		for _, sentence := range summary.Verdict {
			fmt.Fprintln(w, format.Escape(sentence))
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
	compute, err := c.compute()
	if err != nil {
		return err
	}
	p, err := studied{studyFile{c.Study}, c.Dataset}.reopen(ctx, o, d.About, compute)
	switch {
	case err != nil && c.Dataset != "":
		return err
	case err != nil:
		d.NoData = format.OneLine(advised(err)) + "."
		o.Message("autoblm: the report lacks what needs the data: %s", format.OneLine(advised(err)))
		return nil
	}
	defer p.Close()
	return d.Measure(ctx, p.Task)
}

// commands are those that a reader of the report may want.
func (c *reportCommand) commands(contents *study.Contents) ([]report.Command, error) {
	about := contents.Asked
	about.Source = cmp.Or(c.Dataset, about.Source, about.Dataset)
	again, exact, err := searchLine(about, engineOf(contents.Trials))
	if err != nil {
		return nil, err
	}
	purpose := "Make this study again, in a new file"
	if !exact {
		purpose = "Make a study like this again; some of its settings can only be set by a program, as package search does"
	}
	resume := []string{"study", "resume", c.Study}
	onward := "Go on with it"
	if contents.Status() == study.Finished {
		onward = "Go on with it to twice as many structures"
		resume = append(resume, "--budget", fmt.Sprint(2*about.Settings.Budget))
		if p := contents.Plan; p != nil {
			onward, resume = "Go on with it for as long again", append(resume[:3], "--minutes", fmt.Sprint(2*p.Limit.Minutes()))
		}
	}
	rewrite := []string{"report", "--study", c.Study, "--out", c.Out}
	if c.Dataset != "" {
		resume, rewrite = append(resume, "--dataset", c.Dataset), append(rewrite, "--dataset", c.Dataset)
	}
	all := []report.Command{{Purpose: purpose, Line: again}, {Purpose: onward, Line: commandOf(resume)}}
	if contents.Best != nil {
		purpose := "Take the best model out of it, as a folder"
		if known, ok := readers[about.Task]; ok {
			purpose += " for " + known
		}
		all = append(all, report.Command{
			Purpose: purpose,
			Line:    commandOf([]string{"study", "best", c.Study, "--out", "model"}),
		})
	}
	return append(all, report.Command{Purpose: "Write this report again", Line: commandOf(rewrite)}), nil
}
