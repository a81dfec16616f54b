package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type modelNeighborsCommand struct {
	Of        string `arg:"" name:"entity" help:"Entity, or a relation with --relations."`
	Model     string `required:"" placeholder:"DIR" help:"Folder of a model, of an ensemble, or of a search."`
	Relations bool   `help:"Compare relations."`
	Top       int    `default:"10" min:"0" max:"1000000000" help:"Number of neighbours; 0 lists all."`
}

// neighborsResult is the JSON of model neighbors.
type neighborsResult struct {
	Of        string                `json:"of"`
	Neighbors []completion.Neighbor `json:"neighbors"`
}

// Run lists the neighbours of an entity or a relation.
func (c *modelNeighborsCommand) Run(o *output) error {
	p, err := load(c.Model)
	if err != nil {
		return err
	}
	find, title := completion.Neighbors, "entity"
	if c.Relations {
		find, title = completion.RelationNeighbors, "relation"
	}
	s := neighborsResult{Of: c.Of}
	if s.Neighbors, err = find(p.Models(), c.Of, c.Top); err != nil {
		return err
	}
	return o.Result(s, func(w io.Writer) {
		fmt.Fprintf(w, "neighbours of %s\n\n", format.Escape(c.Of))
		t := table.New(title, "cosine")
		for _, n := range s.Neighbors {
			t.Add(n.Label, fmt.Sprintf("%.3f", n.Similarity))
		}
		t.Print(w)
	})
}
