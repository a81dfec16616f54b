package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

// pathAnswers is the JSON of query predict.
type pathAnswers struct {
	Query   query.Path    `json:"query"`
	Answers []eval.Answer `json:"answers"`
}

type queryPredictCommand struct {
	predictFlags `set:"model_kinds=a model for queries, or of a search"`
	Anchor       string   `required:"" placeholder:"ENTITY" help:"Entity at the start of the path."`
	Path         []string `required:"" sep:"none" placeholder:"RELATION,…" help:"Relations of the path in order, separated by commas or as repeated flags. r_reverse is the reverse of r."`
	threadsFlag
}

func (c *queryPredictCommand) Run(ctx context.Context, o *output) error {
	if strings.Join(c.Path, "") == "" {
		return cli.Usage(errors.New("the path is empty: name relations with --path"))
	}
	engine := c.engine()
	m, err := loadModel(c.Model)
	if err != nil {
		return err
	}
	p := query.Path{Anchor: c.Anchor, Relations: relationsOf(m, c.Path)}
	if err := checkCommas(m, p.Relations); err != nil {
		return err
	}
	d, err := c.data(ctx, m, o)
	if err != nil {
		return err
	}
	options, err := c.options()
	if err != nil {
		return err
	}
	found := pathAnswers{Query: p}
	if found.Answers, err = query.Predict(ctx, engine, m, p, d, options); err != nil {
		return err
	}
	warnLongPath(o, m, len(p.Relations))
	last := p.Relations[len(p.Relations)-1]
	if d != nil && !c.Any && c.Among == "" && !d.HasKind(m, last) {
		o.Message("autoblm: no fact has the relation %s, so all entities are compared", format.Escape(last))
	}
	if len(found.Answers) == 0 {
		o.Message("autoblm: no answer is left: %s", c.whyNoEntity())
	}
	return o.Result(found, func(w io.Writer) {
		printQuestion(w, p.Anchor, strings.Join(p.Relations, " ∘ "), "?")
		printAnswers(w, found.Answers)
	})
}

// relationsOf splits flags at commas, unless a whole flag is the name of a relation.
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

// checkCommas returns an error with a fix for an unknown relation that may be part of a name with a
// comma.
func checkCommas(m *kge.Model, names []string) error {
	hasComma := func(label string) bool { return strings.Contains(label, ",") }
	if !slices.ContainsFunc(m.RelationLabels, hasComma) {
		return nil
	}
	for _, name := range names {
		if _, err := query.RelationID(m, name); err != nil {
			return fmt.Errorf("%w; for a name with a comma, repeat --path for each relation", err)
		}
	}
	return nil
}

// data opens the data with the known answers.
func (c *queryPredictCommand) data(
	ctx context.Context, m *kge.Model, o *output,
) (*query.Data, error) {
	return knownFrom(c.predictFlags, m, o, func(source string) (*query.Data, error) {
		open := func(name string) (*query.Data, error) {
			return query.Open(name, 1) // which imply the answers of longer paths
		}
		d, err := read(ctx, o, open, source)
		if err == nil {
			warn(o, d.Warnings(ctx, nil))
			err = d.CheckCovered(m)
		}
		return d, err
	})
}
