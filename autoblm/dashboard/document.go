package dashboard

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/search/study"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/internal/format"
)

// document is the page of a study and its data as JSON.
type document struct {
	page    *report.Page
	data    []byte
	version string
	pending string // the revision whose measures are not there yet, or ""
}

// write returns the page as HTML. It listens at an address for newer data.
func (d document) write(events string) ([]byte, error) {
	var page bytes.Buffer
	err := d.page.Write(&page, events+"?version="+d.version)
	return page.Bytes(), err
}

// measured holds what needs the graph of a study: predictions, metrics per relation, the map.
type measured struct {
	revision     string
	presentation task.Presentation
	measures     *task.Measures
	missing      string // why there are none
}

// document returns the page of a study as it is now, or the last one when ctx ends.
func (c *catalog) document(ctx context.Context, e *entry) (document, error) {
	d, err := e.page.get(ctx, c.slots, e.path, func(revision string) (document, error) {
		contents, err := study.Peek(e.path)
		if err != nil {
			return document{}, err
		}
		if f := contents.About.Settings.Model; f != form.Bilinear {
			return document{}, fmt.Errorf("the study has recipes of %v, %w: use autoblm study show %s",
				f, errNoPage, e.path)
		}
		var made document
		d := c.Data(e.path, contents)
		if c.Measure != nil && d.Best != nil {
			if m := e.measuresOf(revision); m != nil {
				d.Presentation, d.Measures, d.NoData = m.presentation, m.measures, m.missing
			} else {
				made.pending = revision
			}
		}
		made.page = report.NewPage(d)
		if made.pending != "" {
			made.page.Closing = append(made.page.Closing,
				"What needs the graph, such as predictions, is added when no search runs.")
		}
		made.data, err = json.Marshal(made.page)
		made.version = versionOf(made.data)
		return made, err
	})
	if d.pending != "" && !c.searching(ctx) && e.measuring.CompareAndSwap(false, true) {
		if e.measuresOf(d.pending) != nil { // they came after the page was made
			e.measuring.Store(false)
		} else {
			go c.measure(e, d.pending)
		}
	}
	return d, err
}

// measuresOf returns the measures of a revision, nil if they are not there yet.
func (e *entry) measuresOf(revision string) *measured {
	if m := e.measured.Load(); m != nil && m.revision == revision {
		return m
	}
	return nil
}

// searching reports whether a search runs, which needs the processor.
func (c *catalog) searching(ctx context.Context) bool {
	rows, _ := c.rows(ctx)
	return slices.ContainsFunc(rows, func(r row) bool { return r.Status == study.Running })
}

// measure computes the measures of a study, one study at a time.
func (c *catalog) measure(e *entry, revision string) {
	ctx := c.ctx
	defer e.measuring.Store(false)
	c.turn.Lock()
	defer c.turn.Unlock()
	d, err := guarded(func() (d report.Data, err error) {
		contents, err := study.Read(e.path)
		if err != nil {
			return d, err
		}
		d = c.Data(e.path, contents)
		err = c.Measure(ctx, e.path, &d)
		return d, err
	})
	if _, isHeld := errors.AsType[*study.InUseError](err); isHeld || ctx.Err() != nil {
		return // the next request tries again
	}
	m := measured{revision, d.Presentation, d.Measures, d.NoData}
	if err != nil {
		m.missing = format.OneLine(err) + "."
	}
	e.measured.Store(&m)
	e.page.forget()
}
