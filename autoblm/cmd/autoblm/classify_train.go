package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/checkpoint"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/table"
)

type classifyTrainCommand struct {
	Dataset        string        `group:"Data and model" required:"" placeholder:"NAME|DIR" brief:"aifb, mutag, bgs, am, or a folder." help:"aifb, mutag, bgs, am, or a folder with a graph and classes.tsv, or trainingSet.tsv and testSet.tsv."`
	Structure      structureFlag `group:"Data and model" placeholder:"STRUCTURE" brief:"Structure of the messages of encoder blm." help:"Structure of the messages g(A, r) e of encoder blm, as for structure check. The default is ComplEx."`
	taskRecipeFlag `group:"Training"`
	Settings       classifySettings `embed:"" group:"Training"`
	Member         classifyMember   `embed:"" group:"Training"`
	Tune           int              `group:"Training" default:"0" min:"0" max:"10000" brief:"Settings to try first, drawn at random." help:"Number of random settings to cross-validate first. The best one sets dim, lr, dropout, l2, norm, reverse, self-loops and seen-by unless they are given."`
	Lenient        bool             `group:"Data and model" help:"Skip and count lines that are not N-Triples."`
	Normalize      bool             `group:"Data and model" help:"Merge labels that differ only in invisible characters, outer spaces or the Unicode form."`
	minutesFlag    `group:"Training"`
	modelOutFlags
	configFlag
	classifyBackend
}

// classifySettings and classifyMember have no methods, because the parser would call Validate
// before the settings are complete.
type (
	classifySettings classify.Settings
	classifyMember   classify.Member
)

// newClassifyTrain returns the command with the defaults of structures.
func newClassifyTrain() classifyTrainCommand {
	return classifyTrainCommand{
		Settings: classifySettings(classify.Defaults(classify.BLM)),
		Member:   classifyMember(classify.DefaultMember()),
	}
}

// resolve computes the settings.
func (c *classifyTrainCommand) resolve(line *kong.Context) error {
	named := func(name string) func() {
		return func() {
			defaults := classify.Defaults
			if name == basicRecipe {
				defaults = classify.Published
			}
			c.Settings = classifySettings(defaults(c.Settings.Encoder))
		}
	}
	structureOf := func() {
		c.Structure.Structure = structure.Structure{}
		if c.Settings.Encoder == classify.BLM {
			c.Structure.Structure = structure.MustParse("complex")
		}
	}
	return flags.Resolve(line, named(""), named(c.Recipe), structureOf)
}

// keepDrawn maps the flags of what --tune draws to functions that keep their values instead.
var keepDrawn = map[string]func(*classify.Ranges){
	"dim":        func(r *classify.Ranges) { r.Dims = nil },
	"lr":         func(r *classify.Ranges) { r.LearningRate = [2]float64{} },
	"dropout":    func(r *classify.Ranges) { r.Dropout = [2]float64{} },
	"l2":         func(r *classify.Ranges) { r.L2 = [2]float64{} },
	"norm":       func(r *classify.Ranges) { r.Norms = nil },
	"reverse":    func(r *classify.Ranges) { r.Reverse = nil },
	"self-loops": func(r *classify.Ranges) { r.SelfLoops = nil },
	"seen-by":    func(r *classify.Ranges) { r.SeenBy = nil },
}

// ranges returns the ranges that --tune draws from. Given flags keep their values.
func (c *classifyTrainCommand) ranges(line *kong.Context) classify.Ranges {
	r := classify.DefaultRanges()
	for flag, keep := range keepDrawn {
		if flags.IsGiven(line, flag) {
			keep(&r)
		}
	}
	return r
}

// classifySummary is the JSON of classify train. Epochs is the best number of epochs by
// cross-validation.
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
	Tuned          int                  `json:"tuned"` // trials before the training
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

