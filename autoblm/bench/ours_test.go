package main

import (
	"cmp"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/autoblm/autoblm-go/internal/record"
)

var (
	onBackend = flag.String("backend", "", "time GoMLX on this backend rather than the native engine")
	inSmall   = flag.Bool("small", false, "time the smallest shapes, to test the program")
	keepIn    = flag.String("models", "", "folder to keep the trained models for rankings in")
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

// BenchmarkSearch times a small search on the embedded graph.
func BenchmarkSearch(b *testing.B) {
	s := autoblm.DefaultSearch()
	s.Settings = search.BasicSettings()
	s.Budget, s.Training.Epochs, s.Compute = 16, 5, compute()
	for b.Loop() {
		if _, err := autoblm.Search(b.Context(), datasets.World(), s); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(float64(b.N*s.Budget)/b.Elapsed().Seconds(), "structures/s")
}

func compute() autoblm.Compute {
	if *onBackend == "" {
		return autoblm.Compute{Engine: "cpu"}
	}
	return autoblm.Compute{
		Engine:  "gomlx",
		Backend: *onBackend,
		Note:    func(text string) { fmt.Println("note:", text) },
	}
}

// benchmark times cases per member. Compile times are separate, and preparation is not included.
func benchmark(b *testing.B, w kind, prepare func(*testing.B, kge.Engine, benchCase) func() run) {
	for _, c := range suite(*onBackend, *inSmall) {
		if c.What != w {
			continue
		}
		b.Run(c.ID, func(b *testing.B) {
			engine, err := compute().Open()
			if err != nil {
				b.Fatal(err)
			}
			defer engine.Close()
			most, _ := engine.Precision(kge.Bfloat16, form.Bilinear, 0, c.Dim) // else float32
			fmt.Println("backend:", engine.Backend(most))
			once := prepare(b, engine, c)
			compiling := 0.0
			if *onBackend != "" { // the first run compiles
				compiling = once().compiling
			}
			var all, fresh []float64
			last := run{}
			for b.Loop() {
				last = once()
				all = append(all, last.seconds/float64(c.Members))
				fresh = append(fresh, last.fresh/float64(c.Members))
			}
			b.ReportMetric(record.Median(all), unitOfTime)
			b.ReportMetric(last.gflop, unitOfWork)
			b.ReportMetric(compiling, unitOfCompiling)
			if last.fresh > 0 {
				b.ReportMetric(record.Median(fresh), unitOfFresh)
				b.ReportMetric(last.mrr, unitOfMRR)
			}
		})
	}
}

func folder(b *testing.B, c benchCase) string { return realdata.Folder(b, c.Dataset) }

func graph(b *testing.B, c benchCase) *datasets.Graph {
	g, err := datasets.ReadFolder(folder(b, c))
	if err != nil {
		b.Fatal(err)
	}
	return g
}

func members(count int) []kge.Member {
	all := make([]kge.Member, count)
	for i := range all {
		all[i] = kge.DefaultMember(structure.MustParse("complex"))
		all[i].Seed = uint64(i + 1)
	}
	return all
}

// resolve returns the resolved precision, and prints that of auto.
func resolve(b *testing.B, engine kge.Engine, c benchCase, entities int) kge.Precision {
	auto, err := engine.Precision(kge.AutoPrecision, form.Bilinear, entities, c.Dim)
	if err != nil {
		b.Fatal(err)
	}
	fmt.Println("auto:", auto)
	used, err := engine.Precision(asked, form.Bilinear, entities, c.Dim)
	if err != nil {
		b.Fatal(err)
	}
	return used
}

// work returns the GFLOP of products of queries with all entities.
func work(products, queries, entities, dim int) float64 {
	return 2e-9 * float64(products) * float64(queries) * float64(entities) * float64(dim)
}

// step times a training step as peers do: the time between the ends of two epochs divided by the
// number of steps. It includes everything that training does.
func step(b *testing.B, engine kge.Engine, c benchCase) func() run {
	g := graph(b, c)
	settings := kge.DefaultSettings()
	settings.Dim, settings.Batch = c.Dim, c.Batch
	settings.Epochs, settings.MaxSteps = epochs, c.Steps
	settings.Precision = resolve(b, engine, c, len(g.Entities))
	return func() run {
		seconds, compiling := train(b, engine,
			kge.Job{Data: completion.Data(g), Settings: settings, Members: members(c.Members)})
		return run{
			seconds:   seconds,
			compiling: compiling,
			gflop:     work(3, 2*c.Batch, len(g.Entities), c.Dim),
		}
	}
}

// epoch estimates the time of an epoch from some of its steps.
func epoch(b *testing.B, engine kge.Engine, c benchCase) func() run {
	data, err := query.ReadFolder(folder(b, c), 1, 2)
	if err != nil {
		b.Fatal(err)
	}
	settings := query.BasicSettings()
	settings.Dim, settings.Batch = c.Dim, c.Batch
	settings.Epochs, settings.MaxSteps = epochs, c.Steps
	settings.Precision = resolve(b, engine, c, len(data.Entities))
	training, err := data.Training(settings.Paths)
	if err != nil {
		b.Fatal(err)
	}
	return func() run {
		seconds, compiling := train(b, engine,
			kge.Job{Data: training, Settings: settings.Settings, Members: members(c.Members)})
		return run{
			seconds:   seconds * float64(training.Count) / float64(c.Batch),
			compiling: compiling,
			gflop:     work(3, training.Count, len(data.Entities), c.Dim),
		}
	}
}

// train returns the median seconds of a step after the first epoch, and those of compiling.
func train(b *testing.B, engine kge.Engine, job kge.Job) (seconds, compiling float64) {
	steps := timedSteps(job.Data.Count, job.Settings)
	var all []float64
	job.OnEpoch = timeSteps(steps, &all)
	report := mustTrain(b, engine, job)
	return record.Median(all[1:]), report.Timing.Compile
}

// timedSteps returns the number of steps per epoch.
func timedSteps(examples int, s kge.Settings) int {
	steps := (examples + s.Batch - 1) / s.Batch
	if s.MaxSteps > 0 {
		steps = min(steps, s.MaxSteps)
	}
	return steps
}

// timeSteps returns a callback that adds the seconds per step of each epoch.
func timeSteps(steps int, all *[]float64) func(kge.Progress) {
	last := time.Now()
	return func(kge.Progress) {
		now := time.Now()
		*all = append(*all, now.Sub(last).Seconds()/float64(steps))
		last = now
	}
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
func rank(b *testing.B, engine kge.Engine, c benchCase) func() run {
	g := graph(b, c)
	known := g.Known()
	used := resolve(b, engine, c, len(g.Entities))
	once := func(models []kge.Parameters) (seconds, compiling, mrr float64) {
		ranker, err := engine.NewRanker(models, used)
		if err != nil {
			b.Fatal(err)
		}
		defer ranker.Close()
		if _, err := ranker.Rank(b.Context(), g.Test[:1], known); err != nil {
			b.Fatal(err)
		}
		var t kge.Timing
		stop := t.MeasureEvaluation(engine)
		ranks, err := ranker.Rank(b.Context(), g.Test, known)
		if err != nil {
			b.Fatal(err)
		}
		stop()
		return t.Evaluate, t.Compile, completion.Summarize(ranks[0], eval.Pessimistic).Both.MRR
	}
	var fresh []kge.Parameters
	for _, m := range members(c.Members) {
		fresh = append(fresh,
			kge.Initialize(completion.Data(g), kge.Settings{Dim: c.Dim, InitScale: 0.1}, m))
	}
	models := trained(b, engine, c, g)
	return func() (r run) {
		r.gflop = work(1, 2*len(g.Test), len(g.Entities), c.Dim)
		if r.seconds, r.compiling, _ = once(fresh); len(models) > 0 {
			r.fresh = r.seconds
			r.seconds, r.compiling, r.mrr = once(models)
		}
		return r
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
			kge.Job{Data: completion.Data(g), Settings: s, Members: members(c.Members)})
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
