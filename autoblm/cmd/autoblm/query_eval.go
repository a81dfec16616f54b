package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
)

type queryEvalCommand struct {
	Model   string      `required:"" placeholder:"DIR" help:"Folder of a model, or of a search."`
	Dataset string      `required:"" placeholder:"DIR" help:"Folder of queries."`
	Hops    int         `default:"0" min:"0" max:"99" help:"Length of the paths; 0 stands for the last of --hops of the training. Other lengths work too."`
	Split   query.Split `default:"test" help:"train, valid or test."`
	precisionFlag
	computeFlags
}

// queryEvalSummary is the JSON of query eval. Only the ranked split is set.
type queryEvalSummary struct {
	modelSummary
	Dataset   string            `json:"dataset"`
	Task      string            `json:"task"`
	Hops      int               `json:"hops"`
	Trained   []int             `json:"trained_hops"`
	Model     form.Form         `json:"model"`
	Precision kge.Precision     `json:"precision"`
	Seconds   float64           `json:"seconds"`
	Train     *query.Evaluation `json:"train,omitempty"`
	Valid     *query.Evaluation `json:"valid,omitempty"`
	Test      *query.Evaluation `json:"test,omitempty"`
	// Typed has the metrics among entities of the right kind.
	Typed query.TypedEvaluation `json:"typed"`
}

func (c *queryEvalCommand) Run(ctx context.Context, o *output) error {
	m, err := loadModel(c.Model)
	if err != nil {
		return err
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	paths := query.PathsOf(m)
	hops, own := c.Hops, paths.Hops
	if hops == 0 && len(own) == 0 {
		return cli.Usage(errors.New("the model has no length of paths: give --hops"))
	} else if hops == 0 {
		hops = own[len(own)-1]
	}
	open := func(name string) (*query.Data, error) { return query.Open(name, hops) }
	d, err := read(ctx, o, open, c.Dataset)
	if err != nil {
		return err
	}
	warnLongPath(o, m, hops)
	queries, err := d.Align(m, c.Split, hops)
	if err != nil {
		return err
	}
	warn(o, d.Warnings(ctx, []int{hops}, c.Split))
	warnPathsTrainedOn(ctx, o, m, d, c.Split, hops)
	models := []kge.Parameters{m.Parameters}
	precision, err := c.Precision.ForRanking(engine, models)
	if err != nil {
		return err
	}
	began := time.Now()
	ranker, err := engine.NewRanker(models, precision)
	if err != nil {
		return err
	}
	defer ranker.Close()
	done := showActivity(o, "ranking")
	e, typed, err := query.EvaluateTyped(ctx, ranker, m, d, queries)
	done()
	if err != nil {
		return err
	}
	s := queryEvalSummary{
		Dataset: d.Name, Task: query.TaskName, Hops: hops, Trained: orEmpty(paths.TrainingHops()),
		modelSummary: summarizeModel(m), Model: m.Form,
		Precision: precision, Seconds: time.Since(began).Seconds(), Typed: typed,
	}
	switch c.Split {
	case query.InTrain:
		s.Train = &e
	case query.InValid:
		s.Valid = &e
	default:
		s.Test = &e
	}
	return o.Result(s, func(w io.Writer) {
		b := cli.Block{Title: []string{"ranked " + c.Split.String(), s.Dataset,
			format.Count(s.Hops, "hop"), fmt.Sprintf("%s, d %d%s", s.title(), s.Dim, s.Precision.Suffix()),
			format.Count(e.Queries, "query"), format.Brief(s.Seconds)}}
		addQueryEvaluation(&b, c.Split.String(), &e)
		addMetrics(&b, "right kind", typed.Metrics, 0)
		if typed.Outside > 0 {
			b.Note(fmt.Sprintf("%s of %s answers are not of the kind to which the last relation leads "+
				"in train; they rank last.", format.Int(typed.Outside), format.Int(typed.Answers)))
		}
		b.Next = []string{nextPath(c.Model, d, hops)}
		o.Show(b)
		if o.Verbose {
			t := query.NewTable()
			e.AddTo(t, c.Split.String())
			fmt.Fprintln(w)
			t.Print(w)
		}
	})
}
