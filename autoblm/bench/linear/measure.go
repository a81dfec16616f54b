package main

import (
	"context"
	"errors"
	"math"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/search"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/autoblm/task"
	"github.com/autoblm/autoblm-go/datasets"
	"gonum.org/v1/gonum/stat"
)

const (
	// noiseStructures of the best structures are trained with noiseSeeds seeds each.
	noiseStructures = 4
	noiseSeeds      = 5
)

// measure searches, and compares what the filter would have dropped.
func measure(ctx context.Context, engine kge.Engine, g *datasets.Graph, structures int, seed uint64) (result, error) {
	s := search.DefaultSettings()
	s.Budget, s.Seed = structures, seed
	found, err := search.Run(ctx, search.Problem{Task: &completion.Task{Graph: g, Engine: engine}, Strategy: search.Evolutionary{}, Settings: s})
	if err != nil {
		return result{}, err
	}
	var trials []trained
	for _, t := range found.Trials {
		if t.Round > 0 && t.State == task.Complete {
			trials = append(trials, trained{t.Structure, t.ScoreOrZero()})
		}
	}
	if len(trials) == 0 {
		return result{}, errors.New("no structure was trained to its end: try another seed")
	}
	var best []structure.Structure
	for _, t := range found.Best[:min(noiseStructures, len(found.Best))] {
		best = append(best, t.Structure)
	}
	noise, err := seedNoise(ctx, engine, g, s, best)
	if err != nil {
		return result{}, err
	}
	r := compare(trials, noise)
	r.Dataset, r.Seed = g.Name, seed
	return r, nil
}

// seedNoise is the standard deviation of the validation MRR over the seeds of one
// structure, pooled over some structures.
func seedNoise(ctx context.Context, engine kge.Engine, g *datasets.Graph, s search.Settings, structures []structure.Structure) (float64, error) {
	variances := 0.0
	for _, a := range structures {
		job := kge.Job{Data: completion.Data(g), Settings: s.Training}
		for n := range noiseSeeds {
			job.Members = append(job.Members, kge.Member{Structure: a, Seed: s.Seed + uint64(n), LearningRate: s.LearningRate, Weights: s.Weights})
		}
		report, err := kge.Train(ctx, engine, job)
		if err != nil {
			return 0, err
		}
		var models []*kge.Model
		for _, r := range report.Results {
			if r.Err != nil {
				return 0, r.Err
			}
			models = append(models, r.Model)
		}
		evaluations, err := completion.EvaluateAll(ctx, engine, models, g)
		if err != nil {
			return 0, err
		}
		var scores []float64
		for _, e := range evaluations {
			scores = append(scores, e.Valid.Both.MRR)
		}
		variances += stat.Variance(scores, nil)
	}
	return math.Sqrt(variances / float64(len(structures))), nil
}
