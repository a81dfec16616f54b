package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/kge/exchange"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

type modelImportCommand struct {
	File      string `arg:"" brief:"Model of the other library." help:"File of the model, or the folder of PyKEEN's save_to_directory. Nothing in it is executed."`
	From      string `required:"" placeholder:"LIBRARY" enum:"pykeen,libkge" help:"Library that wrote it: pykeen or libkge."`
	Dataset   string `placeholder:"DIR" brief:"Folder with the labels of its ids." help:"Folder with the labels: training_triples of PyKEEN, or the data of LibKGE. The default is where the library writes them."`
	Structure string `placeholder:"NAME" brief:"complex or distmult, if the file does not say it." help:"complex or distmult. Needed for a state_dict, which does not say its model."`
	Out       string `required:"" placeholder:"DIR" help:"Folder for the model."`
}

// importSummary is the JSON of model import.
type importSummary struct {
	From       string `json:"from"`
	Structure  string `json:"structure"`
	Entities   int    `json:"entities"`
	Relations  int    `json:"relations"`
	Dim        int    `json:"dim"`
	Reciprocal bool   `json:"reciprocal"`
	Out        string `json:"out"`
}

// Run imports a model.
func (c *modelImportCommand) Run(o *output) error {
	if err := checkFree(c.Out, "the model"); err != nil {
		return err
	}
	m, err := exchange.Import(exchange.ImportOptions{
		File: c.File, From: c.From, Dataset: c.Dataset, Structure: c.Structure,
	})
	if err != nil {
		return err
	}
	if err := m.Save(c.Out); err != nil {
		return err
	}
	o.Saved("the model is in %s", c.Out)
	s := importSummary{
		c.From, m.Structure.Title(), len(m.EntityLabels), len(m.RelationLabels), m.Dim, m.Reciprocal,
		c.Out,
	}
	return o.Result(s, func(io.Writer) {
		b := cli.Block{Title: []string{"imported", s.Structure, s.From}}
		b.Add("size", fmt.Sprintf("%s and %s, dimension %s", format.Count(s.Entities, "entity"),
			format.Count(s.Relations, "relation"), format.Int(s.Dim)))
		b.Add("model", s.Out)
		b.Next = []string{
			shellCommand([]string{"model", "neighbors", m.EntityLabels[0], "--model", s.Out}),
			shellCommand([]string{"eval", "--model", s.Out}) + " --dataset DIR",
		}
		o.Show(b)
	})
}
