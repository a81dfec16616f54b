package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/table"
)

type classifyCommands struct {
	Train   classifyTrainCommand   `cmd:"" help:"Train one encoder on an RDF graph, cross-validate it and test it."`
	Eval    classifyEvalCommand    `cmd:"" help:"Count how many labelled nodes a trained model classifies right."`
	Predict classifyPredictCommand `cmd:"" help:"Tell the class of a node by a trained model."`
}

type classifyTrainCommand struct {
	Dataset   string         `required:"" placeholder:"NAME|DIR" brief:"aifb, mutag, bgs, am, or a folder." help:"aifb, mutag, bgs, am, or a folder with N-Triples, trainingSet.tsv and testSet.tsv."`
	Structure *structureFlag `placeholder:"STRUCTURE" brief:"Whose messages the encoder blm sends." help:"Messages are g(A, r) e with this structure, as for structure check."`
	Recipe    plainName      `placeholder:"basic" help:"basic trains structures as the first version did: --seen-by 0. Flags that are given beside it come first."`
	Settings  classifyFlags  `embed:""`
	Member    classifyMember `embed:""`
	Tune      int            `default:"0" min:"0" max:"10000" brief:"First try so many settings, drawn at random." help:"First cross-validate so many settings, drawn at random; the best gives dim, lr, dropout and l2, and norm, reverse, self-loops and seen-by where they are not given."`
	Lenient   bool           `help:"Pass over lines that are no N-Triples, and count them."`
	minutesFlag
	keepFlags
	classifyBackend
	ranges classify.Ranges
}

// classifyBackend chooses what does the arithmetic.
type classifyBackend struct {
	Backend string `default:"auto" help:"What GoMLX runs on, as for train."`
}

func (f classifyBackend) open() (classify.Engine, error) {
	compute := autoblm.Compute{Backend: f.Backend}
	if err := compute.Check(); err != nil {
		return nil, cli.Usage(err)
	}
	return compute.OpenClassify()
}

// classifyFlags and classifyMember are settings without their methods: the parser would call
// Validate before all are known.
type (
	classifyFlags  classify.Settings
	classifyMember classify.Member
)

// usualClassifyTrain has the defaults.
func usualClassifyTrain() classifyTrainCommand {
	return classifyTrainCommand{Settings: classifyFlags(classify.Defaults(classify.BLM)), Member: classifyMember(classify.DefaultMember())}
}

// BeforeApply puts what is usual for the encoder, or plain, below what is given, and lets --tune
// draw the rest.
func (c *classifyTrainCommand) BeforeApply(ctx *kong.Context) error {
	encoder, _ := flags.Given[classify.Encoder](ctx, "encoder")
	c.Settings = classifyFlags(classify.Defaults(encoder))
	if flags.Is(ctx, "recipe") {
		c.Settings = classifyFlags(classify.Published(encoder))
	}
	c.ranges = classify.DefaultRanges()
	if flags.IsGiven(ctx, "norm") {
		c.ranges.Norms = nil
	}
	if flags.IsGiven(ctx, "reverse") {
		c.ranges.Reverse = nil
	}
	if flags.IsGiven(ctx, "self-loops") {
		c.ranges.SelfLoops = nil
	}
	if flags.IsGiven(ctx, "seen-by") {
		c.ranges.SeenBy = nil
	}
	return nil
}

// classifySummary is the JSON of classify train: with the settings, of which the epochs are
// those that were best.
type classifySummary struct {
	classify.Settings
	classify.Member
	Dataset        string               `json:"dataset"`
	Task           string               `json:"task"`
	Structure      *structure.Structure `json:"structure"`
	Nodes          int                  `json:"nodes"`
	Relations      int                  `json:"relations"`
	Edges          int                  `json:"edges"`
	Classes        int                  `json:"classes"`
	Train          int                  `json:"train"`
	Test           int                  `json:"test"`
	Skipped        int                  `json:"skipped"`
	SeenBy         int                  `json:"seen_by"`
	Tuned          int                  `json:"tuned"` // settings tried before
	Seed           uint64               `json:"seed"`
	Epochs         int                  `json:"epochs"`
	Seconds        float64              `json:"seconds"`
	StoppedEarly   *classify.EarlyStop  `json:"stopped_early,omitempty"`
	CVAccuracy     float64              `json:"cv_accuracy"`
	TestAccuracy   float64              `json:"test_accuracy"`
	TestDeviation  float64              `json:"test_deviation"`
	TestAccuracies []float64            `json:"test_accuracies"`
	Out            string               `json:"out,omitempty"`
}

// Run cross-validates and tests.
func (c *classifyTrainCommand) Run(ctx context.Context, o *output) error {
	began := time.Now()
	settings, member, err := c.recipe()
	if err != nil {
		return cli.Usage(err)
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	g, err := read(ctx, o, func(name string) (*rdf.Graph, error) { return rdf.Open(name, rdf.Options{Lenient: c.Lenient}) }, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings())
	kept, options, err := c.kept(o, g, engine, settings, member)
	if err != nil {
		return err
	}
	options.Deadline = endBy(c.deadline(began, 0))
	bar := newLongBar(o, 1, time.Hour, options.Deadline)
	options.OnProgress = func(done, total int) {
		bar.Describe(fmt.Sprintf("%s of %s epochs of models", format.Int(done), format.Int(total)))
		bar.Set(int64(done), int64(total))
		bar.warn()
	}
	asked := c.Tune
	result, err := c.train(ctx, g, &settings, member, options)
	bar.Finish()
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return kept.interrupted(ctx, err, "interrupted", nil)
	case errors.Is(err, classify.ErrDiverged):
		return errors.Join(err, kept.done())
	case err != nil:
		return err
	}
	summary := summarizeClassify(g, settings, result)
	summary.Tuned, summary.Seconds, kept.cut = c.Tune, time.Since(began).Seconds(), result.StoppedEarly != nil || c.Tune < asked
	if result.Model != nil {
		if err := kept.save(result.Model); err != nil {
			return err
		}
		summary.Out = kept.folder
	}
	if err := o.Result(summary, summary.print); err != nil {
		return err
	}
	return kept.done()
}

