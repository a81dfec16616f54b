package main

import (
	"context"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type classifyPredictCommand struct {
	classifierFlags
	Node string `required:"" placeholder:"NODE" brief:"Node as in the graph." help:"Node as in the graph, labelled or not. Angle brackets are optional."`
	Top  int    `default:"10" min:"0" max:"1000000000" brief:"Number of classes; 0 lists all." help:"Number of classes; 0 lists all."`
	classifyBackend
}

func (c *classifyPredictCommand) Run(ctx context.Context, o *output) error {
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	ensemble, g, err := c.load(ctx, o)
	if err != nil {
		return err
	}
	p, err := ensemble.Predict(ctx, engine, g, c.Node, c.Top)
	if err != nil {
		return withDatasetHint(err)
	}
	return o.Result(p, func(w io.Writer) { printPrediction(w, p) })
}

func printPrediction(w io.Writer, p classify.Prediction) {
	note := "no label"
	if p.Label != nil {
		note = fmt.Sprintf("%s node, label %s", p.Split, format.Escape(*p.Label))
	}
	fmt.Fprintf(w, "%s: %s\n\n", format.Escape(p.Node), note)
	t := table.New("class", "rank", "probability", "")
	for _, a := range p.Answers {
		mark := ""
		if p.Label != nil && a.Class == *p.Label {
			mark = "label"
		}
		t.Add(a.Class, a.Rank, a.Probability, mark)
	}
	t.Print(w)
}
