package main

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// ours returns the seconds of a training step per member, or of a ranking.
func ours(ctx context.Context, engine completion.Engine, g *datasets.Graph, c timed) (float64, error) {
	complex := structure.MustParse("complex")
	if c.Rank {
		p := completion.InitialParameters(complex, len(g.Entities), len(g.Relations), c.Dim, 0.1, 1)
		ranker, err := engine.NewRanker([]completion.Parameters{p})
		if err != nil {
			return 0, err
		}
		defer ranker.Close()
		known := g.Known() // as the peer, which has it before its clock starts
		start := time.Now()
		_, err = ranker.Rank(ctx, g.Test, known)
		return time.Since(start).Seconds(), err
	}
	settings := completion.DefaultSettings()
	settings.Dim, settings.Batch, settings.Epochs, settings.MaxSteps = c.Dim, c.Batch, epochs, c.Steps
	job := completion.Job{Graph: g, Settings: settings}
	for i := range c.Members {
		member := completion.DefaultMember(complex)
		member.Seed = uint64(i + 1)
		job.Members = append(job.Members, member)
	}
	report, err := completion.Train(ctx, engine, job)
	if err != nil {
		return 0, err
	}
	return report.Timing.PerStep, nil
}
