package dashboard

import (
	"errors"
	"os"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// state is the state of a study.
type state string

const (
	running     state = "running"
	finished    state = "finished"
	interrupted state = "interrupted"
	unreadable  state = "unreadable"
)

// row is the JSON of a study in the list. Only the first fields are set for an unreadable study.
type row struct {
	ID    string `json:"id"`
	Name  string `json:"name"`
	State state  `json:"state"`
	Error string `json:"error,omitempty"`
	// Changed is the time of the last change, in seconds since 1970.
	Changed int64  `json:"changed"`
	Graph   string `json:"graph"`
	Task    string `json:"task"`
	// Trained is the number of trained structures, of Budget in total. Trials counts those of
	// all stages.
	Trained int    `json:"trained"`
	Budget  int    `json:"budget"`
	Trials  int    `json:"trials"`
	Metric  string `json:"metric"`
	// Best is the validation score of the kept model, and Test its test score.
	Best *float64 `json:"best"`
	Test *float64 `json:"test"`
	Kept string   `json:"kept"`
}

// rows returns the list of studies.
func (c *catalog) rows() ([]row, error) {
	entries, err := c.all()
	rows := []row{}
	for _, e := range entries {
		rows = append(rows, c.rowOf(e))
	}
	return rows, err
}

func (c *catalog) rowOf(e *entry) row {
	r, err := e.row.get(e.path, func(string) (row, error) {
		contents, err := study.Peek(e.path)
		if err != nil {
			return row{}, err
		}
		return c.describe(contents, e.path), nil
	})
	r.ID, r.Name = e.id, e.name
	if info, err := os.Stat(e.path); err == nil {
		r.Changed = info.ModTime().Unix()
	}
	_, busy := errors.AsType[*study.InUseError](err)
	switch {
	case busy:
		r.State = running
	case err != nil:
		r = row{ID: r.ID, Name: r.Name, Changed: r.Changed}
		r.State, r.Error = unreadable, format.OneLine(err)
	}
	return r
}

func (c *catalog) describe(contents *study.Contents, path string) row {
	about, result := contents.About, contents.Result()
	r := row{
		State: stateOf(contents), Graph: about.Dataset, Task: about.Task,
		Trained: result.Trained, Budget: about.Settings.Budget, Trials: len(contents.Trials),
		Metric: c.Data(path, contents).Presentation.Metric,
	}
	if kept := result.Kept; kept != nil {
		r.Best, r.Test, r.Kept = kept.Score, kept.TestScore, titleOf(*kept)
	}
	return r
}

func stateOf(c *study.Contents) state {
	switch {
	case c.InUse != nil:
		return running
	case c.Status() == study.Finished:
		return finished
	}
	return interrupted
}

// titleOf names the model of a trial.
func titleOf(t task.Trial) string {
	switch {
	case t.Ensemble != nil:
		return "ensemble of " + format.Count(len(t.Ensemble.Members), "model")
	case t.Form != form.Bilinear:
		return t.Form.String()
	}
	return t.Structure.Title()
}
