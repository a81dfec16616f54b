package main

import (
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// barUnits is the total of a bar that shows a fraction.
const barUnits = 1_000_000_000

// newBar returns a bar for work with a deadline, zero for none.
func newBar(o *output, what string, total int64, every time.Duration, end time.Time) *cli.Bar {
	bar := cli.NewBar(o.Stderr, what, total, every)
	bar.SetDeadline(end)
	return bar
}

// trainingBar shows the epochs and steps of a training.
type trainingBar struct {
	*cli.Bar
	loss string // of the last epoch
}

func newTrainingBar(o *output, end time.Time) *trainingBar {
	return &trainingBar{Bar: newBar(o, "training", barUnits, time.Hour, end)}
}

func (b *trainingBar) update(p kge.Progress) {
	line := fmt.Sprintf("epoch %d of %d", p.Epoch, p.Epochs)
	switch {
	case p.Loss != nil:
		b.loss = fmt.Sprintf(", loss %.3f", p.Loss[0])
	case p.Validating:
		line += ", validating"
	default:
		line += fmt.Sprintf(", step %s of %s", format.Int(p.Step), format.Int(p.Steps))
	}
	line += b.loss
	if p.Best != nil {
		line += fmt.Sprintf(", best valid MRR %.3f", p.Best.MRR)
		if p.HeldOut > 0 {
			line += fmt.Sprintf(" ± %.3f%s", p.Best.Error, format.Sample(p.ValidatedBy, p.HeldOut))
		}
		line += fmt.Sprintf(" after %d", p.Best.Epoch)
	}
	b.Describe(line)
	b.Set(int64(p.Share()*barUnits), 0)
}

// searchBar shows the trained structures, the best score and the remaining time. In a log it
// prints one line per round.
type searchBar struct {
	*cli.Bar
	what string // that is counted: structure or recipe
}

// newSearchBar returns the bar of a search that counts what a trial tries. A search with a time limit
// has many rounds, so a log has fewer lines than rounds.
func newSearchBar(o *output, what string, isTimed bool) *searchBar {
	every := time.Duration(0)
	if isTimed {
		every = 5 * time.Second
	}
	return &searchBar{newBar(o, "training", barUnits, every, time.Time{}), what}
}

func (b *searchBar) update(p search.Progress) { b.updatePart("", p) }

// updatePart shows the progress of one search of several.
func (b *searchBar) updatePart(part string, p search.Progress) {
	line := b.stageProgress(p)
	if p.Best != nil {
		line += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	if part != "" {
		line = part + ": " + line
	}
	b.Describe(line)
	b.Set(int64(p.Share*barUnits), 0)
}

func (b *searchBar) stageProgress(p search.Progress) string {
	switch {
	case p.Stage == task.EnsembleSelection:
		return "selecting an ensemble"
	case p.Budget == 0:
		return fmt.Sprintf("%d %%", int(p.Share*10)*10) // in tens: a log needs no hundred lines
	case p.Baselines:
		return "baselines"
	case p.Stage == task.Retraining: // their number is unknown
		return "retraining" + trainings(p.Trained)
	case p.Stage == task.Default:
		return "default model" + trainings(p.Trained)
	case p.Stage == task.Resplit:
		return "other splits" + trainings(p.Trained)
	case p.Stage == task.Sizing:
		return "larger dimensions"
	case p.Stage == task.TuningEach:
		return fmt.Sprintf("tuning each of the best, %d of %d recipes", p.Trained, p.Budget)
	case p.Stage != task.Searching:
		return fmt.Sprintf("%s, %d of %d recipes", p.Stage, p.Trained, p.Budget)
	}
	return fmt.Sprintf("%d of %d %ss", p.Trained, p.Budget, b.what)
}

// trainings counts finished trainings, "" before the first.
func trainings(n int) string {
	if n == 0 {
		return ""
	}
	return ", " + format.Count(n, "training") + " done"
}

// showRanking returns the settings of a ranking that shows its progress and ends by the deadline,
// if there is one. Call done after the ranking.
func showRanking(o *output, d *kge.Deadline) (how eval.Options, done func()) {
	how.End = endOf(d)
	bar := newBar(o, "ranking", barUnits, time.Hour, how.End)
	how.OnProgress = func(share float64) { bar.Set(int64(share*barUnits), 0) }
	return how, bar.Finish
}

// showActivity shows that something without measurable progress is running, until done is called.
func showActivity(o *output, what string) (done func()) {
	return cli.NewBar(o.Stderr, what, -1, time.Hour).Finish
}

// endOf returns when a deadline ends, the zero time if there is none.
func endOf(d *kge.Deadline) (end time.Time) {
	if d != nil {
		end = d.End
	}
	return end
}
