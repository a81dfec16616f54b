package report

import (
	"context"
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Data holds what a report shows.
type Data struct {
	study.Contents
	// Presentation describes the results of the task of the study.
	Presentation task.Presentation

	// Defaults are the default settings of a search for the task, nil for
	// [search.DefaultSettings].
	Defaults *search.Settings
	// Measures need the data; see [Data.Measure]. NoData is a sentence that says why they are
	// missing.
	Measures *task.Measures
	NoData   string

	// Date is when the study was last written, zero if unknown.
	Date time.Time
	// Program describes the program and the machine that made the report.
	Program string
	// Commands are useful commands, first the one that repeats the search.
	Commands []Command
}

// Command is a command line and its purpose.
type Command struct {
	Purpose string `json:"purpose"`
	Line    string `json:"line"`
}

// Measure adds the measures of a task, which must have the data of the study.
func (d *Data) Measure(ctx context.Context, t task.Task) error {
	identity, err := t.Identity()
	if err != nil {
		return err
	}
	if d.About.Fingerprint != "" && d.About.Fingerprint != identity.Fingerprint {
		return fmt.Errorf("%s does not have the data of the study", identity.Dataset)
	}
	d.Presentation = t.Presentation()
	a := newAnalysis(*d)
	best := task.Best{Dataset: d.About.Dataset}
	if d.Best != nil && a.kept != nil {
		best.Artifact = d.Best
		best.Trial = task.LabeledTrial{Label: a.label(*a.kept), Trial: *a.kept}
	}
	d.Measures, err = t.Measure(ctx, best)
	return err
}
