package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/autoblm/tasks"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

type reportCommand struct {
	Study   string `required:"" placeholder:"DIR" brief:"Folder of a search, or file of its study." help:"Folder of a search, or file of a study such as study.db."`
	Out     string `default:"report.html" brief:"File of the page." help:"File of the page. Its pictures are in a folder next to it, such as report_files."`
	Dataset string `placeholder:"NAME|DIR" brief:"Where the data are now, if they moved." help:"Where the data are now, if they moved: a name of dataset list, or a folder."`
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
	// Note says why the page lacks results that need the data, or is "".
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
		return fmt.Errorf("the study %s has recipes of %v, a report needs structures: use "+
			"autoblm study show", c.Study, f)
	}
	if err := outfile.MakeFolder(filepath.Dir(c.Out)); err != nil {
		return err
	}
	if err := o.CheckFile(c.Out, outfile.Page); err != nil {
		return err
	}
	d := c.data(contents)
	if err := c.measure(ctx, &d, o); err != nil {
		return err
	}
	pictures, err := report.Save(c.Out, d)
	if err != nil {
		return err
	}
	o.Saved("the report is %s", c.Out)
	summary := reportSummary{
		Study: c.Study, Dataset: contents.About.Dataset, Task: contents.About.Task,
		Algorithm: contents.About.Algorithm, Verdict: d.Verdict(), Out: c.Out,
		Pictures: orEmpty(pictures), Note: d.NoData,
	}
	return o.Result(summary, func(w io.Writer) {
		b := cli.Block{Title: []string{"report written", summary.Dataset, summary.Algorithm}}
		headline := d.Headline()
		addHeadline(&b, headline)
		noteEngines(&b, task.Engines(contents.Trials))
		b.Add("page", c.Out)
		if len(pictures) > 0 {
			b.Add("pictures", filepath.Dir(pictures[0]))
		}
		if o.Verbose || headline.Kept == nil {
			b.Notes = summary.Verdict
		}
		o.Show(b)
	})
}

// data returns what the report of a study shows without its graph.
func (c *reportCommand) data(contents *study.Contents) report.Data {
	defaults := tasks.SearchDefaults(contents.About.Task, contents.Asked.Settings.TimeLimit > 0)
	d := report.Data{
		Contents: *contents, Presentation: tasks.PresentationOf(contents.About.Identity),
		Defaults: &defaults, Commands: c.suggestions(contents),
		Program: fmt.Sprintf("autoblm %s with %s on %s/%s", cli.Version(), runtime.Version(),
			runtime.GOOS, runtime.GOARCH),
	}
	if written, err := os.Stat(c.Study); err == nil {
		d.Date = written.ModTime().UTC()
	}
	return d
}

// measure adds the results that need the data. Without the data the report lacks them, unless
// --dataset names their place.
func (c *reportCommand) measure(ctx context.Context, d *report.Data, o *output) error {
	compute, err := c.compute()
	if err != nil {
		return err
	}
	p, err := movedData{studyFile{c.Study}, c.Dataset}.reopen(ctx, o, d.About, compute)
	switch {
	case err != nil && c.Dataset != "":
		return err
	case err != nil:
		reason := format.OneLine(withHint(err))
		d.NoData = reason + "."
		o.Message("autoblm: the report lacks results that need the data: %s", reason)
		return nil
	}
	defer p.Close()
	return d.Measure(ctx, p.Task)
}

// suggestions returns commands that a reader of the report may want.
func (c *reportCommand) suggestions(contents *study.Contents) (all []report.Command) {
	add := func(purpose string, arguments ...string) {
		if c.Dataset != "" && !slices.Contains(arguments, "best") {
			arguments = append(arguments, "--dataset", c.Dataset)
		}
		all = append(all, report.Command{Purpose: purpose, Line: shellCommand(arguments)})
	}
	about := contents.Asked
	if about.Command != nil {
		line := shellCommand(about.Command)
		all = append(all, report.Command{Purpose: "The command of this study", Line: line})
	}
	resume := resumption(c.Study, contents.Result())
	switch state := contents.State(); {
	case resume == nil || state.Status == study.Running:
	case state.Status != study.Finished:
		add("Resume it", resume...)
	case slices.Contains(resume, "--minutes"):
		add("Resume it with twice the time", resume...)
	default:
		add("Resume it with twice as many structures", resume...)
	}
	if contents.Best != nil {
		purpose := "Write the best model as a folder"
		if readers, ok := taskReaders[about.Task]; ok {
			purpose += " for " + readers
		}
		add(purpose, "study", "best", c.Study, "--out", "model")
	}
	add("Write this report again", "report", "--study", c.Study, "--out", c.Out)
	return all
}
