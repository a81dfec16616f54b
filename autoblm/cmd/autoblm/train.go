package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"github.com/alecthomas/kong"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/recipe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/autoblm/autoblm-go/internal/modelfolder"
	"github.com/autoblm/autoblm-go/internal/settings/flags"
	"github.com/autoblm/autoblm-go/internal/table"
)

type trainCommand struct {
	Dataset       string `group:"Data and model" required:"" placeholder:"NAME|DIR" brief:"Name from dataset list, folder or file." help:"Name from dataset list, a folder, or a file of facts."`
	modelFlags    `group:"Data and model"`
	startFlags    `group:"Data and model"`
	trainingFlags `group:"Training"`
	teacherFlags  `group:"Training"`
	variantFlags
	Members     int  `group:"Training" default:"1" min:"1" max:"1024" minor:"" brief:"Number of models, with seeds from --seed on." help:"Number of models to train together, with seeds from --seed on."`
	KeepMembers bool `group:"Results" help:"Keep the models of all members, in folders such as seed-1 within that of the first."`
	NoEval      bool `group:"Results" help:"Do not rank at the end, and during training only with --validate-every."`
	minutesFlag `group:"Training"`
	modelOutFlags
	logFlags
	configFlag
	computeFlags
	Tables     string `output:"" group:"Compute" placeholder:"DIR" brief:"Folder for embeddings larger than memory." help:"Folder in which embeddings of entities and their optimizer state are files during the training, for graphs larger than memory. Use it with --buckets; the files have no names and end with the command."`
	recipeName string // of the recipe in use
	mostEpochs int    // of a training that follows its deadline, else 0
}

// resolve computes the settings for a graph of a size; before the graph is read, it is nil.
func (c *trainCommand) resolve(line *kong.Context, size *recipe.Size) error {
	var layers []func()
	if c.Recipe != "" {
		r, err := c.named(c.Dataset)
		if err != nil {
			return err
		}
		c.recipeName = r.Name
		layers = append(layers, c.recipeModel(line, r),
			recipeLayer(&c.Settings, r.Recipe))
	} else {
		r, found := recipe.ForModel(c.Model, c.Encoding.Encoder)
		switch {
		case found:
			layers = append(layers, c.recipeModel(line, r))
		case c.Model == form.Bilinear:
			r = recipe.Default(*cmp.Or(size, &usualSize))
			layers = append(layers, c.recipeModel(line, r))
		default:
			r = recipe.Basic()
		}
		c.recipeName = r.Name
		layers = append(layers, recipeLayer(&c.Settings, r.Recipe))
	}
	layers = append(layers, func() {
		c.Settings = recipe.Adapt(c.Settings, c.Model, c.Structure.Structure, c.Message.Structure)
	}, c.fromLayer(), c.impliedLayer(line, &c.Settings), func() {
		s := &c.Settings.Training
		if !flags.IsGiven(line, "validate-every", "patience", "plateau-patience") {
			if size != nil {
				size.FitValidation(s)
			}
			if c.NoEval {
				s.SkipValidation()
			}
		}
		s.Distillation = c.Distillation
	})
	s := &c.Settings.Training
	layers = append(layers, c.variantFlags.fromLayer(s), c.samplingLayer(&c.Model, s),
		c.binaryLayer(&c.Settings))
	err := flags.Resolve(line, layers...)
	c.variantFlags.apply(s)
	return err
}

// recipeModel returns the layer that trains the model of a recipe, unless another one is given.
func (c *trainCommand) recipeModel(line *kong.Context, r recipe.Recipe) func() {
	return func() {
		if c.Model == form.Bilinear {
			c.Structure.Structure = r.Structure
		}
		if !flags.IsGiven(line, "structure") {
			c.Model = r.Form
		}
	}
}

// trainSummary is the JSON of train.
type trainSummary struct {
	trainedSummary
	Recipe  string                 `json:"recipe"`
	Engine  string                 `json:"engine"`
	Backend string                 `json:"backend"`
	Valid   *completion.Evaluation `json:"valid"`
	Test    *completion.Evaluation `json:"test"`
	Members []memberSummary        `json:"members,omitempty"`
	// Popularity has the metrics of the baseline by split.
	Popularity popularity `json:"popularity,omitempty"`
	// Start has the numbers of labels that began with an embedding.
	Start *kge.Matched `json:"start,omitempty"`
	// Teacher describes the model of --from-ensemble.
	Teacher *teacherSummary `json:"teacher,omitempty"`
}

type memberSummary struct {
	Seed  uint64                 `json:"seed"`
	Loss  []float64              `json:"loss"`
	Valid *completion.Evaluation `json:"valid"`
	Test  *completion.Evaluation `json:"test"`
	Error string                 `json:"error,omitempty"`
	Out   string                 `json:"out,omitempty"`
}

