package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type queryTrainCommand struct {
	Dataset string `required:"" placeholder:"NAME|DIR" brief:"A folder of queries, or a graph." help:"A folder of queries, such as query2box-fb15k-237, or a graph, from which they are then drawn."`
	modelFlags
	LabelSmoothing, Frequency, AnswersPerQuery, RelationPrediction struct{} `kong:"-"` // which queries do not have

	Recipe   plainName      `group:"Training (--model: basic)" placeholder:"basic" help:"basic trains as the first version did, and as models without a structure are trained if nothing is said: d 64, paths of --hops alone, no dropout, no penalty, nothing validated. Flags that are given beside it come first."`
	Settings query.Settings `embed:"" group:"Training (--model: basic)"`
	Sampling kge.Sampling   `embed:"" group:"Training (--model: basic)"`
	Member   memberFlags    `embed:"" group:"Training (--model: basic)"`
	duraFlag `group:"Training (--model: basic)"`
	minutesFlag
	keepFlags
	threadsFlag
}

// usualQueryTrain has the defaults.
func usualQueryTrain() (c queryTrainCommand) {
	c.Settings.Precision = kge.AutoPrecision
	c.use(query.Default(form.Bilinear))
	return c
}

// use takes settings of paths and of a member.
func (c *queryTrainCommand) use(s query.Settings, m kge.Member) {
	takeTraining(&c.Settings.Settings, s.Settings)
	c.Settings.Paths, c.Member = s.Paths, memberFlags(m)
}

// BeforeApply puts what is usual for the form of models, or plain, and the weights of DURA below
// what is given.
func (c *queryTrainCommand) BeforeApply(ctx *kong.Context) error {
	of, _ := flags.Given[form.Form](ctx, "model")
	s, m := query.Default(of)
	if flags.Is(ctx, "recipe") {
		s, m = query.BasicSettings(), kge.DefaultMember(structure.Structure{})
	}
	c.use(s, m)
	useUnvalidated(ctx, &c.Settings.Settings)
	useDura(ctx, &c.Member.Weights)
	return nil
}

// AfterApply gives negatives the margin that is usual with the model, if none is given.
func (c *queryTrainCommand) AfterApply(ctx *kong.Context) error {
	if _, is := flags.Given[float64](ctx, "margin"); !is && c.Sampling.Negatives > 0 && c.Model != form.Bilinear {
		c.Sampling.Margin = query.DefaultSampling(c.Model, c.Settings.Dim).Margin
	}
	return nil
}

// queryTrainSummary is the JSON of query train.
type queryTrainSummary struct {
	trainedSummary
	Task      string               `json:"task"`
	Hops      int                  `json:"hops"`
	Model     form.Form            `json:"model"`
	Structure *structure.Structure `json:"structure"`
	Valid     *query.Evaluation    `json:"valid"`
	Test      *query.Evaluation    `json:"test"`
}

// Run trains and ranks.
func (c *queryTrainCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	member, err := c.member()
	if err != nil {
		return cli.Usage(err)
	}
	engine := c.engine()
	note := func(text string) { o.Message("autoblm: %s (see autoblm query sample)", text) }
	d, err := read(ctx, o, func(name string) (*query.Data, error) {
		return query.Prepare(ctx, name, note, c.Settings.TrainingHops()...)
	}, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, d.Warnings(c.Settings.Hops, query.InValid, query.InTest))
	data, err := d.Training(c.Settings.Paths)
	if err != nil {
		return err
	}
	asked := len(d.Queries(query.InValid, c.Settings.Hops[0])) + len(d.Queries(query.InTest, c.Settings.Hops[0]))
	job := kge.Job{Data: data, Settings: c.Settings.Settings, Members: []kge.Member{member}, Deadline: c.deadline(began, asked)}
	report, kept, err := trainModels(ctx, o, engine, job, "query-train", c.keepFlags)
	if err != nil {
		return err
	}
	result := report.Results[0]
	if result.Err != nil {
		return errors.Join(result.Err, kept.done())
	}
	if err := kept.save(result.Model); err != nil {
		return err
	}
	c.Out = kept.folder
	how, over := ranking(o, job.Deadline)
	evaluated, err := query.EvaluateWith(ctx, engine, result.Model, d, how, c.Settings.Hops[0])
	over()
	if err != nil {
		return kept.unranked(err)
	}
	summary := c.summary(d, report, evaluated)
	if err := o.Result(summary, summary.print); err != nil {
		return err
	}
	return kept.done()
}

// member is what the flags say, checked as far as it can be without data.
func (c *queryTrainCommand) member() (kge.Member, error) {
	m := kge.Member(c.Member)
	if err := c.choose(&m); err != nil {
		return m, err
	}
	if len(c.Settings.Hops) != 1 {
		return m, fmt.Errorf("hops is %v: give one length, and others to train on as --with", c.Settings.Hops)
	}
	c.Settings.Sampling = c.Sampling
	return m, c.Settings.Validate(m)
}

func (c *queryTrainCommand) summary(d *query.Data, report *kge.Report, e query.Evaluations) queryTrainSummary {
	m := report.Results[0].Member
	return queryTrainSummary{
		trainedSummary: summarizeTraining(d.Name, c.Settings.Dim, report, c.Out), Task: "query", Hops: c.Settings.Hops[0],
		Model: m.Form, Structure: structureOf(m.Form, m.Structure), Valid: e.Valid, Test: e.Test,
	}
}

func (s queryTrainSummary) print(w io.Writer) {
	t := query.NewTable()
	s.Valid.AddTo(t, "valid")
	s.Test.AddTo(t, "test")
	s.trainedSummary.print(w, format.Count(s.Hops, "hop")+", "+titleOf(s.Model, s.Structure), t)
	if s.Out != "" {
		fmt.Fprintf(w, "\nThe model is in %s\n", s.Out)
	}
}
