package dashboard

import (
	"context"
	"errors"
	"os"
	"sync"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
)

// row is the JSON of a study in the list. One that cannot be read now has no summary.
type row struct {
	ID   string `json:"id"`
	Name string `json:"name"`
	// Changed is the time of the last change, in seconds since 1970.
	Changed int64 `json:"changed"`
	// NoPage is true for a study that has no page, because its models are not bilinear.
	NoPage bool `json:"no_page,omitempty"`
	study.State
	*report.Summary
}

const (
	// reading is the status of a study whose first read lasts.
	reading study.Status = "reading"
	// patience is the time after which a list shows what is known of a slow study.
	patience = 500 * time.Millisecond
)

// rows returns the list of studies. They are read side by side, so that none waits for a slow one.
func (c *catalog) rows(ctx context.Context) ([]row, error) {
	entries, err := c.all()
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	rows := make([]row, len(entries))
	var all sync.WaitGroup
	for i, e := range entries {
		all.Go(func() { rows[i] = c.rowOf(ctx, e) })
	}
	all.Wait()
	return rows, err
}

func (c *catalog) rowOf(ctx context.Context, e *entry) row {
	r, err := e.row.get(ctx, c.slots, e.path, func(string) (row, error) {
		contents, err := study.Peek(e.path)
		if err != nil {
			return row{}, err
		}
		return row{
			State: contents.State(), Summary: c.Data(e.path, contents).Summary(),
			NoPage: contents.About.Settings.Model != form.Bilinear,
		}, nil
	})
	switch {
	case errors.Is(err, errSlow):
		r.State = study.State{Status: reading, Note: errSlow.Error()}
	case err != nil:
		r = row{State: study.StateOf(err)}
	}
	r.ID, r.Name = e.id, e.name
	if info, err := os.Stat(e.path); err == nil {
		r.Changed = info.ModTime().Unix()
	}
	return r
}
