package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type queryTrainCommand struct {
	Dataset string `required:"" help:"A folder of queries, such as query2box-fb15k-237, or a graph, from which they are then drawn."`
	modelFlags
	LabelSmoothing, RelationPrediction struct{} `kong:"-"` // which queries do not have

	Settings query.Settings `embed:"" group:"Training"`
	Sampling kge.Sampling   `embed:"" group:"Training"`
	Member   memberFlags    `embed:"" group:"Training"`
	duraFlag `group:"Training"`
	Out      string `help:"Write the model into this folder."`
	threadsFlag
}

// usualQueryTrain has the defaults.
func usualQueryTrain() queryTrainCommand {
	return queryTrainCommand{Settings: query.DefaultSettings(), Member: memberFlags(kge.DefaultMember(structure.Structure{}))}
}

// BeforeApply puts the weights of DURA below what is given.
func (c *queryTrainCommand) BeforeApply(ctx *kong.Context) error {
	useDura(ctx, &c.Member.Weights)
	return nil
}

// AfterApply gives negatives the margin that is usual with the model, if none is given.
func (c *queryTrainCommand) AfterApply(ctx *kong.Context) error {
	if _, is := flags.Given[float64](ctx, "margin"); !is && c.Sampling.Negatives > 0 && c.Model != nil {
		c.Sampling.Margin = query.UsualSampling(*c.Model, c.Settings.Dim).Margin
	}
	return nil
}

// queryTrainSummary is the JSON of query train.
type queryTrainSummary struct {
	Dataset     string               `json:"dataset"`
	Task        string               `json:"task"`
	Hops        int                  `json:"hops"`
	Model       form.Form            `json:"model"`
	Structure   *structure.Structure `json:"structure"`
	Dim         int                  `json:"dim"`
	Seed        uint64               `json:"seed"`
	Epochs      int                  `json:"epochs"`
	BestEpoch   int                  `json:"best_epoch"`
	Loss        []float64            `json:"loss"`
	Validations []kge.Validation     `json:"validations"`
	Seconds     kge.Timing           `json:"seconds"`
	Valid       *query.Evaluation    `json:"valid"`
	Test        *query.Evaluation    `json:"test"`
	Out         string               `json:"out,omitempty"`
}

// Run trains and ranks.
func (c *queryTrainCommand) Run(ctx context.Context, o *output) error {
	member, err := c.member()
	if err != nil {
		return usage(err)
	}
	engine, err := c.engine()
	if err != nil {
		return err
	}
	d, err := query.Prepare(ctx, c.Dataset, func(text string) { o.say("autoblm: %s (see autoblm query sample)", text) }, c.Settings.Trained()...)
	if err != nil {
		return err
	}
	if c.Out != "" { // what cannot be written is better known before the training
		if err := os.MkdirAll(c.Out, 0o755); err != nil {
			return fmt.Errorf("cannot make the model folder: %w", err)
		}
	}
	bar, log := newTrainingBar(o.stderr, c.Settings.Epochs), epochLog{w: o.stderr, every: 30 * time.Second, last: time.Now()}
	data, err := d.Training(c.Settings.Paths)
	if err != nil {
		return err
	}
	report, err := kge.Train(ctx, engine, kge.Job{Data: data, Settings: c.Settings.Settings, Members: []kge.Member{member}, OnEpoch: func(p kge.Progress) {
		bar.update(p)
		log.update(p)
	}})
	bar.finish()
	if err != nil && errors.Is(err, ctx.Err()) {
		return c.interrupted(report)
	}
	if err != nil {
		return err
	}
	result := report.Results[0]
	if result.Err != nil {
		return result.Err
	}
	evaluated, err := query.EvaluateModel(ctx, engine, result.Model, d, c.Settings.Hops[0])
	if err != nil {
		return err
	}
	if c.Out != "" {
		if err := result.Model.Save(c.Out); err != nil {
			return err
		}
	}
	summary := c.summary(d, report, evaluated)
	return o.result(summary, summary.print)
}

// member is what the flags say, checked as far as it can be without data.
func (c *queryTrainCommand) member() (kge.Member, error) {
	kind, a, err := c.kind()
	if err != nil {
		return kge.Member{}, err
	}
	m := kge.Member(c.Member)
	m.Form, m.Structure = kind, a
	if len(c.Settings.Hops) != 1 {
		return m, fmt.Errorf("hops is %v: give one length, and others to train on as --with", c.Settings.Hops)
	}
	c.Settings.Sampling = c.Sampling
	return m, c.Settings.Validate(m)
}

// interrupted keeps the model of the epochs that were finished.
func (c *queryTrainCommand) interrupted(report *kge.Report) error {
	if report == nil || len(report.Results) == 0 || report.Results[0].Model == nil {
		return errors.New("interrupted before the first epoch ended: nothing was kept")
	}
	result := report.Results[0]
	if c.Out == "" {
		return fmt.Errorf("interrupted after epoch %d of %d: nothing was kept, as there is no --out", len(result.Loss), c.Settings.Epochs)
	}
	if err := result.Model.Save(c.Out); err != nil {
		return err
	}
	return fmt.Errorf("interrupted after epoch %d of %d: the model so far is in %s", len(result.Loss), c.Settings.Epochs, c.Out)
}

func (c *queryTrainCommand) summary(d *query.Data, report *kge.Report, e query.Evaluations) queryTrainSummary {
	r := report.Results[0]
	s := queryTrainSummary{
		Dataset: d.Name, Task: "query", Hops: c.Settings.Hops[0], Model: r.Member.Form, Dim: c.Settings.Dim, Seed: c.Member.Seed,
		Epochs: len(r.Loss), BestEpoch: r.BestEpoch, Loss: orEmpty(r.Loss), Validations: orEmpty(r.Validations), Seconds: report.Timing,
		Valid: e.Valid, Test: e.Test, Out: c.Out,
	}
	if r.Member.Form == form.Bilinear {
		s.Structure = &r.Member.Structure
	}
	return s
}

func (s queryTrainSummary) print(w io.Writer) {
	fmt.Fprintf(w, "%s, %s, %s, d %d: loss %s after %s, %.1f s (%.2f ms a step)\n",
		s.Dataset, plural(s.Hops, "hop"), kindName(s.Model, s.Structure), s.Dim, last(s.Loss), plural(s.Epochs, "epoch"), s.Seconds.Train, 1e3*s.Seconds.PerStep)
	if 0 < s.BestEpoch && s.BestEpoch < s.Epochs {
		fmt.Fprintf(w, "kept: epoch %d, the best by validation\n", s.BestEpoch)
	}
	t := answersTable("")
	addAnswers(&t, "valid", s.Valid)
	addAnswers(&t, "test", s.Test)
	if len(t.rows) > 0 {
		fmt.Fprintln(w)
		t.print(w)
	}
	if s.Out != "" {
		fmt.Fprintf(w, "\nThe model is in %s\n", s.Out)
	}
}