// kept is where the training is kept, and the options that have it kept.
func (c *classifyTrainCommand) kept(o *output, g *rdf.Graph, engine classify.Engine, s classify.Settings, m classify.Member) (keeping, classify.Options, error) {
	about, err := json.Marshal([]any{g.Fingerprint(), s, m, c.Tune, c.ranges})
	if err != nil {
		return keeping{}, classify.Options{}, err
	}
	k, err := c.keep(o, "classify-train", g.Name, checkpoint.Name(about, engine.Name(), engine.Backend()))
	if err != nil {
		return k, classify.Options{}, err
	}
	way, err := classify.OpenCheckpoint(k.file, k.every, k.warn)
	return k, classify.Options{Engine: engine, KeepModels: c.Out != "" || s.Runs > 0, Checkpoint: way}, err
}

// recipe is what the flags say, checked as far as it can be without a graph.
func (c *classifyTrainCommand) recipe() (classify.Settings, classify.Member, error) {
	s, m := classify.Settings(c.Settings), classify.Member(c.Member)
	if (c.Structure == nil) == (s.Encoder == classify.BLM) {
		return s, m, errors.New("give either --structure or --encoder with the name of a baseline")
	}
	if c.Structure != nil {
		m.Structure = c.Structure.Structure
	}
	return s, m, errors.Join(s.Validate(), m.Validate())
}

// train tunes first, if that was asked for; the settings are then the best ones.
func (c *classifyTrainCommand) train(ctx context.Context, g *rdf.Graph, s *classify.Settings, m classify.Member, o classify.Options) (classify.Result, error) {
	if c.Tune > 0 {
		tuned, err := classify.Tune(ctx, g, *s, m, c.ranges, c.Tune, m.Seed, o)
		if err != nil {
			return classify.Result{}, err
		}
		runs := s.Runs
		*s, m, c.Tune = tuned[0].Settings, tuned[0].Result.Member, len(tuned)
		s.Runs = runs
	}
	results, err := classify.TrainOnce(ctx, g, *s, o, []classify.Member{m})
	if err != nil {
		return classify.Result{}, err
	}
	return results[0], results[0].Err
}

func summarizeClassify(g *rdf.Graph, s classify.Settings, r classify.Result) classifySummary {
	mean, deviation := r.TestAccuracy()
	summary := classifySummary{
		Settings: s, Member: r.Member, Dataset: g.Name, Task: "classify",
		Nodes: len(g.Nodes), Relations: len(g.Relations), Edges: len(g.Triples), Classes: len(g.Classes), Train: len(g.Train), Test: len(g.Test), Skipped: g.Skipped,
		SeenBy: s.SeenBy, Seed: r.Member.Seed, Epochs: r.Epochs, StoppedEarly: r.StoppedEarly,
		CVAccuracy: r.CVAccuracy, TestAccuracy: mean, TestDeviation: deviation, TestAccuracies: orEmpty(r.TestAccuracies),
	}
	if s.Encoder == classify.BLM {
		summary.Structure = &r.Member.Structure
	}
	return summary
}

func (s classifySummary) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %s nodes, %s relations, %s edges; %s classes, %s nodes to train with and %s to test\n",
		s.Dataset, format.Int(s.Nodes), format.Int(s.Relations), format.Int(s.Edges), format.Int(s.Classes), format.Int(s.Train), format.Int(s.Test))
	fmt.Fprintf(w, "%s, %s\nlearning rate %.3g, dropout %.2g, l2 %.2g: %s are best, %.1f s\n\n",
		encoderName(s.Encoder, s.Structure), s.Settings.InShort(), s.LearningRate, s.Dropout, s.L2, format.Count(s.Epochs, "epoch"), s.Seconds)
	if e := s.StoppedEarly; e != nil {
		fmt.Fprintf(w, "ended by the time after epoch %d of %d of the %s; the same command goes on\n\n", e.Epoch, e.Epochs, e.Phase)
	}
	t := table.New("classified right", "%", "±")
	t.Add("held out while training", percent(s.CVAccuracy), "")
	if len(s.TestAccuracies) > 0 {
		t.Add("test, mean of "+format.Count(len(s.TestAccuracies), "run"), percent(s.TestAccuracy), percent(s.TestDeviation))
		for i, accuracy := range s.TestAccuracies {
			t.Add(fmt.Sprintf("  seed %d", s.Seed+uint64(i)), percent(accuracy), "")
		}
	}
	t.Print(w)
	if len(s.TestAccuracies) > 0 {
		fmt.Fprintf(w, "\nOne node to test with is %s %%.\n", percent(1/float64(s.Test)))
	}
	if s.Out != "" {
		fmt.Fprintf(w, "\nThe model is in %s\n", s.Out)
	}
}

// encoderName is the encoder's name, or that of its structure.
func encoderName(e classify.Encoder, s *structure.Structure) string {
	if s != nil {
		return s.Title()
	}
	return e.String()
}

func percent(share float64) string { return fmt.Sprintf("%.2f", 100*share) }
