package main

import (
	"cmp"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/record"
)

var (
	onBackend = flag.String("backend", "", "time GoMLX on this backend rather than the native engine")
	inSuite   = flag.String("suite", "", "speed, engines, trainings or device; default by -backend")
	inSmall   = flag.Bool("small", false, "time the smallest shapes, to test the program")
	keepIn    = flag.String("models", "", "folder to keep the trained models for rankings in")
	inEpochs  = flag.Int("epochs", 0, "number of epochs; 0 for that of the case")
	inSteps   = flag.Int("max-steps", 0, "with -epochs: limit of steps per epoch; 0 for none")
	inRank    = flag.Bool("rank", true, "with -epochs: rank after whole trainings")
	asked     = kge.AutoPrecision
)

func init() {
	flag.TextVar(&asked, "precision", kge.AutoPrecision,
		"the precision of products: auto, float32 or bfloat16")
}

// BenchmarkStep times a training step of ComplEx.
func BenchmarkStep(b *testing.B) { benchmark(b, stepKind, step) }

// BenchmarkRank times the filtered ranking of the test triples with ComplEx.
func BenchmarkRank(b *testing.B) { benchmark(b, rankKind, rank) }

// BenchmarkEpoch times an epoch of ComplEx on paths of two hops.
func BenchmarkEpoch(b *testing.B) { benchmark(b, epochKind, epoch) }

// BenchmarkTraining runs whole trainings.
func BenchmarkTraining(b *testing.B) { benchmark(b, trainingKind, wholeTraining) }

// BenchmarkClasses times an epoch of a classifier with ComplEx messages.
func BenchmarkClasses(b *testing.B) {
	for _, c := range casesOf(classKind) {
		b.Run(c.ID, func(b *testing.B) {
			for b.Loop() {
				printOutput(b, timeClasses(b, c))
			}
		})
	}
}

var notes []string // messages of the engine

func compute() autoblm.Compute {
	if *onBackend == "" {
		return autoblm.Compute{Engine: "cpu"}
	}
	return autoblm.Compute{
		Engine:  "gomlx",
		Backend: *onBackend,
		Note:    func(text string) { notes = append(notes, text) },
	}
}

// casesOf returns the cases of a kind in the suite of the flags.
func casesOf(w kind) []benchCase {
	s := suite(*inSuite)
	switch {
	case s == "" && *onBackend == "":
		s = cmp.Or(map[kind]suite{trainingKind: trainingsSuite, classKind: enginesSuite}[w], speedSuite)
	case s == "":
		s = deviceSuite
	}
	return slices.DeleteFunc(flags{Suite: s, Small: *inSmall}.cases(), func(c benchCase) bool {
		return c.What != w
	})
}

// scheduleOf returns the schedule of the flags, or that of a case.
func scheduleOf(c benchCase) schedule {
	if *inEpochs > 0 && c.What != rankKind {
		return schedule{*inEpochs, *inSteps, *inRank}
	}
	return c.schedule()
}

// benchmark times cases per member. Compile times are separate, and preparation is not included.
func benchmark(b *testing.B, w kind, prepare func(*testing.B, kge.Engine, benchCase) func() output) {
	for _, c := range casesOf(w) {
		b.Run(c.ID, func(b *testing.B) {
			engine, err := compute().Open()
			if err != nil {
				b.Fatal(err)
			}
			defer engine.Close()
			once := prepare(b, engine, c)
			compiling := 0.0
			if *onBackend != "" && w != trainingKind { // the first run compiles
				compiling = once().Compiling
			}
			var all []float64
			last := output{}
			for b.Loop() {
				last = once()
				all = append(all, last.seconds(c))
			}
			b.ReportMetric(record.Median(all), "s/member")
			last.Compiling = max(last.Compiling, compiling)
			most, _ := engine.Precision(kge.Bfloat16, form.Bilinear, 0, c.Dim) // else float32
			last.Backend, last.Notes = engine.Backend(most), notes
			printOutput(b, last)
		})
	}
}

func printOutput(b *testing.B, o output) {
	text, err := json.Marshal(o)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Printf("\n%s%s\n", outputMark, text)
}

func folder(b *testing.B, c benchCase) string { return realdata.Folder(b, c.Dataset) }

func graph(b *testing.B, c benchCase) *datasets.Graph {
	g, err := datasets.ReadFolder(folder(b, c))
	if err != nil {
		b.Fatal(err)
	}
	return g
}

// members returns the members of a case, ComplEx by default.
func members(b testing.TB, c benchCase) []kge.Member {
	all := make([]kge.Member, c.Members)
	for i := range all {
		m, err := memberOf(c)
		if err != nil {
			b.Fatal(err)
		}
		m.Seed = uint64(i + 1)
		all[i] = m
	}
	return all
}

