package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/words"
)

type classifyEvalCommand struct {
	classifiedFlags
	Split string `default:"test" enum:"train,test" help:"train or test."`
	classifyBackend
}

// classifiedFlags say which model is asked, and of which graph.
type classifiedFlags struct {
	Model   string `required:"" help:"The folder of a model, as classify train --out wrote it, or of a search."`
	Dataset string `help:"Where the graph lies that the model was trained on; where it was then when left out."`
}

// load reads the model and opens its graph.
func (f classifiedFlags) load(ctx context.Context, o *output) (*classify.Model, *rdf.Graph, error) {
	m, err := loadClasses(f.Model)
	if err != nil {
		return nil, nil, err
	}
	g, err := read(ctx, o, m.Graph, f.Dataset)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (name the graph that the model was trained on with --dataset)", err)
	}
	warn(o, g.Warnings())
	return m, g, nil
}

// withDataset adds what helps where the graph is another one.
func withDataset(err error) error {
	if errors.Is(err, classify.ErrOtherGraph) {
		return fmt.Errorf("%w: name that one with --dataset", err)
	}
	return err
}

// classifyEvalSummary is the JSON of classify eval, save for its split.
type classifyEvalSummary struct {
	Dataset   string                     `json:"dataset"`
	Task      string                     `json:"task"`
	Encoder   classify.Encoder           `json:"encoder"`
	Structure *structure.Structure       `json:"structure"`
	Dim       int                        `json:"dim"`
	Seconds   float64                    `json:"seconds"`
	Train     *classify.Evaluation       `json:"train,omitempty"`
	Test      *classify.Evaluation       `json:"test,omitempty"`
	By        []classify.ClassEvaluation `json:"by"`
}

// Run classifies a split.
func (c *classifyEvalCommand) Run(ctx context.Context, o *output) error {
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	m, g, err := c.load(ctx, o)
	if err != nil {
		return err
	}
	began := time.Now()
	all, by, err := m.Evaluate(ctx, engine, g, c.Split)
	if err != nil {
		return withDataset(err)
	}
	s := classifyEvalSummary{Dataset: g.Name, Task: classify.TaskName, Encoder: m.Settings.Encoder, Dim: m.Settings.Dim, Seconds: time.Since(began).Seconds(), By: by}
	if s.Encoder == classify.BLM {
		s.Structure = &m.Member.Structure
	}
	*map[string]**classify.Evaluation{"train": &s.Train, "test": &s.Test}[c.Split] = &all
	return o.Result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s, d %d: %s %% of %s classified right, %.1f s\n\n",
			s.Dataset, encoderName(s.Encoder, s.Structure), s.Dim, percent(all.Accuracy), words.Count(all.Nodes, c.Split+" node"), s.Seconds)
		t := words.NewTable("class", "nodes", "right, %")
		for _, e := range s.By {
			t.Add(e.Class, e.Nodes, percent(e.Accuracy))
		}
		t.Print(w)
	})
}
