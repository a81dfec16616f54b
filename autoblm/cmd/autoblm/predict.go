package main

import (
	"cmp"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
)

type predictCommand struct {
	Model    string           `required:"" help:"The model's folder."`
	Head     string           `help:"Ask for the tails of this head."`
	Tail     string           `help:"Ask for the heads of this tail."`
	Relation string           `required:"" help:"The relation."`
	Top      int              `default:"10" help:"How many answers; 0 for all."`
	Known    kge.KnownAnswers `default:"mark" help:"What to do with answers that the graph already has: keep, drop or mark."`
	Dataset  string           `help:"The graph that tells which answers are known; the one that the model was trained on when left out."`
}

// predictSummary is the JSON of predict.
type predictSummary struct {
	Query   completion.Query `json:"query"`
	Answers []kge.Answer     `json:"answers"`
}

// Run answers a query.
func (c *predictCommand) Run(o *output) error {
	if (c.Head == "") == (c.Tail == "") {
		return usage(fmt.Errorf("give either --head or --tail, and the other is asked for"))
	}
	m, err := kge.Load(c.Model)
	if err != nil {
		return err
	}
	g, err := c.graph(m, o)
	if err != nil {
		return err
	}
	q := completion.Query{Head: c.Head, Relation: c.Relation, Tail: c.Tail}
	answers, err := completion.Predict(m, q, g, c.Top, c.Known)
	if err != nil {
		return err
	}
	return o.result(predictSummary{Query: q, Answers: answers}, func(w io.Writer) {
		ask := func(label string) string {
			if label == "" {
				return "?"
			}
			return label
		}
		fmt.Fprintf(w, "(%s, %s, %s)\n\n", ask(q.Head), q.Relation, ask(q.Tail))
		listAnswers(w, answers)
	})
}

func listAnswers(w io.Writer, answers []kge.Answer) {
	t := table{header: []string{"entity", "rank", "score", ""}}
	for _, a := range answers {
		note := ""
		if a.Known == kge.Yes {
			note = "known"
		}
		t.add(a.Entity, text(a.Rank), fmt.Sprintf("%.3f", a.Score), note)
	}
	t.print(w)
}

// graph opens what tells the known answers.
func (c *predictCommand) graph(m *kge.Model, o *output) (*datasets.Graph, error) {
	return knownFrom(c.Known, c.Dataset, o, func() (*datasets.Graph, error) {
		g, err := datasets.Open(cmp.Or(c.Dataset, m.Source, m.Dataset))
		if err == nil {
			_, err = completion.Align(m, g)
		}
		return g, err
	})
}

// knownFrom opens what tells the known answers. Without it, keep needs nothing, and
// mark does what it can.
func knownFrom[G any](known kge.KnownAnswers, dataset string, o *output, open func() (*G, error)) (*G, error) {
	if known == kge.KeepKnown {
		return nil, nil
	}
	g, err := open()
	if err == nil {
		return g, nil
	}
	if dataset == "" && known == kge.MarkKnown {
		o.say("autoblm: known answers are not marked: %s (name the graph with --dataset)", oneLine(err))
		return nil, nil
	}
	return nil, fmt.Errorf("cannot tell which answers are known: %w (name the graph with --dataset)", err)
}