func (c *trainCommand) Run(ctx context.Context, line *kong.Context, o *output) error {
	began := time.Now()
	if c.Tables != "" {
		debug.SetGCPercent(25) // so that garbage takes little memory
	}
	if err := errors.Join(c.readStart(), c.readTeacher()); err != nil {
		return err
	}
	if err := c.resolve(line, nil); err != nil {
		return cli.Usage(err)
	}
	if _, err := c.members(); err != nil { // before reading the data
		return cli.Usage(c.withRecipe(err))
	}
	if c.Model == form.Bilinear && c.Structure.Degenerate() {
		o.Message("autoblm: the structure is degenerate: autoblm structure check shows how")
	}
	g, err := read(ctx, o, datasets.Open, c.Dataset)
	if err != nil {
		return err
	}
	warn(o, g.Warnings("valid", "test"))
	warnTrainedOn(ctx, o, c.models, g, true, "valid", "test")
	if err := c.prepareTeacher(ctx, o, g); err != nil {
		return err
	}
	c.Compute = c.ForTraining(c.Settings.Training, c.Model)
	engine, err := c.open()
	if err != nil {
		return err
	}
	defer engine.Close()
	if engine, err = c.withTables(engine); err != nil {
		return err
	}
	var popular popularityRanks
	beforeRanks := time.Now()
	if !c.NoEval { // now, because after the training the deadline is near
		popular = rankPopularity(ctx, g, completion.FinalLimits(g))
	}
	pass := time.Since(beforeRanks) // over the graph, on this machine with its load
	if err := c.fit(ctx, line, o, engine, g, began); err != nil {
		return err
	}
	job, err := c.job(g)
	if err != nil {
		return cli.Usage(err)
	}
	matched, err := c.reportStart(o, job)
	if err != nil {
		return err
	}
	var end time.Time
	if job.Deadline = c.deadline(began, c.queries(g)); job.Deadline != nil {
		end, job.Deadline.Epochs = job.Deadline.End, c.mostEpochs
		if !c.NoEval {
			job.Deadline.End = end.Add(-time.Duration(calibrationShare * float64(end.Sub(began))))
		}
	}
	c.pinEngine(engine)
	out, err := c.createFor(o, "train", engine, job, c.following(line))
	if err != nil {
		return err
	}
	defer out.close()
	if c.KeepMembers {
		if err := makeFolders(out.folder, job.Members); err != nil {
			return err
		}
	}
	if c.Minutes == 0 { // else it has answered
		if err := c.answer(ctx, o, engine, job); err != nil {
			return err
		}
	}
	closeLog, err := c.record(o, out, &job)
	if err != nil {
		return err
	}
	noteEnd := context.AfterFunc(ctx, func() {
		if c.Tables != "" { // the first checkpoint may take long to write
			o.Message("autoblm: ending the training; ctrl-c again ends it at once")
		}
	})
	report, err := out.train(ctx, engine, job)
	closeLog()
	noteEnd()
	if err != nil {
		return err
	}
	if c.Tables != "" {
		debug.FreeOSMemory() // of the training
	}
	if err := c.save(line, out, report); err != nil {
		return err
	}
	evaluations := make([]completion.Evaluations, c.Members)
	if !c.NoEval {
		evaluations, err = evaluate(ctx, out, engine, g, report, job.Deadline)
		if err != nil {
			return err
		}
	}
	first := report.Results[0]
	var interrupted error // after the results are complete
	if c.Out != "" && !c.NoEval {
		p := completion.Single{Model: first.Model}
		if !end.IsZero() { // between two looks at the deadline, it passes over the graph
			end = end.Add(-pass)
		}
		interrupted = calibrateNew(ctx, o, p, cpu.New(c.Threads), g, c.Out, end)
	}
	if first.Err == nil || c.Members > 1 {
		summary := c.summary(g, engine, report, evaluations, out.folder)
		summary.Popularity, summary.Start, summary.Teacher = popularity{}, matched, c.teacherSummary()
		summary.Popularity.addRanked(popular, "valid", summary.Valid)
		summary.Popularity.addRanked(popular, "test", summary.Test)
		advice := trainLonger
		if report.StoppedEarly != nil {
			advice = fmt.Sprintf("use more --minutes, or a smaller --dim than %d", c.Settings.Training.Dim)
		}
		summary.Popularity.warn(o, "test", summary.Test, advice)
		err := o.Result(summary, func(w io.Writer) {
			o.Show(summary.block(g, c.Dataset))
			if o.Verbose {
				summary.printDetails(w)
			}
		})
		if err != nil {
			return err
		}
	}
	return errors.Join(first.Err, interrupted, out.done())
}

