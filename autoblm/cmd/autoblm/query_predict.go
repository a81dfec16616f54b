package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

type queryPredictCommand struct {
	Model   string           `required:"" help:"The model's folder; one of train does too."`
	Anchor  string           `required:"" help:"The entity where the path starts."`
	Path    []string         `required:"" sep:"none" placeholder:"RELATION,…" help:"The relations of the path in the order in which they are walked, separated by commas or each by a --path of its own. The reverse of a relation r is r_reverse. What is the name of a relation as a whole is not separated."`
	Top     int              `default:"10" help:"How many answers; 0 for all."`
	Known   kge.KnownAnswers `default:"mark" help:"What to do with answers that the graph already has, valid and test included: keep, drop or mark."`
	Dataset string           `help:"The graph, or folder of queries, that tells which answers are known; the one that the model was trained on when left out."`
	threadsFlag
}

// queryPredictSummary is the JSON of query predict.
type queryPredictSummary struct {
	Query   query.Path   `json:"query"`
	Answers []kge.Answer `json:"answers"`
}

// Run answers a query.
func (c *queryPredictCommand) Run(ctx context.Context, o *output) error {
	if strings.Join(c.Path, "") == "" {
		return usage(errors.New("the path is empty: give --path the names of relations"))
	}
	engine, err := c.engine()
	if err != nil {
		return err
	}
	m, err := kge.Load(c.Model)
	if err != nil {
		return err
	}
	p := query.Path{Anchor: c.Anchor, Relations: relationsOf(m, c.Path)}
	d, err := c.data(m, o)
	if err != nil {
		return err
	}
	answers, err := query.Predict(ctx, engine, m, p, d, c.Top, c.Known)
	if err != nil {
		return err
	}
	sayLonger(o, m, len(p.Relations))
	return o.result(queryPredictSummary{Query: p, Answers: answers}, func(w io.Writer) {
		fmt.Fprintf(w, "(%s, %s, ?)\n\n", printable(p.Anchor), printable(strings.Join(p.Relations, " ∘ ")))
		listAnswers(w, answers)
	})
}

// relationsOf separates names at commas, but for those of relations that have some.
func relationsOf(m *kge.Model, flags []string) (names []string) {
	for _, flag := range flags {
		if _, err := query.RelationID(m, flag); err == nil {
			names = append(names, flag)
		} else {
			names = append(names, strings.Split(flag, ",")...)
		}
	}
	return names
}

// data opens what tells the known answers, as predict does.
func (c *queryPredictCommand) data(m *kge.Model, o *output) (*query.Data, error) {
	return knownFrom(c.Known, c.Dataset, o, func() (*query.Data, error) {
		d, err := query.Open(cmp.Or(c.Dataset, m.Source, m.Dataset), 1) // longer paths follow from these
		if err == nil {
			err = d.Covered(m)
		}
		return d, err
	})
}
