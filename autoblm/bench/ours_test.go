package main

import (
	"flag"
	"fmt"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
)

var (
	onBackend = flag.String("backend", "", "time GoMLX on this backend rather than the native engine")
	inSmall   = flag.Bool("small", false, "time the smallest shapes, which tells nothing of speed")
)

// BenchmarkStep is a training step of ComplEx on the benchmarks.
func BenchmarkStep(b *testing.B) { benchmark(b, false, step) }

// BenchmarkRank is the filtered ranking of the test triples by ComplEx.
func BenchmarkRank(b *testing.B) { benchmark(b, true, rank) }

// BenchmarkSearch is a whole small search on the embedded graph, with all that comes
// with it.
func BenchmarkSearch(b *testing.B) {
	s := autoblm.DefaultSearch()
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
	return autoblm.Compute{Engine: "gomlx", Backend: *onBackend, Note: func(text string) { fmt.Println("note:", text) }}
}

// benchmark times cases, with what is compiled apart. What they take is told for a
// member, without what must be done around them.
func benchmark(b *testing.B, rank bool, once func(*testing.B, kge.Engine, *datasets.Graph, timed) (seconds, compiling float64)) {
	for _, c := range suite(*onBackend, *inSmall) {
		if c.Rank != rank {
			continue
		}
		b.Run(c.ID, func(b *testing.B) {
			g, err := datasets.ReadFolder(realdata.Folder(b, c.Dataset))
			if err != nil {
				b.Fatal(err)
			}
			engine, err := compute().Open()
			if err != nil {
				b.Fatal(err)
			}
			defer engine.Close()
			fmt.Println("backend:", engine.Backend())
			compiling := 0.0
			if *onBackend != "" { // whose first time is for compiling
				_, compiling = once(b, engine, g, c)
			}
			var all []float64
			for b.Loop() {
				seconds, _ := once(b, engine, g, c)
				all = append(all, seconds/float64(c.Members))
			}
			b.ReportMetric(median(all), unitOfTime)
			b.ReportMetric(compiling, unitOfCompiling)
		})
	}
}

func members(count int) []kge.Member {
	all := make([]kge.Member, count)
	for i := range all {
		all[i] = kge.DefaultMember(structure.MustParse("complex"))
		all[i].Seed = uint64(i + 1)
	}
	return all
}

// step times a training step as the peer does: from one epoch's end to the next,
// by the number of steps between. All that training does beside its steps counts.
func step(b *testing.B, engine kge.Engine, g *datasets.Graph, c timed) (seconds, compiling float64) {
	settings := kge.DefaultSettings()
	settings.Dim, settings.Batch, settings.Epochs, settings.MaxSteps = c.Dim, c.Batch, epochs, c.Steps
	steps := min(c.Steps, (len(g.Train)+c.Batch-1)/c.Batch)
	var all []float64 // of a step, in each epoch after the first
	var last time.Time
	job := kge.Job{Data: completion.Data(g), Settings: settings, Members: members(c.Members), OnEpoch: func(p kge.Progress) {
		now := time.Now()
		if p.Epoch > 1 {
			all = append(all, now.Sub(last).Seconds()/float64(steps))
		}
		last = now
	}}
	report, err := kge.Train(b.Context(), engine, job)
	if err != nil {
		b.Fatal(err)
	}
	for _, r := range report.Results {
		if r.Err != nil {
			b.Fatal(r.Err)
		}
	}
	return median(all), report.Timing.Compile
}

// rank times the ranking of the test triples with the models and the index of the
// known answers in place, as the peer does. A triple is ranked before, since tables
// move to where they are used at their first use.
func rank(b *testing.B, engine kge.Engine, g *datasets.Graph, c timed) (seconds, compiling float64) {
	var parameters []kge.Parameters
	for _, m := range members(c.Members) {
		parameters = append(parameters, kge.Initialize(completion.Data(g), kge.Settings{Dim: c.Dim, InitScale: 0.1}, m))
	}
	ranker, err := engine.NewRanker(parameters, kge.AutoPrecision)
	if err != nil {
		b.Fatal(err)
	}
	defer ranker.Close()
	known := g.Known()
	if _, err := ranker.Rank(b.Context(), g.Test[:1], known); err != nil {
		b.Fatal(err)
	}
	var t kge.Timing
	stop := t.Evaluating(engine)
	if _, err := ranker.Rank(b.Context(), g.Test, known); err != nil {
		b.Fatal(err)
	}
	stop()
	return t.Evaluate, t.Compile
}
