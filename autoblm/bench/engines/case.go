package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// times holds seconds per piece of work, and seconds of compiling.
type times struct{ each, compiling float64 }

// benchCase is a benchmark that all engines run.
type benchCase struct {
	id, name, dataset string
	run               func(ctx context.Context, folder string, on autoblm.Compute) (times, error)
}

// cases returns the benchmarks: those of package bench, without what is too large for GoMLX's own
// backend, and classifiers.
func cases() []benchCase {
	return []benchCase{
		steps("umls", 64, 256, 1, 20),
		steps("umls", 64, 256, 8, 20),
		steps("wn18rr", 64, 512, 1, 2),
		steps("fb15k-237", 64, 512, 1, 6),
		steps("fb15k-237", 256, 512, 1, 2),
		ranks("umls", 64, 512),
		ranks("wn18rr", 64, 512),
		ranks("fb15k-237", 64, 512),
		epochs("mutag", 5),
		epochs("aifb", 3),
	}
}

const complEx = "complex"

func member(seed int) kge.Member {
	m := kge.DefaultMember(structure.MustParse(complEx))
	m.Seed = uint64(seed)
	return m
}

// steps times training steps of ComplEx, per member.
func steps(dataset string, dim, batch, members, count int) benchCase {
	id := fmt.Sprintf("step-%s-%d", dataset, dim)
	name := fmt.Sprintf("%s, a step, d %d, batch %d", dataset, dim, batch)
	if members > 1 {
		id, name = fmt.Sprintf("%sx%d", id, members), fmt.Sprintf("%s, %d members", name, members)
	}
	run := func(ctx context.Context, folder string, on autoblm.Compute) (t times, err error) {
		g, engine, err := openData(folder, on)
		if err != nil {
			return t, err
		}
		defer engine.Close()
		job := kge.Job{Data: completion.Data(g), Settings: kge.DefaultSettings()}
		job.Settings.Dim, job.Settings.Batch = dim, batch
		job.Settings.Epochs, job.Settings.MaxSteps = 2, count
		job.Settings.Precision = kge.Float32
		for i := range members {
			job.Members = append(job.Members, member(1+i))
		}
		report, err := kge.Train(ctx, engine, job)
		return times{report.Timing.PerStep, report.Timing.Compile}, err
	}
	return benchCase{id, name, dataset, run}
}

// ranks times the filtered ranking of the first test triples with an untrained model.
func ranks(dataset string, dim, triples int) benchCase {
	id := fmt.Sprintf("rank-%s-%d", dataset, dim)
	name := fmt.Sprintf("%s, filtered ranks of %d triples, d %d", dataset, triples, dim)
	run := func(ctx context.Context, folder string, on autoblm.Compute) (t times, err error) {
		g, engine, err := openData(folder, on)
		if err != nil {
			return t, err
		}
		defer engine.Close()
		settings := kge.Settings{Dim: dim, InitScale: 0.1}
		model := kge.Initialize(completion.Data(g), settings, member(1))
		ranker, err := engine.NewRanker([]kge.Parameters{model}, kge.Float32)
		if err != nil {
			return t, err
		}
		defer ranker.Close()
		asked, known := g.Test[:min(triples, len(g.Test))], g.Known()
		return timeTwice(1, func() error {
			_, err := ranker.Rank(ctx, asked, known)
			return err
		})
	}
	return benchCase{id, name, dataset, run}
}

// epochs times epochs of a classifier with ComplEx messages.
func epochs(dataset string, count int) benchCase {
	run := func(ctx context.Context, folder string, on autoblm.Compute) (t times, err error) {
		g, err := rdf.Open(folder, rdf.Options{})
		if err != nil {
			return t, err
		}
		engine, err := on.OpenClassify()
		if err != nil {
			return t, err
		}
		defer engine.Close()
		s := classify.Published(classify.BLM)
		s.Epochs, s.ValidateEvery, s.Patience = count, count, 0
		s.Folds, s.Repeats, s.Runs = 2, 1, 0
		m := classify.DefaultMember()
		m.Structure = structure.MustParse(complEx)
		trainer, err := classify.NewTrainer(g, s, classify.Options{Engine: engine})
		if err != nil {
			return t, err
		}
		defer trainer.Close()
		return timeTwice(count*s.Folds, func() error {
			results, err := trainer.Train(ctx, []classify.Member{m})
			if err != nil {
				return err
			}
			return results[0].Err
		})
	}
	return benchCase{"epoch-" + dataset, dataset + ", an epoch of a classifier", dataset, run}
}

// openData opens the graph and the engine of an embedding model.
func openData(folder string, on autoblm.Compute) (*datasets.Graph, kge.Engine, error) {
	g, err := datasets.ReadFolder(folder)
	if err != nil {
		return nil, nil, err
	}
	engine, err := on.Open()
	return g, engine, err
}

// timeTwice runs pieces of work twice. Only the first run compiles.
func timeTwice(pieces int, work func() error) (t times, err error) {
	var seconds [2]float64
	for i := range seconds {
		began := time.Now()
		if err := work(); err != nil {
			return t, err
		}
		seconds[i] = time.Since(began).Seconds()
	}
	return times{seconds[1] / float64(pieces), max(0, seconds[0]-seconds[1])}, nil
}

// available returns the cases whose data are in a folder.
func available(all []benchCase, data string) []benchCase {
	return slices.DeleteFunc(slices.Clone(all), func(c benchCase) bool {
		_, err := os.Stat(filepath.Join(data, c.dataset))
		return err != nil
	})
}
