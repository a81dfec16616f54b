package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/report"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/atomicfile"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/outfile"
)

type modelMapCommand struct {
	Model    string `required:"" placeholder:"DIR" help:"Folder of a model, of an ensemble, or of a search."`
	Dataset  string `placeholder:"NAME|DIR" brief:"Data that colour the entities." help:"Data that colour the entities. The default is the training data of the model."`
	Entities int    `default:"5000" min:"3" max:"50000" brief:"Most entities to show, evenly spaced." help:"Most entities to show; of more, evenly spaced ones are on the map."`
	Out      string `default:"map.html" placeholder:"FILE" help:"File of the page."`
}

// mapSummary is the JSON of model map.
type mapSummary struct {
	Entities int    `json:"entities"`
	Shown    int    `json:"shown"`
	Note     string `json:"note"`
	Out      string `json:"out"`
}

// Run writes the map of a model.
func (c *modelMapCommand) Run(ctx context.Context, o *output) error {
	p, err := load(c.Model)
	if err != nil {
		return err
	}
	m := p.Models()[0]
	if err := o.CheckFile(c.Out, outfile.Page); err != nil {
		return err
	}
	g, err := c.graph(ctx, m, o)
	if err != nil {
		return err
	}
	placed := completion.MapOf(p.Models(), g, c.Entities)
	hasColour := func(p task.Place) bool { return p.Group != "" }
	if g != nil && !slices.ContainsFunc(placed.Places, hasColour) {
		o.Message("autoblm: the map has no colours: no entity on it is in a training triple of %s; "+
			"name the graph of the model with --dataset", g.Name)
	}
	if err := c.write(m, placed); err != nil {
		return err
	}
	o.Saved("the map is %s", c.Out)
	s := mapSummary{len(m.EntityLabels), len(placed.Places), placed.Note, c.Out}
	return o.Result(s, func(io.Writer) {
		b := cli.Block{Title: []string{"map written"}}
		shown := format.Count(s.Shown, "entity")
		if s.Shown < s.Entities {
			shown += " of " + format.Int(s.Entities)
		}
		b.Add("shows", shown)
		b.Add("page", c.Out)
		o.Show(b)
	})
}

// graph opens the graph that colours the entities. The map has no colours if the training data of
// the model are not found.
func (c *modelMapCommand) graph(
	ctx context.Context, m *kge.Model, o *output,
) (*datasets.Graph, error) {
	source := cmp.Or(c.Dataset, dataOf(m))
	g, err := read(ctx, o, datasets.Open, source)
	if err != nil && c.Dataset == "" && ctx.Err() == nil {
		o.Message("autoblm: the map has no colours: %s (name the graph with --dataset)",
			format.OneLine(withHint(err)))
		return nil, nil
	}
	return g, err
}

// write writes the page.
func (c *modelMapCommand) write(m *kge.Model, placed *task.Map) error {
	facts := []string{
		m.Form.Title(m.Structure), "dimension " + format.Int(m.Dim),
		format.Count(len(m.EntityLabels), "entity"),
	}
	title := "Map of " + cmp.Or(m.Dataset, filepath.Base(c.Model))
	page := report.NewMap(title, facts, placed)
	err := atomicfile.Create(c.Out, func(w io.Writer) error { return page.Write(w, "") })
	if err != nil {
		return fmt.Errorf("cannot write %s: %w", c.Out, err)
	}
	return nil
}
