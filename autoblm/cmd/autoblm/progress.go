package main

import (
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/program"
)

// trainingBar shows the epochs of a training.
type trainingBar struct{ *program.Bar }

func newTrainingBar(w io.Writer, epochs int) trainingBar {
	return trainingBar{program.NewBar(w, int64(epochs), 30*time.Second)}
}

func (b trainingBar) update(p kge.Progress) {
	b.Say(fmt.Sprintf("epoch %d of %d, loss %.3f", p.Epoch, p.Epochs, p.Loss[0]))
	b.Set(int64(p.Epoch), 0)
}

// searchBar shows the structures trained, the best MRR or accuracy so far and the
// time left; in a log it is a line for each round.
type searchBar struct{ *program.Bar }

const searchBarUnits = 1000

func newSearchBar(w io.Writer) searchBar { return searchBar{program.NewBar(w, searchBarUnits, 0)} }

func (b searchBar) update(p search.Progress) { b.about("", p) }

// about names what is being done before saying how far it is.
func (b searchBar) about(what string, p search.Progress) {
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
	b.Set(int64(p.Share*searchBarUnits), 0)
}