func memberOf(c benchCase) (kge.Member, error) {
	m := kge.DefaultMember(structure.Structure{})
	m.LearningRate = cmp.Or(c.Rate, m.LearningRate)
	if c.Model == rotateModel {
		return m, m.Form.UnmarshalText([]byte(c.Model))
	}
	var err error
	m.Structure, err = structure.Parse(cmp.Or(c.Model, complexModel))
	return m, err
}

// settingsOf returns the settings of a case, without a precision.
func settingsOf(c benchCase) kge.Settings {
	s := kge.DefaultSettings()
	s.Dim, s.Batch, s.Reciprocal = c.Dim, c.Batch, c.Reverses
	s.Epochs, s.MaxSteps = scheduleOf(c).epochs, scheduleOf(c).steps
	if c.Negatives > 0 { // margin and temperature are those of pykeen/train.py
		s.Negatives, s.Margin, s.AdversarialTemperature = c.Negatives, 9, 1
	}
	return s
}

// resolve returns the resolved precision, and that of auto.
func resolve(
	b *testing.B, engine kge.Engine, f form.Form, c benchCase, entities int,
) (used kge.Precision, auto string) {
	resolved, err := engine.Precision(kge.AutoPrecision, f, entities, c.Dim)
	if err != nil {
		b.Fatal(err)
	}
	used, err = engine.Precision(asked, f, entities, c.Dim)
	if err != nil {
		b.Fatal(err)
	}
	return used, resolved.String()
}

// work returns the GFLOP of products of queries with all entities.
func work(products, queries, entities, dim int) float64 {
	return 2e-9 * float64(products) * float64(queries) * float64(entities) * float64(dim)
}

// step times a training step as peers do: the time between the ends of two epochs divided by the
// number of steps. It includes everything that training does.
func step(b *testing.B, engine kge.Engine, c benchCase) func() output {
	g := graph(b, c)
	settings := settingsOf(c)
	used, auto := resolve(b, engine, form.Bilinear, c, len(g.Entities))
	settings.Precision = used
	return func() output {
		job := kge.Job{Data: completion.Data(g), Settings: settings, Members: members(b, c)}
		o, _ := train(b, engine, job)
		for i := range o.Steps {
			o.Steps[i] /= float64(c.Members)
		}
		o.Auto, o.GFLOP = auto, work(3, 2*c.Batch, len(g.Entities), c.Dim)
		return o
	}
}

// epoch estimates the time of an epoch from some of its steps.
func epoch(b *testing.B, engine kge.Engine, c benchCase) func() output {
	data, err := query.ReadFolder(folder(b, c), 1, 2)
	if err != nil {
		b.Fatal(err)
	}
	settings := query.BasicSettings()
	settings.Dim, settings.Batch = c.Dim, c.Batch
	settings.Epochs, settings.MaxSteps = c.Epochs, c.Steps
	used, auto := resolve(b, engine, form.Bilinear, c, len(data.Entities))
	settings.Precision = used
	training, err := data.Training(settings.Paths)
	if err != nil {
		b.Fatal(err)
	}
	return func() output {
		o, _ := train(b, engine,
			kge.Job{Data: training, Settings: settings.Settings, Members: members(b, c)})
		o.Epoch = o.seconds(c) * float64(training.Count) / float64(c.Batch)
		o.Auto, o.GFLOP = auto, work(3, training.Count, len(data.Entities), c.Dim)
		return o
	}
}

// wholeTraining trains, and ranks if the schedule does.
func wholeTraining(b *testing.B, engine kge.Engine, c benchCase) func() output {
	g := graph(b, c)
	settings, all := settingsOf(c), members(b, c)
	used, auto := resolve(b, engine, all[0].Form, c, len(g.Entities))
	settings.Precision = used
	return func() output {
		job := kge.Job{Data: completion.Data(g), Settings: settings, Members: all}
		o, report := train(b, engine, job)
		o.Auto = auto
		o.PerEpoch = (len(g.Train) + c.Batch - 1) / c.Batch
		if !scheduleOf(c).rank {
			return o
		}
		begin := time.Now()
		e, err := completion.Evaluate(b.Context(), engine, report.Results[0].Model, g, "test",
			eval.Pessimistic)
		if err != nil {
			b.Fatal(err)
		}
		o.Test.MRR, o.Test.Seconds = e.Both.MRR, time.Since(begin).Seconds()
		return o
	}
}

// train trains and times the steps of each epoch, of all members together.
func train(b *testing.B, engine kge.Engine, job kge.Job) (o output, report *kge.Report) {
	o.Timed = (job.Data.Count + job.Settings.Batch - 1) / job.Settings.Batch
	if job.Settings.MaxSteps > 0 {
		o.Timed = min(o.Timed, job.Settings.MaxSteps)
	}
	last := time.Now()
	job.OnEpoch = func(kge.Progress) {
		now := time.Now()
		o.Steps = append(o.Steps, 1e3*now.Sub(last).Seconds()/float64(o.Timed))
		last = now
	}
	report = mustTrain(b, engine, job)
	o.Compiling = report.Timing.Compile
	return o, report
}

