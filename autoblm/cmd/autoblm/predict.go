package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/table"
)

// predictFlags select a model and its answers.
type predictFlags struct {
	Model   string            `required:"" placeholder:"DIR" help:"Folder of a model, of an ensemble, or of a search."`
	Top     int               `default:"10" min:"0" max:"1000000000" help:"Number of answers; 0 lists all."`
	Known   eval.KnownAnswers `default:"mark" help:"What to do with answers in the data: keep, drop or mark."`
	Dataset string            `placeholder:"NAME|DIR" help:"Data with the known answers. The default is the training data of the model."`
}

type predictCommand struct {
	predictFlags
	Head     string `placeholder:"ENTITY" help:"Head whose tails to predict."`
	Tail     string `placeholder:"ENTITY" help:"Tail whose heads to predict."`
	Relation string `required:"" placeholder:"RELATION" help:"Relation."`
}

// answers is the JSON of predict and query predict.
type answers[Query any] struct {
	Query   Query         `json:"query"`
	Answers []eval.Answer `json:"answers"`
}

func (c *predictCommand) Run(ctx context.Context, o *output) error {
	if (c.Head == "") == (c.Tail == "") {
		return cli.Usage(errors.New("what to predict is unclear: give either --head or --tail"))
	}
	p, err := load(c.Model)
	if err != nil {
		return err
	}
	g, err := c.graph(ctx, p.Models()[0], o)
	if err != nil {
		return err
	}
	q := completion.Query{Head: c.Head, Relation: c.Relation, Tail: c.Tail}
	found := answers[completion.Query]{Query: q}
	options := completion.PredictOptions{Known: c.Known, Top: c.Top}
	if found.Answers, err = p.Predict(g, q, options); err != nil {
		return err
	}
	return o.Result(found, func(w io.Writer) {
		found.print(w, cmp.Or(q.Head, "?"), q.Relation, cmp.Or(q.Tail, "?"))
	})
}

// print prints the answers to (head, relation, tail).
func (s answers[Query]) print(w io.Writer, head, relation, tail string) {
	fmt.Fprintf(w, "(%s, %s, %s)\n\n",
		format.Escape(head), format.Escape(relation), format.Escape(tail))
	t := table.New("entity", "rank", "score", "")
	for _, a := range s.Answers {
		note := ""
		if a.Known == eval.Yes {
			note = "known"
		}
		t.Add(a.Entity, a.Rank, fmt.Sprintf("%.3f", a.Score), note)
	}
	t.Print(w)
}

// graph opens the graph with the known answers.
func (c *predictCommand) graph(
	ctx context.Context, m *kge.Model, o *output,
) (*datasets.Graph, error) {
	return knownFrom(c.predictFlags, m, o, func(source string) (*datasets.Graph, error) {
		g, err := read(ctx, o, datasets.Open, source)
		if err == nil {
			warn(o, g.Warnings())
			_, err = completion.Align(m, g)
		}
		return g, err
	})
}

// knownFrom opens the data with the known answers. It returns nil if they are not needed, or only
// to mark answers and not found.
func knownFrom[G any](
	f predictFlags, m *kge.Model, o *output, open func(source string) (*G, error),
) (*G, error) {
	if f.Known == eval.KeepKnown {
		return nil, nil
	}
	g, err := open(cmp.Or(f.Dataset, datasets.SourceFolder(cmp.Or(m.Source, m.Dataset))))
	if err == nil {
		return g, nil
	}
	if f.Dataset == "" && f.Known == eval.MarkKnown {
		o.Message("autoblm: known answers are not marked: %s (name the graph with --dataset)",
			format.OneLine(withHint(err)))
		return nil, nil
	}
	return nil, fmt.Errorf("find the known answers: %w (name the graph with --dataset)", err)
}