func (c *classifyTrainCommand) Run(ctx context.Context, line *kong.Context, o *output) error {
	began := time.Now()
	if err := c.resolve(line); err != nil {
		return cli.Usage(err)
	}
	settings, member, err := c.checked()
	if err != nil {
		return cli.Usage(err)
	}
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	open := func(name string) (*rdf.Graph, error) {
		return rdf.Open(name, rdf.Options{Lenient: c.Lenient, Normalize: c.Normalize})
	}
	g, err := read(ctx, o, open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, append(g.Warnings(), g.GivenAway()...))
	if err := classify.CheckGraph(g, settings); err != nil { // before there is a folder
		return err
	}
	training := classifyTraining{settings, member, c.ranges(line), c.Tune}
	out, err := c.createFor(o, g, engine, training)
	if err != nil {
		return err
	}
	defer out.close()
	options := classify.Options{Engine: engine, KeepModels: true}
	options.Checkpoint, err = classify.OpenCheckpoint(out.file, c.SaveEvery, out.warn)
	if err != nil {
		return err
	}
	options.Deadline = endOf(c.deadline(began, 0))
	bar := newBar(o, "training", 1, time.Hour, options.Deadline)
	options.OnProgress = func(done, total int) {
		bar.Describe(fmt.Sprintf("%s of %s epochs of models", format.Int(done), format.Int(total)))
		bar.Set(int64(done), int64(total))
	}
	result, err := training.train(ctx, g, options)
	bar.Finish()
	switch {
	case err != nil && errors.Is(err, ctx.Err()):
		return out.interrupted(ctx, err, "interrupted", nil)
	case errors.Is(err, classify.ErrDiverged):
		return errors.Join(err, out.done())
	case err != nil:
		return err
	}
	out.deadlineExceeded = result.StoppedEarly != nil || training.tune < c.Tune
	summary := summarizeClassify(g, training.settings, result)
	summary.Tuned, summary.Seconds = training.tune, time.Since(began).Seconds()
	if result.Model != nil {
		if err := out.save(result.Model); err != nil {
			return err
		}
		summary.Out = out.folder
		c.Settings, c.Member = classifySettings(training.settings), classifyMember(training.member)
		if err := out.saveConfig("classify train", line, c.useOf); err != nil {
			return err
		}
	}
	summary.warnOfMajority(o, g)
	err = o.Result(summary, func(w io.Writer) {
		o.Show(summary.block(g))
		if o.Verbose {
			summary.printDetails(w)
		}
	})
	if err != nil {
		return err
	}
	return out.done()
}

// checked returns the settings, after checks that need no graph.
func (c *classifyTrainCommand) checked() (classify.Settings, classify.Member, error) {
	s, m := classify.Settings(c.Settings), classify.Member(c.Member)
	m.Structure = c.Structure.Structure
	if m.Structure.K() > 0 && s.Encoder != classify.BLM {
		return s, m, fmt.Errorf("the encoder %v has no structure: give either --structure or --encoder",
			s.Encoder)
	}
	return s, m, errors.Join(s.Validate(), m.Validate())
}

// createFor creates the folder of the training. The caller must close the output.
func (c *classifyTrainCommand) createFor(
	o *output, g *rdf.Graph, engine classify.Engine, t classifyTraining,
) (*modelOutput, error) {
	key, err := json.Marshal([]any{g.Fingerprint(), t.settings, t.member, t.tune, t.ranges})
	if err != nil {
		return nil, err
	}
	file := checkpoint.Name(key, engine.Name(), engine.Backend())
	return c.create(o, "classify-train", g.Name, file, file, file, false, nil)
}

// classifyTraining is a training after a number of trials to tune its settings.
type classifyTraining struct {
	settings classify.Settings
	member   classify.Member
	ranges   classify.Ranges
	tune     int
}

// train tunes the settings, if requested, and trains. It replaces the settings by the best ones,
// and tune by the number of trials.
func (t *classifyTraining) train(
	ctx context.Context, g *rdf.Graph, o classify.Options,
) (classify.Result, error) {
	if t.tune > 0 {
		tuned, err := classify.Tune(ctx, g, t.settings, t.member, t.ranges, t.tune, t.member.Seed, o)
		if err != nil {
			return classify.Result{}, err
		}
		runs := t.settings.Runs
		t.settings, t.member, t.tune = tuned[0].Settings, tuned[0].Result.Member, len(tuned)
		t.settings.Runs = runs
	}
	results, err := classify.TrainOnce(ctx, g, t.settings, o, []classify.Member{t.member})
	if err != nil {
		return classify.Result{}, err
	}
	return results[0], results[0].Err
}

