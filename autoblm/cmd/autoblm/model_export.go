package main

import (
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/exchange"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/labels"
)

type modelExportCommand struct {
	Model  string `required:"" placeholder:"DIR" help:"Folder of a model, of an ensemble, or of a search."`
	Member int    `min:"1" max:"1024" placeholder:"N" brief:"Member of an ensemble, from 1 on." help:"Member of an ensemble, from 1 on in the order of its selection."`
	Format string `required:"" placeholder:"FORMAT" enum:"tsv,word2vec,parquet,safetensors,npy" help:"tsv, word2vec, parquet, safetensors or npy."`
	Out    string `required:"" placeholder:"DIR" help:"Folder for the files."`
}

// exportSummary is the JSON of model export.
type exportSummary struct {
	Format    string   `json:"format"`
	Entities  int      `json:"entities"`
	Relations int      `json:"relations"`
	Dim       int      `json:"dim"`
	Files     []string `json:"files"`
	// Changed is the number of labels that lost white space.
	Changed int `json:"changed_labels"`
}

// Run writes the embeddings of a model.
func (c *modelExportCommand) Run(o *output) error {
	m, err := oneModel(c.Model, c.Member)
	if err != nil {
		return err
	}
	if err := checkFree(c.Out, "the embeddings"); err != nil {
		return err
	}
	s := exportSummary{
		Format: c.Format, Entities: len(m.EntityLabels), Relations: len(m.RelationLabels), Dim: m.Dim,
	}
	if s.Files, err = exchange.Export(m, exchange.Format(c.Format), c.Out); err != nil {
		return err
	}
	if c.Format == string(exchange.Word2Vec) {
		for _, list := range [][]string{m.EntityLabels, m.RelationLabels} {
			for _, label := range list {
				if labels.Word(label) != label {
					s.Changed++
				}
			}
		}
	}
	o.Saved("the embeddings are in %s", c.Out)
	return o.Result(s, func(io.Writer) {
		b := cli.Block{Title: []string{"embeddings written", c.Format}}
		b.Add("size", fmt.Sprintf("%s and %s, dimension %s", format.Count(s.Entities, "entity"),
			format.Count(s.Relations, "relation"), format.Int(s.Dim)))
		label := "files"
		for _, file := range s.Files {
			b.Add(label, file)
			label = ""
		}
		if m.Reciprocal {
			b.Note("The reverse of a relation has its label and _reverse.")
		}
		if s.Changed > 0 {
			b.Note(fmt.Sprintf("In %s, _ replaces white space, which word2vec cannot have in a word.",
				format.Count(s.Changed, "label")))
		}
		o.Show(b)
	})
}

// oneModel reads a model, or a member of an ensemble, from 1 on.
func oneModel(path string, member int) (*kge.Model, error) {
	p, err := load(path)
	if err != nil {
		return nil, err
	}
	models := p.Models()
	switch {
	case member == 0 && len(models) > 1:
		return nil, cli.Usage(fmt.Errorf("%s is an ensemble of %s: choose one with --member", path,
			format.Count(len(models), "model")))
	case member > len(models):
		return nil, cli.Usage(fmt.Errorf("--member is %d, but %s has %s", member, path,
			format.Count(len(models), "model")))
	}
	return models[max(0, member-1)], nil
}
