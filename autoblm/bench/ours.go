package main

import (
	"context"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// ours is our side of a pair. Its models are those of the peer, ComplEx.
type ours struct {
	engine kge.Engine
	graph  *datasets.Graph
	pair   pair
	// parameters are of the models that rank.
	parameters []kge.Parameters
}

// taken is what a case took in a turn, for a member.
type taken struct{ seconds, compiling float64 }

func newOurs(engine kge.Engine, g *datasets.Graph, p pair) *ours {
	o := &ours{engine: engine, graph: g, pair: p}
	if c := p.of(true); c != nil {
		for _, m := range members(c.Members) {
			o.parameters = append(o.parameters, kge.Initialize(completion.Data(g), kge.Settings{Dim: c.Dim, InitScale: 0.1}, m))
		}
	}
	return o
}

func members(count int) []kge.Member {
	all := make([]kge.Member, count)
	for i := range all {
		all[i] = kge.DefaultMember(structure.MustParse("complex"))
		all[i].Seed = uint64(i + 1)
	}
	return all
}

// turn times each case of the pair once.
func (o *ours) turn(ctx context.Context) ([]taken, error) {
	all := make([]taken, len(o.pair))
	for i, c := range o.pair {
		once := o.step
		if c.Rank {
			once = o.rank
		}
		var err error
		if all[i], err = once(ctx, c); err != nil {
			return nil, err
		}
		all[i].seconds /= float64(c.Members)
	}
	return all, nil
}

// step times a training step as the peer does: from one epoch's end to the next,
// by the number of steps between. All that training does beside its steps counts.
func (o *ours) step(ctx context.Context, c timed) (taken, error) {
	settings := kge.DefaultSettings()
	settings.Dim, settings.Batch, settings.Epochs, settings.MaxSteps = c.Dim, c.Batch, epochs, c.Steps
	steps := min(c.Steps, (len(o.graph.Train)+c.Batch-1)/c.Batch)
	var seconds []float64 // of a step, in each epoch after the first
	var last time.Time
	job := kge.Job{Data: completion.Data(o.graph), Settings: settings, Members: members(c.Members), OnEpoch: func(p kge.Progress) {
		now := time.Now()
		if p.Epoch > 1 {
			seconds = append(seconds, now.Sub(last).Seconds()/float64(steps))
		}
		last = now
	}}
	_, compiling, err := stopwatch(o.engine, func() error {
		report, err := kge.Train(ctx, o.engine, job)
		if err != nil {
			return err
		}
		for _, r := range report.Results {
			if r.Err != nil {
				return r.Err
			}
		}
		return nil
	})
	if err != nil {
		return taken{}, err
	}
	return taken{median(seconds), compiling}, nil
}

// rank times the ranking of the test triples with the models and the index of the
// known answers in place, as the peer does. A triple is ranked before, since tables
// move to where they are used at their first use.
func (o *ours) rank(ctx context.Context, c timed) (taken, error) {
	ranker, err := o.engine.NewRanker(o.parameters)
	if err != nil {
		return taken{}, err
	}
	defer ranker.Close()
	known := o.graph.Known()
	if _, err := ranker.Rank(ctx, o.graph.Test[:1], known); err != nil {
		return taken{}, err
	}
	seconds, compiling, err := stopwatch(o.engine, func() error {
		_, err := ranker.Rank(ctx, o.graph.Test, known)
		return err
	})
	return taken{seconds, compiling}, err
}