// withTables returns an engine that keeps embeddings in the files of --tables, if it is given.
func (c *trainCommand) withTables(engine kge.Engine) (kge.Engine, error) {
	if c.Tables == "" {
		return engine, nil
	}
	native, isNative := engine.(*cpu.Engine)
	if !isNative {
		return nil, cli.Usage(fmt.Errorf("--tables needs the engine cpu, not %s", engine.Name()))
	}
	if err := os.MkdirAll(c.Tables, 0o755); err != nil {
		return nil, err
	}
	debug.FreeOSMemory() // of reading
	return native.WithTables(c.Tables), nil
}

// save writes the model of the first member, and those of all members with --keep-members. Out is
// then the folder of the first, "" if it diverged.
func (c *trainCommand) save(line *kong.Context, out *modelOutput, report *kge.Report) error {
	c.Out = ""
	if first := report.Results[0]; first.Err == nil {
		if err := out.save(first.Model); err != nil {
			return err
		}
		c.Out = out.folder
		c.Settings.Training.Precision, c.Settings.Training.Epochs = report.Precision, report.Epochs
		if err := out.saveConfig("train", line, pinned); err != nil {
			return err
		}
	}
	if !c.KeepMembers {
		return nil
	}
	return saveMembers(out, report)
}

// queries returns the number of triples to rank at the end.
func (c *trainCommand) queries(g *datasets.Graph) int {
	if c.NoEval {
		return 0
	}
	limits := completion.FinalLimits(g)
	return len(eval.Sample(g.Valid, limits.Valid)) + len(eval.Sample(g.Test, limits.Test))
}

// members returns the members to train.
func (c *trainCommand) members() (members []kge.Member, err error) {
	for i := range c.Members {
		m := c.Settings.For(c.Model, c.Structure.Structure, c.Seed+uint64(i))
		if err := c.choose(&m); err != nil {
			return nil, err
		}
		if err := c.Settings.Training.ValidateFor(m); err != nil {
			return nil, err
		}
		members = append(members, m)
	}
	return members, nil
}

// withRecipe adds to an error of the settings that --recipe is for another model, if its settings do not
// fit the chosen one.
func (c *trainCommand) withRecipe(err error) error {
	if c.Recipe == "" {
		return err
	}
	r, _ := c.named(c.Dataset)
	adapted := recipe.Adapt(r.Recipe, c.Model, c.Structure.Structure)
	adapted.Training.Encoder = c.Encoding.Encoder
	fits := adapted.Training.ValidateFor(adapted.For(c.Model, c.Structure.Structure, c.Seed)) == nil
	if fits || r.IsOf(c.Model, c.Encoding.Encoder) {
		return err
	}
	model := r.Form.Title(r.Structure)
	switch {
	case r.Training.Encoder != kge.NoEncoder:
		model = "the encoder " + r.Training.Encoder.String()
	case r.Searches():
		model = "structures"
	}
	return fmt.Errorf("the recipe %s is for %s, so use another one or override it: %w", r.Name, model, err)
}

// memberFolder returns the folder of a member within that of the first.
func memberFolder(dir string, m kge.Member) string {
	return filepath.Join(dir, fmt.Sprintf("seed-%d", m.Seed))
}

// makeFolders creates the folders of all members, so that the training does not fail at the end.
func makeFolders(dir string, members []kge.Member) error {
	for _, m := range members {
		if err := modelfolder.Prepare(memberFolder(dir, m)); err != nil {
			return err
		}
	}
	return nil
}

// saveMembers saves the models of the members that did not diverge.
func saveMembers(out *modelOutput, report *kge.Report) error {
	saved := 0
	for _, r := range report.Results {
		folder := memberFolder(out.folder, r.Member)
		if r.Err != nil {
			_ = os.Remove(folder) // fails if it holds the model of another training
			continue
		}
		if err := r.Model.Save(folder); err != nil {
			return err
		}
		saved++
	}
	if saved > 0 {
		out.o.Saved("the models of all members are in %s", filepath.Join(out.folder, "seed-*"))
	}
	return nil
}

// evaluate ranks the validation and test triples with the members that did not diverge, and adds
// the time to the report. Without a deadline, the ranking can be resumed if the first model is
// saved.
func evaluate(
	ctx context.Context, out *modelOutput, engine kge.Engine, g *datasets.Graph,
	report *kge.Report, d *kge.Deadline,
) ([]completion.Evaluations, error) {
	defer report.Timing.MeasureEvaluation(engine)()
	models := make([]*kge.Model, len(report.Results))
	for i, r := range report.Results {
		models[i] = r.Model
	}
	how, done := showRanking(out.o, d)
	defer done()
	how.Limits = completion.FinalLimits(g)
	var file string
	if d == nil && report.Results[0].Err == nil {
		var err error
		if file, err = out.rankingFile(); err != nil {
			return nil, err
		}
	}
	if file != "" {
		engine = resumableRanking(out.o, engine, file, out.SaveEvery)
	}
	evaluations, err := completion.EvaluateAll(ctx, engine, models, g, how)
	return evaluations, rankingError(err, out.file, file)
}

