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

// longBar is a progress bar that warns of a long run, unless the run has a deadline.
type longBar struct {
	*cli.Bar
	o      *output
	warned bool
}

func newLongBar(o *output, total int64, every time.Duration, end time.Time) longBar {
	b := longBar{cli.NewBar(o.Stderr, "training", total, every), o, !end.IsZero()}
	b.SetDeadline(end)
	return b
}

// warn prints the warning once, as soon as the remaining time is known.
func (b *longBar) warn() {
	if left, known := b.Remaining(); known && left > time.Hour && !b.warned {
		b.warned = true
		b.PrintAbove(func() {
			b.o.Message("autoblm: about %s left at this pace; --minutes 60 sets a deadline",
				format.Duration(left))
		})
	}
}

// trainingBar shows the epochs and steps of a training.
type trainingBar struct {
	longBar
	loss string // of the last epoch
}

// barUnits is the total of a bar that shows a fraction.
const barUnits = 1_000_000_000

// newTrainingBar returns the bar of a training with a deadline, zero for none.
func newTrainingBar(o *output, end time.Time) *trainingBar {
	return &trainingBar{longBar: newLongBar(o, barUnits, time.Hour, end)}
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
		line += fmt.Sprintf(", best valid MRR %.4f after %d", p.Best.MRR, p.Best.Epoch)
	}
	b.Describe(line)
	b.Set(int64(p.Share()*barUnits), 0)
	b.warn()
}

// searchBar shows the trained structures, the best score and the remaining time. In a log it
// prints one line per round.
type searchBar struct{ longBar }

// newSearchBar returns the bar of a search with a deadline, zero for none. A search with a
// deadline has many rounds, so a log has fewer lines than rounds.
func newSearchBar(o *output, end time.Time) *searchBar {
	every := time.Duration(0)
	if !end.IsZero() {
		every = 5 * time.Second
	}
	return &searchBar{newLongBar(o, barUnits, every, end)}
}

func (b *searchBar) update(p search.Progress) { b.updatePart("", p) }

// updatePart shows the progress of one search of several.
func (b *searchBar) updatePart(part string, p search.Progress) {
	line := stageProgress(p)
	if p.Best != nil {
		line += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	if part != "" {
		line = part + ": " + line
	}
	b.Describe(line)
	b.Set(int64(p.Share*barUnits), 0)
	b.warn()
}

func stageProgress(p search.Progress) string {
	switch {
	case p.Stage == task.EnsembleSelection:
		return "selecting an ensemble"
	case p.Budget == 0:
		return fmt.Sprintf("%d %%", int(p.Share*10)*10) // in tens: a log needs no hundred lines
	case p.Baselines:
		return "baselines"
	case p.Stage == task.Retraining: // their number is unknown
		return fmt.Sprintf("retraining, %s", format.Count(p.Trained, "training"))
	case p.Stage == task.Resplit:
		return fmt.Sprintf("other splits, %s", format.Count(p.Trained, "training"))
	case p.Stage == task.Sizing:
		return "larger dimensions"
	case p.Stage != task.Searching:
		return fmt.Sprintf("%s, %d of %d recipes", p.Stage, p.Trained, p.Budget)
	}
	return fmt.Sprintf("%d of %d structures", p.Trained, p.Budget)
}

// showRanking returns the settings of a ranking that shows its progress and ends by the deadline,
// if there is one. Call done after the ranking.
func showRanking(o *output, d *kge.Deadline) (how eval.Options, done func()) {
	bar := cli.NewBar(o.Stderr, "ranking", barUnits, time.Hour)
	how.OnProgress = func(share float64) { bar.Set(int64(share*barUnits), 0) }
	how.End = endOf(d)
	bar.SetDeadline(how.End)
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
