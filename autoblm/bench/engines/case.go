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

// times are seconds, of compiling apart.
type times struct{ each, compiling float64 }

// timed is something that all engines do.
type timed struct {
	id, name, dataset string
	once              func(ctx context.Context, folder string, on autoblm.Compute) (times, error)
}

// cases are all that is timed: the same as beside peers, without what is too large for
// GoMLX's own backend, and classifiers.
func cases() []timed {
	return []timed{
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

const complEx = "complex" // what is timed

func member(seed int) kge.Member {
	m := kge.DefaultMember(structure.MustParse(complEx))
	m.Seed = uint64(seed)
	return m
}

// steps are training steps of ComplEx, of which a member's share is told.
func steps(dataset string, dim, batch, members, count int) timed {
	id, name := fmt.Sprintf("step-%s-%d", dataset, dim), fmt.Sprintf("%s, a step, d %d, batch %d", dataset, dim, batch)
	if members > 1 {
		id, name = fmt.Sprintf("%sx%d", id, members), fmt.Sprintf("%s, %d members", name, members)
	}
	return timed{id, name, dataset, func(ctx context.Context, folder string, on autoblm.Compute) (t times, err error) {
		g, engine, err := opened(folder, on)
		if err != nil {
			return t, err
		}
		defer engine.Close()
		job := kge.Job{Data: completion.Data(g), Settings: kge.DefaultSettings()}
		job.Settings.Dim, job.Settings.Batch, job.Settings.Epochs, job.Settings.MaxSteps = dim, batch, 2, count
		job.Settings.Precision = kge.Float32
		for i := range members {
			job.Members = append(job.Members, member(1+i))
		}
		report, err := kge.Train(ctx, engine, job)
		return times{report.Timing.PerStep, report.Timing.Compile}, err
	}}
}

// ranks is the filtered ranking of the first test triples by a model as training begins.
func ranks(dataset string, dim, triples int) timed {
	return timed{fmt.Sprintf("rank-%s-%d", dataset, dim), fmt.Sprintf("%s, filtered ranks of %d triples, d %d", dataset, triples, dim), dataset, func(ctx context.Context, folder string, on autoblm.Compute) (t times, err error) {
		g, engine, err := opened(folder, on)
		if err != nil {
			return t, err
		}
		defer engine.Close()
		model := kge.Initialize(completion.Data(g), kge.Settings{Dim: dim, InitScale: 0.1}, member(1))
		ranker, err := engine.NewRanker([]kge.Parameters{model}, kge.Float32)
		if err != nil {
			return t, err
		}
		defer ranker.Close()
		asked, known := g.Test[:min(triples, len(g.Test))], g.Known()
		return twice(1, func() error {
			_, err := ranker.Rank(ctx, asked, known)
			return err
		})
	}}
}

// epochs are those of a classifier by messages of ComplEx.
func epochs(dataset string, count int) timed {
	return timed{"epoch-" + dataset, dataset + ", an epoch of a classifier", dataset, func(ctx context.Context, folder string, on autoblm.Compute) (t times, err error) {
		g, err := rdf.Open(folder, rdf.Options{})
		if err != nil {
			return t, err
		}
		engine, err := on.OpenClassify()
		if err != nil {
			return t, err
		}
		defer engine.Close()
		settings := classify.Published(classify.BLM)
		settings.Epochs, settings.ValidateEvery, settings.Patience, settings.Folds, settings.Repeats, settings.Runs = count, count, 0, 2, 1, 0
		m := classify.DefaultMember()
		m.Structure = structure.MustParse(complEx)
		trainer, err := classify.NewTrainer(g, settings, classify.Options{Engine: engine})
		if err != nil {
			return t, err
		}
		defer trainer.Close()
		return twice(count*settings.Folds, func() error {
			results, err := trainer.Train(ctx, []classify.Member{m})
			if err != nil {
				return err
			}
			return results[0].Err
		})
	}}
}

// opened are the data and the engine of an embedding model.
func opened(folder string, on autoblm.Compute) (*datasets.Graph, kge.Engine, error) {
	g, err := datasets.ReadFolder(folder)
	if err != nil {
		return nil, nil, err
	}
	engine, err := on.Open()
	return g, engine, err
}

// twice does so many pieces of work two times, of which the first is with what is compiled.
func twice(pieces int, work func() error) (t times, err error) {
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

// there are the cases whose data are in a folder.
func there(all []timed, data string) []timed {
	return slices.DeleteFunc(slices.Clone(all), func(c timed) bool {
		_, err := os.Stat(filepath.Join(data, c.dataset))
		return err != nil
	})
}
