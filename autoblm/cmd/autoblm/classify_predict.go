package main

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

type classifyPredictCommand struct {
	classifierFlags
	Node  string `placeholder:"NODE" brief:"Node as in the graph." help:"Node as in the graph, labelled or not. Angle brackets are optional."`
	Nodes string `placeholder:"FILE" brief:"Classify each node of this file." help:"Classify the nodes of a file, one per line."`
	Top   int    `default:"10" min:"0" max:"1000000000" brief:"Number of classes; 0 lists all." help:"Number of classes; 0 lists all. Of the nodes of a file, the text shows the best class."`
	classifyBackend
}

func (c *classifyPredictCommand) Run(ctx context.Context, o *output) error {
	if (c.Node == "") == (c.Nodes == "") {
		return cli.Usage(errors.New("name a node with --node, or a file of nodes with --nodes"))
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	ensemble, g, err := c.load(ctx, o)
	if err != nil {
		return err
	}
	if c.Nodes == "" {
		p, err := ensemble.Predict(ctx, engine, g, c.Node, c.Top)
		if err != nil {
			return withDatasetHint(err)
		}
		return o.Result(p, func(w io.Writer) { printPrediction(w, p) })
	}
	nodes, err := c.known(o, g)
	if err != nil {
		return fmt.Errorf("--nodes: %w", err)
	}
	all, err := ensemble.PredictAll(ctx, engine, g, nodes, c.Top)
	if err != nil {
		return withDatasetHint(err)
	}
	predictions := struct {
		Predictions []classify.Prediction `json:"predictions"`
	}{all}
	return o.Result(predictions, func(w io.Writer) { printPredictions(w, all) })
}

// known returns the nodes of the file that the graph has, with messages for the others.
func (c *classifyPredictCommand) known(o *output, g *rdf.Graph) (nodes []string, err error) {
	all, skipped := 0, 0
	err = eachLabel(c.Nodes, func(line int, node string) {
		all++
		err := classify.CheckNode(g, node)
		if err == nil {
			nodes = append(nodes, node)
		} else if skipped++; skipped <= 3 || o.Verbose {
			o.Message("autoblm: %s:%d is skipped: %v", c.Nodes, line, err)
		}
	})
	switch {
	case err != nil:
		return nil, err
	case len(nodes) == 0:
		return nil, fmt.Errorf("%s has no node of %s", c.Nodes, g.Name)
	case skipped > 0:
		o.Message("autoblm: %d of %s skipped", skipped, format.Count(all, "node"))
	}
	return nodes, nil
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

// printPredictions prints the best class of each node.
func printPredictions(w io.Writer, all []classify.Prediction) {
	t := table.New("node", "class", "probability", "label")
	for _, p := range all {
		label := ""
		if p.Label != nil {
			label = *p.Label
		}
		t.Add(p.Node, p.Answers[0].Class, p.Answers[0].Probability, label)
	}
	t.Print(w)
}