// timeClasses times epochs of a classifier twice. Only the first time compiles.
func timeClasses(b *testing.B, c benchCase) (o output) {
	g, err := rdf.Open(folder(b, c), rdf.Options{})
	if err != nil {
		b.Fatal(err)
	}
	engine, err := compute().OpenClassify()
	if err != nil {
		b.Fatal(err)
	}
	defer engine.Close()
	s := classify.Published(classify.BLM)
	s.Epochs, s.ValidateEvery, s.Patience = c.Epochs, c.Epochs, 0
	s.Folds, s.Repeats, s.Runs = 2, 1, 0
	m := classify.DefaultMember()
	m.Structure = structure.MustParse(complexModel)
	trainer, err := classify.NewTrainer(g, s, classify.Options{Engine: engine})
	if err != nil {
		b.Fatal(err)
	}
	defer trainer.Close()
	var seconds [2]float64
	for i := range seconds {
		began := time.Now()
		results, err := trainer.Train(b.Context(), []classify.Member{m})
		if err != nil {
			b.Fatal(err)
		}
		if results[0].Err != nil {
			b.Fatal(results[0].Err)
		}
		seconds[i] = time.Since(began).Seconds()
	}
	o.Epoch, o.Compiling = seconds[1]/float64(c.Epochs*s.Folds), max(0, seconds[0]-seconds[1])
	return o
}

// mustTrain trains, and ends the benchmark if a training fails or diverges.
func mustTrain(b *testing.B, engine kge.Engine, job kge.Job) *kge.Report {
	b.Helper()
	report, err := kge.Train(b.Context(), engine, job)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Err != nil {
			b.Fatal(r.Err)
		}
	}
	return report
}

// rank times the ranking of the test triples as peers do, after loading the models and the known
// answers. It ranks one triple first, because tables move to the device at their first use.
func rank(b *testing.B, engine kge.Engine, c benchCase) func() output {
	g := graph(b, c)
	known, queries := g.Known(), g.Test
	if c.Triples > 0 {
		queries = queries[:min(c.Triples, len(queries))]
	}
	used, auto := resolve(b, engine, form.Bilinear, c, len(g.Entities))
	once := func(models []kge.Parameters) (seconds, compiling, mrr float64) {
		ranker, err := engine.NewRanker(models, used)
		if err != nil {
			b.Fatal(err)
		}
		defer ranker.Close()
		if _, err := ranker.Rank(b.Context(), queries[:1], known); err != nil {
			b.Fatal(err)
		}
		var t kge.Timing
		stop := t.MeasureEvaluation(engine)
		ranks, err := ranker.Rank(b.Context(), queries, known)
		if err != nil {
			b.Fatal(err)
		}
		stop()
		mrr = completion.Summarize(ranks[0], eval.Pessimistic).Both.MRR
		return t.Evaluate / float64(c.Members), t.Compile, mrr
	}
	var fresh []kge.Parameters
	for _, m := range members(b, c) {
		fresh = append(fresh,
			kge.Initialize(completion.Data(g), kge.Settings{Dim: c.Dim, InitScale: 0.1}, m))
	}
	models := trained(b, engine, c, g)
	return func() (o output) {
		o.Auto, o.GFLOP = auto, work(1, 2*len(queries), len(g.Entities), c.Dim)
		if o.Test.Seconds, o.Compiling, _ = once(fresh); len(models) > 0 {
			o.Fresh = o.Test.Seconds
			o.Test.Seconds, o.Compiling, o.Test.MRR = once(models)
		}
		return o
	}
}

// trained returns the trained models to rank.
func trained(
	b *testing.B, engine kge.Engine, c benchCase, g *datasets.Graph,
) (all []kge.Parameters) {
	if c.Trained == 0 {
		return nil
	}
	dir := cmp.Or(*keepIn, b.TempDir())
	file := func(i int) string { return filepath.Join(dir, fmt.Sprintf("%s-%d", c.ID, i)) }
	if _, err := os.Stat(file(0)); err != nil {
		s := kge.DefaultSettings()
		s.Dim, s.Batch, s.Epochs, s.MaxSteps = c.Dim, c.Batch, 1, c.Trained
		s.Precision, err = engine.Precision(kge.AutoPrecision, form.Bilinear, len(g.Entities), c.Dim)
		if err != nil {
			b.Fatal(err)
		}
		report := mustTrain(b, engine,
			kge.Job{Data: completion.Data(g), Settings: s, Members: members(b, c)})
		for i := c.Members - 1; i >= 0; i-- { // the first file marks the complete set
			if err := report.Results[i].Model.Save(file(i)); err != nil {
				b.Fatal(err)
			}
		}
	}
	for i := range c.Members {
		m, err := kge.Load(file(i))
		if err != nil {
			b.Fatal(err)
		}
		all = append(all, m.Parameters)
	}
	return all
}
