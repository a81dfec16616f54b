package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/query/cpu"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

type queryCommands struct {
	Train  queryTrainCommand  `cmd:"" help:"Train a model of multi-hop queries, and rank valid and test by it."`
	Eval   queryEvalCommand   `cmd:"" help:"Rank the answers of queries with a trained model."`
	Sample querySampleCommand `cmd:"" help:"Draw queries from a graph, with easy and hard answers."`
}

// queryDefaults are the library's.
func queryDefaults() kong.Vars {
	s := query.DefaultSettings()
	return kong.Vars{
		"hops": text(s.Hops[0]), "query_batch": text(s.Batch), "query_reciprocal": text(s.Reciprocal), "answer_power": text(s.AnswerPower),
		"query_epochs": text(s.Epochs), "query_lr": text(query.DefaultMember(query.Bilinear).LearningRate),
	}
}

// pathFlags say what paths a model is for and how it learns them.
type pathFlags struct {
	Hops        int      `default:"${hops}" help:"Length of the paths to train on and to rank."`
	With        []int    `help:"Lengths of further paths to train on, separated by commas."`
	AnswerPower float64  `default:"${answer_power}" help:"A query with n answers counts n to this power as much as one with one; 0 to 1."`
	Negatives   *int     `help:"Learn from so many drawn entities that are no answer, rather than from all; 0 from all. The models of distances have 128 if nothing is said, the others 0."`
	Margin      *float64 `help:"What is added to scores where there are negatives; for the models of distances 24 for 400 coordinates and less for fewer, if nothing is said; else 0."`
}

// set puts what the flags say into settings for a kind of model.
func (f pathFlags) set(s *query.Settings, kind query.Kind) {
	s.Hops, s.With, s.AnswerPower = []int{f.Hops}, f.With, f.AnswerPower
	s.Negatives, s.Margin = query.UsualNegatives(kind, s.Dim)
	override(&s.Negatives, f.Negatives)
	override(&s.Margin, f.Margin)
}

// modelFlags choose a structure or a baseline.
type modelFlags struct {
	Structure *structureFlag `help:"A bilinear model with this structure, as for structure check."`
	Model     *query.Kind    `help:"A baseline instead: transe, diag, gqe or q2b."`
}

func (f modelFlags) kind() (query.Kind, structure.Structure, error) {
	switch {
	case f.Structure != nil && (f.Model == nil || *f.Model == query.Bilinear):
		return query.Bilinear, f.Structure.Structure, nil
	case f.Structure == nil && f.Model != nil && *f.Model != query.Bilinear:
		return *f.Model, structure.Structure{}, nil
	}
	return 0, structure.Structure{}, errors.New("give either --structure or --model with the name of a baseline")
}

// threadsFlag is the choice that the native engine leaves.
type threadsFlag struct {
	Threads int `default:"0" help:"Threads; 0 for all that GOMAXPROCS allows."`
}

func (f threadsFlag) engine() (query.Engine, error) {
	if f.Threads < 0 {
		return nil, usage(fmt.Errorf("threads is %d: it must be 0, for all, or more", f.Threads))
	}
	return cpu.New(f.Threads), nil
}

type queryTrainCommand struct {
	Dataset string `required:"" help:"A folder of queries, such as query2box-fb15k-237, or one that query sample made."`
	modelFlags
	pathFlags
	commonFlags `kong:"group='Training',set='reciprocal=${query_reciprocal}',set='batch=${query_batch}',set='epochs=${query_epochs}',set='lr=${query_lr}'"`
	Seed        uint64 `default:"1" help:"Decides the initial embeddings."`
	Out         string `help:"Write the model into this folder."`
	MaxSteps    int    `help:"Stop each epoch after so many steps, for timing."`
	threadsFlag
}

// BeforeResolve lets --dura stand for its two weights.
func (c *queryTrainCommand) BeforeResolve(ctx *kong.Context) error {
	useInstead(ctx, map[string]string{})
	return nil
}

// queryTrainSummary is the JSON of query train.
type queryTrainSummary struct {
	Dataset     string                  `json:"dataset"`
	Task        string                  `json:"task"`
	Hops        int                     `json:"hops"`
	Model       query.Kind              `json:"model"`
	Structure   *structure.Structure    `json:"structure"`
	Dim         int                     `json:"dim"`
	Seed        uint64                  `json:"seed"`
	Epochs      int                     `json:"epochs"`
	BestEpoch   int                     `json:"best_epoch"`
	Loss        []float64               `json:"loss"`
	Validations []completion.Validation `json:"validations"`
	Seconds     completion.Timing       `json:"seconds"`
	Valid       *query.Evaluation       `json:"valid"`
	Test        *query.Evaluation       `json:"test"`
	Out         string                  `json:"out,omitempty"`
}

