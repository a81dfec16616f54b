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
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type classifyEvalCommand struct {
	classifiedFlags
	Split string `default:"test" enum:"train,test" help:"train or test."`
	classifyBackend
}

// classifiedFlags say which models are asked, and of which graph.
type classifiedFlags struct {
	Model   []string `required:"" sep:"none" placeholder:"DIR" help:"The folder of a model, as classify train --out wrote it, or of a search. Given again, for others of the same graph, they classify together, by the mean of their probabilities."`
	Dataset string   `help:"Where the graph lies that the model was trained on; where it was then when left out."`
}

// load reads the models and opens the graph of the first.
func (f classifiedFlags) load(ctx context.Context, o *output) (classify.Ensemble, *rdf.Graph, error) {
	var ensemble classify.Ensemble
	for _, folder := range f.Model {
		m, err := loadClasses(folder)
		if err != nil {
			return nil, nil, err
		}
		ensemble = append(ensemble, m)
	}
	g, err := read(ctx, o, ensemble[0].Graph, f.Dataset)
	if err != nil {
		return nil, nil, fmt.Errorf("%w (name the graph that the model was trained on with --dataset)", err)
	}
	warn(o, g.Warnings())
	return ensemble, g, nil
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
	Dataset string `json:"dataset"`
	Task    string `json:"task"`
	*classifier
	Ensemble []classifier               `json:"ensemble,omitempty"` // in place of the one
	Seconds  float64                    `json:"seconds"`
	Train    *classify.Evaluation       `json:"train,omitempty"`
	Test     *classify.Evaluation       `json:"test,omitempty"`
	By       []classify.ClassEvaluation `json:"by"`
}

// classifier says of what kind a model is.
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

// Run classifies a split.
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
		return withDataset(err)
	}
	s := classifyEvalSummary{Dataset: g.Name, Task: classify.TaskName, Seconds: time.Since(began).Seconds(), By: by}
	who := fmt.Sprintf("%d models together", len(ensemble))
	if len(ensemble) == 1 {
		one := classifierOf(ensemble[0])
		s.classifier, who = &one, fmt.Sprintf("%s, d %d", encoderName(one.Encoder, one.Structure), one.Dim)
	} else {
		for _, m := range ensemble {
			s.Ensemble = append(s.Ensemble, classifierOf(m))
		}
	}
	*map[string]**classify.Evaluation{"train": &s.Train, "test": &s.Test}[c.Split] = &all
	return o.Result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s: %s %% of %s classified right, %.1f s\n\n",
			s.Dataset, who, percent(all.Accuracy), format.Count(all.Nodes, c.Split+" node"), s.Seconds)
		t := table.New("class", "nodes", "right, %")
		for _, e := range s.By {
			t.Add(e.Class, e.Nodes, percent(e.Accuracy))
		}
		t.Print(w)
	})
}
