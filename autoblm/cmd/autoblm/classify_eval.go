package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type classifyEvalCommand struct {
	classifierFlags
	Split string `default:"test" enum:"train,test" brief:"train or test." help:"train or test."`
	classifyBackend
}

// classifyEvalSummary is the JSON of classify eval. Only the classified split is set.
type classifyEvalSummary struct {
	Dataset string `json:"dataset"`
	Task    string `json:"task"`
	*classifier
	Ensemble []classifier               `json:"ensemble,omitempty"` // instead of one classifier
	Seconds  float64                    `json:"seconds"`
	Train    *classify.Evaluation       `json:"train,omitempty"`
	Test     *classify.Evaluation       `json:"test,omitempty"`
	By       []classify.ClassEvaluation `json:"by"`
}

// classifier describes a model.
type classifier struct {
	Encoder   classify.Encoder     `json:"encoder"`
	Structure *structure.Structure `json:"structure"`
	Dim       int                  `json:"dim"`
}

func classifierOf(m *classify.Model) classifier {
	c := classifier{Encoder: m.Settings.Encoder, Dim: m.Settings.Dim}
	if c.Encoder == classify.BLM {
		c.Structure = &m.Member.Structure
	}
	return c
}

func (c *classifyEvalCommand) Run(ctx context.Context, o *output) error {
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	ensemble, g, err := c.load(ctx, o)
	if err != nil {
		return err
	}
	began := time.Now()
	all, by, err := ensemble.Evaluate(ctx, engine, g, c.Split)
	if err != nil {
		return withDatasetHint(err)
	}
	s := classifyEvalSummary{
		Dataset: g.Name, Task: classify.TaskName, Seconds: time.Since(began).Seconds(), By: by,
	}
	if c.Split == "train" {
		s.Train = &all
	} else {
		s.Test = &all
	}
	model := fmt.Sprintf("an ensemble of %d models", len(ensemble))
	if len(ensemble) == 1 {
		one := classifierOf(ensemble[0])
		s.classifier = &one
		model = fmt.Sprintf("%s, d %d", encoderName(one.Encoder, one.Structure), one.Dim)
	} else {
		for _, m := range ensemble {
			s.Ensemble = append(s.Ensemble, classifierOf(m))
		}
	}
	return o.Result(s, func(w io.Writer) {
		b := cli.Block{Title: []string{"classified " + c.Split, s.Dataset, model,
			format.Count(all.Nodes, "node"), format.Brief(s.Seconds)}}
		b.Add(c.Split, "accuracy "+format.Cell(all.Accuracy))
		o.Show(b)
		t := table.New("class", "nodes", "accuracy")
		for _, e := range s.By {
			t.Add(e.Class, e.Nodes, e.Accuracy)
		}
		fmt.Fprintln(w)
		t.Print(w)
		if len(c.Model) == 1 {
			o.Show(cli.Block{Next: []string{nextNode(c.Model[0], g)}})
		}
	})
}
