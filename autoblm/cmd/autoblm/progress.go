package main

import (
	"fmt"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/program"
	"github.com/autoblm/autoblm-go/internal/words"
)

// longBar warns of what is going to take long, where nobody has said how long it may.
type longBar struct {
	*program.Bar
	o      *output
	warned bool
}

// warn does so once, as soon as it can be told.
func (b *longBar) warn() {
	if left, known := b.Left(); known && left > time.Hour && !b.warned {
		b.warned = true
		b.Aside(func() {
			b.o.Say("autoblm: about %s at this pace; --minutes 60 ends in time with the best so far", words.Duration(left))
		})
	}
}

// trainingBar shows the epochs and the steps of a training.
type trainingBar struct {
	longBar
	loss string // of the last epoch
}

// barUnits are those of a bar that shows shares.
const barUnits = 10_000

// newTrainingBar is the bar of a training that is to end within so many minutes, 0 for any.
func newTrainingBar(o *output, minutes float64) *trainingBar {
	return &trainingBar{longBar: longBar{program.NewBar(o.Stderr, "training", barUnits, time.Hour), o, minutes > 0}}
}

func (b *trainingBar) update(p kge.Progress) {
	line := fmt.Sprintf("epoch %d of %d", p.Epoch, p.Epochs)
	switch {
	case p.Loss != nil:
		b.loss = fmt.Sprintf(", loss %.3f", p.Loss[0])
	case p.Validating:
		line += ", validating"
	default:
		line += fmt.Sprintf(", step %s of %s", words.Whole(p.Step), words.Whole(p.Steps))
	}
	b.Say(line + b.loss)
	b.Set(int64(p.Share()*barUnits), 0)
	b.warn()
}

// searchBar shows the structures trained, the best MRR or accuracy so far and the
// time left; in a log it is a line for each round.
type searchBar struct{ longBar }

// newSearchBar is the bar of a search that is to end within so many minutes, 0 for any.
func newSearchBar(o *output, minutes float64) *searchBar {
	return &searchBar{longBar{program.NewBar(o.Stderr, "training", barUnits, 0), o, minutes > 0}}
}

func (b *searchBar) update(p search.Progress) { b.about("", p) }

// about names what is being done before saying how far it is.
func (b *searchBar) about(what string, p search.Progress) {
	line := fmt.Sprintf("%d of %d structures", p.Trained, p.Budget)
	switch {
	case p.Stage == task.Teamed:
		line = "choosing a team"
	case p.Budget == 0:
		line = fmt.Sprintf("%d %%", int(p.Share*10)*10) // a log is not helped by a hundred lines
	case p.Named:
		line = "the named models"
	case p.Stage == task.Again:
		line = fmt.Sprintf("other seeds, %d of %d trainings", p.Trained, p.Budget)
	case p.Stage != task.Searching:
		line = fmt.Sprintf("%s, %d of %d recipes", p.Stage, p.Trained, p.Budget)
	}
	if p.Best != nil {
		line += fmt.Sprintf(", best %s %.3f", p.Metric, p.Best.ScoreOrZero())
	}
	if what != "" {
		line = what + ": " + line
	}
	b.Say(line)
	b.Set(int64(p.Share*barUnits), 0)
	b.warn()
}

// ranking has a ranking that is to be over by the deadline, if there is one, shown.
func ranking(o *output, d *kge.Deadline) (how kge.Ranking, over func()) {
	bar := program.NewBar(o.Stderr, "ranking", barUnits, time.Hour)
	how.OnProgress = func(share float64) { bar.Set(int64(share*barUnits), 0) }
	if d != nil {
		how.End = d.End
	}
	return how, bar.Finish
}
