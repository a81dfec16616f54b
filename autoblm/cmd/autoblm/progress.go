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

// longBar warns of what is going to take long, where nobody has said how long it may.
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

// warn does so once, as soon as it can be told.
func (b *longBar) warn() {
	if left, known := b.Remaining(); known && left > time.Hour && !b.warned {
		b.warned = true
		b.PrintAbove(func() {
			b.o.Message("autoblm: about %s at this pace; --minutes 60 ends in time with the best so far", format.Duration(left))
		})
	}
}

// trainingBar shows the epochs and the steps of a training.
type trainingBar struct {
	longBar
	loss string // of the last epoch
}

// barUnits are those of a bar that shows shares.
const barUnits = 1_000_000_000

// newTrainingBar is the bar of a training that is to be over by then; zero for any time.
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

// searchBar shows the structures trained, the best MRR or accuracy so far and the
// time left; in a log it is a line for each round, or now and then.
type searchBar struct{ longBar }

// newSearchBar is the bar of a search that is to be over by then; zero for any time. By a plan
// rounds are many.
func newSearchBar(o *output, end time.Time) *searchBar {
	every := time.Duration(0)
	if !end.IsZero() {
		every = 5 * time.Second
	}
	return &searchBar{newLongBar(o, barUnits, every, end)}
}

func (b *searchBar) update(p search.Progress) { b.about("", p) }

// about names what is being done before saying how far it is.
func (b *searchBar) about(what string, p search.Progress) {
	line := fmt.Sprintf("%d of %d structures", p.Trained, p.Budget)
	switch {
	case p.Stage == task.EnsembleSelection:
		line = "choosing an ensemble"
	case p.Budget == 0:
		line = fmt.Sprintf("%d %%", int(p.Share*10)*10) // a log is not helped by a hundred lines
	case p.Baselines:
		line = "the named models"
	case p.Stage == task.Retraining:
		line = fmt.Sprintf("other seeds, %s", format.Count(p.Trained, "training")) // how many more is not known
	case p.Stage == task.Resplit:
		line = fmt.Sprintf("other splits, %s", format.Count(p.Trained, "training"))
	case p.Stage == task.Sizing:
		line = "larger dimensions"
	case p.Stage != task.Searching:
		line = fmt.Sprintf("%s, %d of %d recipes", p.Stage, p.Trained, p.Budget)
	}
	if p.Best != nil {
		line += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	if what != "" {
		line = what + ": " + line
	}
	b.Describe(line)
	b.Set(int64(p.Share*barUnits), 0)
	b.warn()
}

// ranking has a ranking that is to be over by the deadline, if there is one, shown.
func ranking(o *output, d *kge.Deadline) (how eval.Options, over func()) {
	bar := cli.NewBar(o.Stderr, "ranking", barUnits, time.Hour)
	how.OnProgress = func(share float64) { bar.Set(int64(share*barUnits), 0) }
	how.End = endBy(d)
	bar.SetDeadline(how.End)
	return how, bar.Finish
}

// showing has something that tells nothing of itself shown, until it is over.
func showing(o *output, what string) (over func()) {
	return cli.NewBar(o.Stderr, what, -1, time.Hour).Finish
}