func (c *trainCommand) summary(
	g *datasets.Graph, engine kge.Engine, report *kge.Report, evaluations []completion.Evaluations,
	folder string,
) trainSummary {
	s := trainSummary{
		trainedSummary: summarizeTraining(g.Name, c.Settings.Training.Dim, report, c.Out),
		Recipe:         c.recipeName, Engine: engine.Name(), Backend: engine.Backend(report.Precision),
		Valid: evaluations[0].Valid, Test: evaluations[0].Test,
	}
	if c.Members == 1 {
		return s
	}
	for i, r := range report.Results {
		m := memberSummary{Seed: r.Member.Seed, Loss: orEmpty(r.Loss)}
		if r.Err != nil {
			m.Error = r.Err.Error()
		} else {
			m.Valid, m.Test = evaluations[i].Valid, evaluations[i].Test
			if c.KeepMembers {
				m.Out = memberFolder(folder, r.Member)
			}
		}
		s.Members = append(s.Members, m)
	}
	return s
}

// block returns the final output of a training, with commands for its graph.
func (s trainSummary) block(g *datasets.Graph, dataset string) cli.Block {
	b := s.trainedSummary.block(s.title())
	addEvaluation(&b, "test", s.Test)
	addEvaluation(&b, "valid", s.Valid)
	s.Popularity.addRow(&b, "test", "valid")
	if len(s.Members) > 0 {
		b.Add("seeds", s.spread())
	}
	if s.Out == "" {
		return b
	}
	b.Add("model", s.Out)
	b.Next = append(b.Next, nextTail(s.Out, g))
	if len(s.Members) > 0 {
		b.Note(fmt.Sprintf("The model is that of seed %d, the first.", s.Members[0].Seed))
	}
	if folders := s.folders(); len(folders) > 1 && len(g.Valid) > 0 {
		together := append([]string{"ensemble", "--dataset", dataset}, folders...)
		b.Next = append(b.Next, shellCommand(together))
	}
	switch {
	case s.Test != nil:
		b.Next = append(b.Next, shellCommand([]string{"search", "--dataset", dataset, "--minutes", "10"}))
	case len(g.Test) > 0:
		b.Next = append(b.Next, shellCommand([]string{"eval", "--model", s.Out}))
	}
	return b
}

// folders returns the folders of the members that are kept.
func (s trainSummary) folders() (all []string) {
	for _, m := range s.Members {
		if m.Out != "" {
			all = append(all, m.Out)
		}
	}
	return all
}

// spread describes the test scores of the members, or else their validation scores.
func (s trainSummary) spread() string {
	var tested, validated []float64
	for _, m := range s.Members {
		valid, test := completion.Evaluations{Valid: m.Valid, Test: m.Test}.Scores()
		if test != nil {
			tested = append(tested, *test)
		}
		if valid != nil {
			validated = append(validated, *valid)
		}
	}
	metric, scores := "test MRR", tested
	if len(tested) == 0 {
		metric, scores = "valid MRR", validated
	}
	if len(scores) == 0 {
		return format.Count(len(s.Members), "model")
	}
	return fmt.Sprintf("%s of %s, %s %s to %s", format.Int(len(scores)),
		format.Count(len(s.Members), "model"), metric, format.Cell(slices.Min(scores)),
		format.Cell(slices.Max(scores)))
}

// printDetails prints all metrics and members.
func (s trainSummary) printDetails(w io.Writer) {
	t := completion.NewTable()
	s.Valid.AddTo(t, "valid", false)
	s.Popularity.addTo(t, "valid")
	s.Test.AddTo(t, "test", true)
	s.Popularity.addTo(t, "test")
	s.trainedSummary.printDetails(w, t)
	if len(s.Members) == 0 {
		return
	}
	fmt.Fprintln(w)
	t = table.New("seed", "loss", "valid MRR", "test MRR", "folder")
	for _, m := range s.Members {
		loss := lastLoss(m.Loss)
		if m.Error != "" {
			loss = "diverged"
		}
		valid, test := completion.Evaluations{Valid: m.Valid, Test: m.Test}.Scores()
		t.Add(m.Seed, loss, valid, test, m.Out)
	}
	t.Print(w)
}
