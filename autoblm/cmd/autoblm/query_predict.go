package main

import (
	"context"
	"errors"
	"io"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/cli"
)

type queryPredictCommand struct {
	predictFlags
	Anchor string   `required:"" help:"The entity where the path starts."`
	Path   []string `required:"" sep:"none" placeholder:"RELATION,…" help:"The relations of the path in the order in which they are walked, separated by commas or each by a --path of its own. The reverse of a relation r is r_reverse. What is the name of a relation as a whole is not separated."`
	threadsFlag
}

// queryPredictSummary is the JSON of query predict.
type queryPredictSummary struct {
	Query   query.Path    `json:"query"`
	Answers []eval.Answer `json:"answers"`
}

// Run answers a query.
func (c *queryPredictCommand) Run(ctx context.Context, o *output) error {
	if strings.Join(c.Path, "") == "" {
		return cli.Usage(errors.New("the path is empty: give --path the names of relations"))
	}
	engine := c.engine()
	m, err := loadModel(c.Model)
	if err != nil {
		return err
	}
	p := query.Path{Anchor: c.Anchor, Relations: relationsOf(m, c.Path)}
	d, err := c.data(ctx, m, o)
	if err != nil {
		return err
	}
	answers, err := query.Predict(ctx, engine, m, p, d, c.Top, c.Known)
	if err != nil {
		return err
	}
	sayLonger(o, m, len(p.Relations))
	return o.Result(queryPredictSummary{Query: p, Answers: answers}, func(w io.Writer) {
		listAnswers(w, answers, p.Anchor, strings.Join(p.Relations, " ∘ "), "?")
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
func (c *queryPredictCommand) data(ctx context.Context, m *kge.Model, o *output) (*query.Data, error) {
	return knownFrom(c.predictFlags, m, o, func(source string) (*query.Data, error) {
		d, err := read(ctx, o, func(name string) (*query.Data, error) { return query.Open(name, 1) }, source) // longer paths follow from these
		if err == nil {
			warn(o, d.Warnings(nil))
			err = d.CheckCovered(m)
		}
		return d, err
	})
}