// Run trains and ranks.
func (c *queryTrainCommand) Run(ctx context.Context, o *output) error {
	settings, member, err := c.recipe()
	if err != nil {
		return usage(err)
	}
	engine, err := c.engine()
	if err != nil {
		return err
	}
	d, err := openQueries(ctx, o, c.Dataset, append([]int{c.Hops}, c.With...)...)
	if err != nil {
		return err
	}
	if c.Out != "" { // what cannot be written is better known before the training
		if err := os.MkdirAll(c.Out, 0o755); err != nil {
			return fmt.Errorf("cannot make the model folder: %w", err)
		}
	}
	bar, log := newTrainingBar(o.stderr, c.Epochs), epochLog{w: o.stderr, every: 30 * time.Second, last: time.Now()}
	report, err := query.Train(ctx, engine, query.Job{Data: d, Settings: settings, Members: []query.Member{member}, OnEpoch: func(p query.Progress) {
		each := completion.Progress{Epoch: p.Epoch, Epochs: p.Epochs, Loss: []float64{p.Loss}}
		bar.update(each)
		log.update(each)
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
	if err := query.EvaluateModel(ctx, engine, result.Model, d, c.Hops); err != nil {
		return err
	}
	if c.Out != "" {
		if err := result.Model.Save(c.Out); err != nil {
			return err
		}
	}
	summary := c.summary(d, report)
	return o.result(summary, summary.print)
}

// recipe is what the flags say, checked as far as it can be without data.
func (c *queryTrainCommand) recipe() (query.Settings, query.Member, error) {
	kind, a, err := c.kind()
	if err != nil {
		return query.Settings{}, query.Member{}, err
	}
	s := query.Settings{Settings: c.settings()}
	c.set(&s, kind)
	s.MaxSteps = c.MaxSteps
	m := query.Member{Kind: kind, Member: completion.Member{Structure: a, Seed: c.Seed, LearningRate: c.LR, Weights: c.weights()}}
	return s, m, s.Validate(m)
}

// interrupted keeps the model of the epochs that were finished.
func (c *queryTrainCommand) interrupted(report *query.Report) error {
	if report == nil || len(report.Results) == 0 || report.Results[0].Model == nil {
		return errors.New("interrupted before the first epoch ended: nothing was kept")
	}
	result := report.Results[0]
	if c.Out == "" {
		return fmt.Errorf("interrupted after epoch %d of %d: nothing was kept, as there is no --out", len(result.Loss), c.Epochs)
	}
	if err := result.Model.Save(c.Out); err != nil {
		return err
	}
	return fmt.Errorf("interrupted after epoch %d of %d: the model so far is in %s", len(result.Loss), c.Epochs, c.Out)
}

func (c *queryTrainCommand) summary(d *query.Data, report *query.Report) queryTrainSummary {
	r := report.Results[0]
	s := queryTrainSummary{
		Dataset: d.Name, Task: "query", Hops: c.Hops, Model: r.Member.Kind, Dim: c.Dim, Seed: c.Seed,
		Epochs: len(r.Loss), BestEpoch: r.BestEpoch, Loss: orEmpty(r.Loss), Validations: orEmpty(r.Validations), Seconds: report.Timing,
		Valid: r.Model.Valid, Test: r.Model.Test, Out: c.Out,
	}
	if r.Member.Kind == query.Bilinear {
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

func kindName(kind query.Kind, a *structure.Structure) string {
	if a != nil {
		return shortName(*a)
	}
	return kind.String()
}

// answersTable is one of the metrics of queries.
func answersTable(what string) table {
	return table{header: []string{what, "queries", "answers", "MRR", "H@1", "H@3", "H@10"}}
}

func addAnswers(t *table, name string, e *query.Evaluation) {
	if e != nil {
		t.add(name, count(e.Queries), count(e.Answers), number(e.MRR), number(e.Hits1), number(e.Hits3), number(e.Hits10))
	}
}

type queryEvalCommand struct {
	Model   string      `required:"" help:"The model's folder."`
	Dataset string      `required:"" help:"A folder of queries."`
	Hops    int         `default:"0" help:"Length of the paths, which may be another than the model was trained on; 0 for that one."`
	Split   query.Split `default:"test" help:"train, valid or test."`
	threadsFlag
}

// queryEvalSummary is the JSON of query eval, save for its split.
type queryEvalSummary struct {
	Dataset   string               `json:"dataset"`
	Task      string               `json:"task"`
	Hops      int                  `json:"hops"`
	Trained   []int                `json:"trained_hops"`
	Model     query.Kind           `json:"model"`
	Structure *structure.Structure `json:"structure"`
	Dim       int                  `json:"dim"`
	Seconds   float64              `json:"seconds"`
	Train     *query.Evaluation    `json:"train,omitempty"`
	Valid     *query.Evaluation    `json:"valid,omitempty"`
	Test      *query.Evaluation    `json:"test,omitempty"`
}

// Run ranks a split.
func (c *queryEvalCommand) Run(ctx context.Context, o *output) error {
	engine, err := c.engine()
	if err != nil {
		return err
	}
	m, err := query.Load(c.Model)
	if err != nil {
		return err
	}
	trained := m.TrainedHops()
	hops := c.Hops
	if hops == 0 && len(trained) == 0 {
		return usage(errors.New("the model does not say what paths it is for: give --hops"))
	} else if hops == 0 {
		hops = trained[len(trained)-1]
	}
	d, err := query.Open(c.Dataset, hops)
	if err != nil {
		return err
	}
	if n := len(trained); n > 0 && hops > trained[n-1] {
		o.say("autoblm: the model was trained on paths of up to %s and is asked for %d", plural(trained[n-1], "hop"), hops)
	}
	queries, err := m.Align(d, c.Split, hops)
	if err != nil {
		return err
	}
	began := time.Now()
	scorer, err := engine.NewScorer(m.Parameters)
	if err != nil {
		return err
	}
	e, err := query.Evaluate(ctx, scorer, queries)
	if err != nil {
		return err
	}
	s := queryEvalSummary{Dataset: d.Name, Task: "query", Hops: hops, Trained: orEmpty(trained), Model: m.Kind, Dim: m.Dim, Seconds: time.Since(began).Seconds()}
	if m.Kind == query.Bilinear {
		s.Structure = &m.Structure
	}
	*map[query.Split]**query.Evaluation{query.InTrain: &s.Train, query.InValid: &s.Valid, query.InTest: &s.Test}[c.Split] = &e
	return o.result(s, func(w io.Writer) {
		fmt.Fprintf(w, "%s, %s, %s, d %d, %.1f s\n\n", s.Dataset, plural(s.Hops, "hop"), kindName(s.Model, s.Structure), s.Dim, s.Seconds)
		t := answersTable("")
		addAnswers(&t, c.Split.String(), &e)
		t.print(w)
	})
}

type querySampleCommand struct {
	Dataset string        `required:"" help:"A graph, as for train, or a folder of queries, whose other queries are kept."`
	Hops    []int         `required:"" help:"Lengths of the paths, separated by commas."`
	Splits  []query.Split `name:"split" default:"train,valid,test" help:"train, valid and test, or some of them."`
	Count   int           `default:"0" help:"How many of each length; 0 for as many training queries as of one hop, and 5,000 for valid and test."`
	Seed    uint64        `default:"1" help:"Decides which."`
	Out     string        `required:"" help:"Write the queries into this folder, which query train and eval take as --dataset."`
}

// querySampleSummary is the JSON of query sample.
type querySampleSummary struct {
	Dataset string        `json:"dataset"`
	Seed    uint64        `json:"seed"`
	Seconds float64       `json:"seconds"`
	Drawn   []drawnSample `json:"drawn"`
	Out     string        `json:"out"`
}

type drawnSample struct {
	Split   query.Split `json:"split"`
	Hops    int         `json:"hops"`
	Queries int         `json:"queries"`
	Hard    int         `json:"hard_answers"`
	Easy    int         `json:"easy_answers"`
}

// Run draws and writes.
func (c *querySampleCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	d, err := query.Open(c.Dataset)
	if err != nil {
		return err
	}
	s := querySampleSummary{Dataset: d.Name, Seed: c.Seed, Out: c.Out, Drawn: []drawnSample{}}
	for _, split := range c.Splits {
		for _, hops := range c.Hops {
			drawn, err := d.Sample(ctx, query.Sample{Split: split, Hops: hops, Count: c.Count, Seed: c.Seed})
			if err != nil {
				return err
			}
			if c.Count > drawn {
				o.say("autoblm: %s has no more than %s of %s", d.Name, plural(drawn, split.String()+" path"), plural(hops, "hop"))
			}
			each := drawnSample{Split: split, Hops: hops, Queries: drawn}
			for _, q := range d.Queries(split, hops) {
				each.Hard, each.Easy = each.Hard+len(q.Hard), each.Easy+len(q.Easy)
			}
			s.Drawn = append(s.Drawn, each)
		}
	}
	if err := d.WriteFolder(c.Out); err != nil {
		return err
	}
	s.Seconds = time.Since(began).Seconds()
	return o.result(s, func(w io.Writer) {
		t := table{header: []string{"drawn", "hops", "queries", "hard answers", "easy answers"}}
		for _, each := range s.Drawn {
			t.add(each.Split.String(), text(each.Hops), count(each.Queries), count(each.Hard), count(each.Easy))
		}
		t.print(w)
		fmt.Fprintf(w, "\nThe queries are in %s\n", c.Out)
	})
}
