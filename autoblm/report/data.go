package report

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
)

// Data is what a report tells of: a study, the words of its task, and what was measured
// beside it.
type Data struct {
	study.Contents
	// Words are those of the study's task; without them scores have no name but that.
	Words task.Presentation

	// Usual are the settings of a search for the task if nothing is said; nil stands for
	// those of [search.DefaultSettings].
	Usual *search.Settings
	// Measures need the data; see [Data.Measure]. Where they are missing, NoData says
	// why in a sentence.
	Measures *task.Measures
	NoData   string

	// Date is when the study was last written; the zero time is left out.
	Date time.Time
	// Program is what made the report and on what machine.
	Program string
	// Commands are what a reader may want to run, the one that makes the study
	// again first.
	Commands []Command
}

// Command is a line for a shell, or of a program, and what it is good for.
type Command struct{ Purpose, Line string }

// nameOf is what a trial of the search or of the last stage is called.
func (o *outcome) nameOf(t task.Trial) string {
	if t.Ensemble != nil {
		return "the ensemble"
	}
	if study.IsBaseline(t) {
		return title(t.Name)
	}
	place := 1 + slices.IndexFunc(o.found, func(other task.Trial) bool { return other.Structure == t.Structure })
	name := fmt.Sprintf("Found %d", place)
	switch t.Stage {
	case task.Final:
		name += " as the last stage trained it"
	case task.Retraining:
		name += fmt.Sprintf(" with seed %d", t.Recipe.Seed)
	}
	return name
}

// Measure adds what a task tells with the data of the study. It is an error if these are
// other data.
func (d *Data) Measure(ctx context.Context, t task.Task) error {
	identity, err := t.Identity()
	if err != nil {
		return err
	}
	if d.About.Fingerprint != "" && d.About.Fingerprint != identity.Fingerprint {
		return fmt.Errorf("%s does not have the data that the study was made with", identity.Dataset)
	}
	d.Words = t.Presentation()
	o := newOutcome(*d)
	best := task.Best{Dataset: d.About.Dataset}
	if d.Best != nil && o.kept != nil {
		best.Artifact = d.Best
		best.Trial = task.LabeledTrial{Label: o.nameOf(*o.kept), Trial: *o.kept}
	}
	d.Measures, err = t.Measure(ctx, best)
	return err
}