func summarizeClassify(g *rdf.Graph, s classify.Settings, r classify.Result) classifySummary {
	mean, deviation := r.TestAccuracy()
	summary := classifySummary{
		Settings: s, Member: r.Member, Dataset: g.Name, Task: classify.TaskName,
		Nodes: len(g.Nodes), Relations: len(g.Relations), Edges: len(g.Triples),
		Classes: len(g.Classes), Train: len(g.Train), Test: len(g.Test), Skipped: g.Skipped,
		SeenBy: s.SeenBy, Seed: r.Member.Seed, Epochs: r.Epochs, StoppedEarly: r.StoppedEarly,
		CVAccuracy: r.CVAccuracy, TestAccuracy: mean, TestDeviation: deviation,
		TestAccuracies: orEmpty(r.TestAccuracies),
	}
	if s.Encoder == classify.BLM {
		summary.Structure = &r.Member.Structure
	}
	return summary
}

// warnOfMajority warns if a classifier is not better than the most frequent class.
func (s classifySummary) warnOfMajority(o *output, g *rdf.Graph) {
	counts := make([]int, len(g.Classes))
	for _, l := range g.Train {
		counts[l.Class]++
	}
	most := slices.Max(counts)
	share := float64(most) / float64(len(g.Train))
	if s.CVAccuracy <= share {
		o.Message("autoblm: warning: valid accuracy %.3f is not above %.3f, the share of the most "+
			"frequent class (%s)", s.CVAccuracy, share, g.Classes[slices.Index(counts, most)])
		o.Message("autoblm: train for more --epochs or --minutes, or try --tune 8")
	}
}

// block returns the final output, with a command for the graph.
func (s classifySummary) block(g *rdf.Graph) cli.Block {
	b := cli.Block{Title: []string{"training finished", s.Dataset, encoderName(s.Encoder, s.Structure),
		format.Count(s.Epochs, "epoch"), format.Brief(s.Seconds)}}
	if runs := len(s.TestAccuracies); runs > 0 {
		cells := []string{"accuracy " + format.Cell(s.TestAccuracy)}
		if runs > 1 {
			cells = append(cells, "± "+format.Cell(s.TestDeviation))
		}
		b.Add("test", append(cells, format.Count(runs, "run"))...)
		b.Note("One test node counts " + format.Cell(1/float64(s.Test)) + ".")
	}
	b.Add("valid", "accuracy "+format.Cell(s.CVAccuracy), "cross-validated")
	if e := s.StoppedEarly; e != nil {
		b.Title[0], b.Unfinished = "training stopped by its deadline", true
		b.Note(fmt.Sprintf("Stopped after epoch %d of %d of the %s; the same command resumes it.",
			e.Epoch, e.Epochs, e.Phase))
	}
	if s.Out != "" {
		b.Add("model", s.Out)
		b.Next = append(b.Next, nextNode(s.Out, g))
	}
	return b
}

// printDetails prints the sizes of the graph, the settings and the runs.
func (s classifySummary) printDetails(w io.Writer) {
	t := table.New("name", "value")
	t.Add("nodes", s.Nodes)
	t.Add("relations", s.Relations)
	t.Add("edges", s.Edges)
	t.Add("classes", s.Classes)
	t.Add("training nodes", s.Train)
	t.Add("test nodes", s.Test)
	t.Add("settings", s.Settings.InShort())
	t.Add("learning rate", fmt.Sprintf("%.3g", s.LearningRate))
	t.Add("dropout", fmt.Sprintf("%.2g", s.Dropout))
	t.Add("l2", fmt.Sprintf("%.2g", s.L2))
	for i, accuracy := range s.TestAccuracies {
		t.Add(fmt.Sprintf("test accuracy, seed %d", s.Seed+uint64(i)), accuracy)
	}
	fmt.Fprintln(w)
	t.Print(w)
}
