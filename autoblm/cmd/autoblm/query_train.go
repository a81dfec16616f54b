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
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
)

type queryTrainCommand struct {
	Dataset            string `group:"Data and model" required:"" placeholder:"NAME|DIR" brief:"Folder of queries, or a graph." help:"Folder of queries, such as query2box-fb15k-237, or a graph to sample queries from."`
	modelFlags         `group:"Data and model" set:"forms=${path_forms}"`
	queryTrainingFlags `group:"Training"`
	minutesFlag        `group:"Training"`
	modelOutFlags
	logFlags
	configFlag
	computeFlags
}

// queryTrainingFlags are the settings of a training on paths.
type queryTrainingFlags struct {
	// These settings have no flags here:
	Frequency, AnswersPerQuery, Buckets, RelationPrediction struct{} `kong:"-"`
	IVR, IVRProducts, IVRPower, BatchNorm                   struct{} `kong:"-"`

	taskRecipeFlag
	Settings kge.Recipe   `embed:""`
	Paths    query.Paths  `embed:""`
	Sampling kge.Sampling `embed:""`
	duraFlag
	Seed uint64 `default:"1" brief:"Seed of the initial embeddings." help:"Seed of the initial embeddings."`
}

// newQueryTrainingFlags returns the flags with the defaults of structures.
func newQueryTrainingFlags() (f queryTrainingFlags) {
	f.Settings, f.Paths = queryRecipe("", form.Bilinear)
	return f
}

// queryRecipe returns the named settings for a form of models.
func queryRecipe(name string, f form.Form) (kge.Recipe, query.Paths) {
	s, m := query.Default(f)
	if name == basicRecipe {
		s, m = query.BasicSettings(), kge.DefaultMember(structure.Structure{})
	}
	r := kge.Recipe{Training: s.Settings, LearningRate: m.LearningRate, Weights: m.Weights}
	return withAutoPrecision(r), s.Paths
}

// resolve computes the settings. The default structure is ComplEx.
func (c *queryTrainCommand) resolve(line *kong.Context) error {
	if c.Structure.K() == 0 && c.Model == form.Bilinear {
		c.Structure.Structure = structure.MustParse("complex")
	}
	named := func(name string) func() {
		return func() { c.Settings, c.Paths = queryRecipe(name, c.Model) }
	}
	adapt := func() { c.Settings = recipe.Adapt(c.Settings, c.Model, c.Structure.Structure) }
	margin := func() {
		if c.Sampling.Negatives > 0 && c.Model != form.Bilinear {
			c.Sampling.Margin = query.DefaultSampling(c.Model, c.Settings.Training.Dim).Margin
		}
	}
	return flags.Resolve(line, named(""), named(c.Recipe), adapt, c.impliedLayer(line, &c.Settings), margin)
}

// queryTrainSummary is the JSON of query train.
type queryTrainSummary struct {
	trainedSummary
	Task  string            `json:"task"`
	Hops  int               `json:"hops"`
	Model form.Form         `json:"model"`
	Valid *query.Evaluation `json:"valid"`
	Test  *query.Evaluation `json:"test"`
}

func (c *queryTrainCommand) Run(ctx context.Context, line *kong.Context, o *output) error {
	began := time.Now()
	if err := c.resolve(line); err != nil {
		return cli.Usage(err)
	}
	member, err := c.member()
	if err != nil {
		return cli.Usage(err)
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	note := func(text string) { o.Message("autoblm: %s (see autoblm query sample)", text) }
	prepare := func(name string) (*query.Data, error) {
		return query.Prepare(ctx, name, note, c.Paths.TrainingHops()...)
	}
	d, err := read(ctx, o, prepare, c.Dataset)
	if err != nil {
		return err
	}
	hops := c.Paths.Hops[0]
	warn(o, d.Warnings(ctx, c.Paths.Hops, query.InValid, query.InTest))
	data, err := d.Training(c.Paths)
	if err != nil {
		return err
	}
	if data.Validate == nil && !flags.IsGiven(line, "validate-every") {
		c.Settings.Training.SkipValidation()
	}
	queries := len(d.Queries(query.InValid, hops)) + len(d.Queries(query.InTest, hops))
	job := kge.Job{
		Data: data, Settings: c.Settings.Training, Members: []kge.Member{member},
		Deadline: c.deadline(began, queries),
	}
	out, err := c.createFor(o, "query-train", engine, job, kge.Fit{})
	if err != nil {
		return err
	}
	defer out.close()
	closeLog, err := c.record(o, out, &job)
	if err != nil {
		return err
	}
	report, err := out.train(ctx, engine, job)
	closeLog()
	if err != nil {
		return err
	}
	result := report.Results[0]
	if result.Err != nil {
		return errors.Join(result.Err, out.done())
	}
	if err := out.save(result.Model); err != nil {
		return err
	}
	c.Out = out.folder
	c.Settings.Training.Precision = report.Precision
	c.pinEngine(engine)
	if err := out.saveConfig("query train", line, pinned); err != nil {
		return err
	}
	how, done := showRanking(o, job.Deadline)
	evaluated, err := query.EvaluateModel(ctx, engine, result.Model, d, how, hops)
	done()
	if err != nil {
		return rankingError(err, out.file)
	}
	summary := c.summary(d, report, evaluated)
	err = o.Result(summary, func(w io.Writer) {
		o.Show(summary.block(d))
		if o.Verbose {
			summary.printDetails(w)
		}
	})
	if err != nil {
		return err
	}
	return out.done()
}

// member returns the member to train, after checks that need no data.
func (c *queryTrainCommand) member() (kge.Member, error) {
	m := c.Settings.For(c.Model, c.Structure.Structure, c.Seed)
	if err := c.choose(&m); err != nil {
		return m, err
	}
	if hops := c.Paths.Hops; len(hops) != 1 {
		return m, fmt.Errorf("hops is %v: give one length; --with adds others to train on", hops)
	}
	c.Settings.Training.Sampling = c.Sampling
	s := query.Settings{Settings: c.Settings.Training, Paths: c.Paths}
	return m, s.Validate(m)
}

func (c *queryTrainCommand) summary(
	d *query.Data, report *kge.Report, e query.Evaluations,
) queryTrainSummary {
	return queryTrainSummary{
		trainedSummary: summarizeTraining(d.Name, c.Settings.Training.Dim, report, c.Out),
		Task:           query.TaskName, Hops: c.Paths.Hops[0],
		Model: c.Model, Valid: e.Valid, Test: e.Test,
	}
}

// block returns the final output, with a command for the data.
func (s queryTrainSummary) block(d *query.Data) cli.Block {
	b := s.trainedSummary.block(format.Count(s.Hops, "hop"), s.title())
	addQueryEvaluation(&b, "test", s.Test)
	addQueryEvaluation(&b, "valid", s.Valid)
	if s.Out != "" {
		b.Add("model", s.Out)
		b.Next = append(b.Next, nextPath(s.Out, d, s.Hops))
	}
	return b
}

// addQueryEvaluation adds the metrics of a split, if it was ranked.
func addQueryEvaluation(b *cli.Block, split string, e *query.Evaluation) {
	if e != nil {
		addMetrics(b, split, e.Metrics, e.Queries)
		noteSample(b, split, e.Queries, e.Of)
	}
}

func (s queryTrainSummary) printDetails(w io.Writer) {
	t := query.NewTable()
	s.Valid.AddTo(t, "valid")
	s.Test.AddTo(t, "test")
	s.trainedSummary.printDetails(w, t)
}
