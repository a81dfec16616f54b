package main

import (
	"context"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
)

// pair is what one run of the peer times: steps, or a ranking, or both, of models
// of one size.
type pair []timed

// pairs puts together the cases that have one size, in their order.
func pairs(cases []timed) []pair {
	var all []pair
	for _, c := range cases {
		i := slices.IndexFunc(all, func(p pair) bool {
			first := p[0]
			return first.Dataset == c.Dataset && first.Dim == c.Dim && first.Batch == c.Batch && first.Members == c.Members && p.of(c.Rank) == nil
		})
		if i < 0 {
			all = append(all, pair{c})
		} else {
			all[i] = append(all[i], c)
		}
	}
	return all
}

// of is the case that times a ranking, or the one that times steps, or nil.
func (p pair) of(rank bool) *timed {
	if i := slices.IndexFunc(p, func(c timed) bool { return c.Rank == rank }); i >= 0 {
		return &p[i]
	}
	return nil
}

// timing is what became of a case.
type timing struct {
	timed
	// Ours and Peer are seconds for a member, in the order they were taken.
	Ours []float64 `json:"ours"`
	Peer []float64 `json:"peer,omitempty"`
	// Compile is how many seconds our programs were compiled, beside that.
	Compile float64 `json:"compile,omitempty"`
	// Ratio is that of the medians.
	Ratio float64 `json:"ratio,omitempty"`
	// GFLOPS is our arithmetic a second, in billions.
	GFLOPS float64 `json:"gflops"`
	// OurMemory and PeerMemory are the bytes that each took on the GPU for all
	// that was timed together, or 0 where nothing tells.
	OurMemory  int64 `json:"our_memory,omitempty"`
	PeerMemory int64 `json:"peer_memory,omitempty"`
}

// time runs ours and the peer in turns. Where programs are compiled, a turn goes
// before that does not count. When the peer fails, ours goes on alone, and its
// times come with the peer's error.
func (s *session) time(ctx context.Context, g *datasets.Graph, p pair) ([]timing, error) {
	timings := make([]timing, len(p))
	for i, c := range p {
		timings[i].timed = c
	}
	free := s.gpu.used(ctx)
	engine, err := s.compute().Open()
	if err != nil {
		return nil, err
	}
	defer engine.Close()
	s.document.Result.Backend = measured.HidePaths(engine.Backend())
	us := newOurs(engine, g, p)
	var peerError error
	if s.onGoMLX() {
		taken, err := us.turn(ctx)
		if err != nil {
			return nil, err
		}
		for i := range timings {
			timings[i].Compile = taken[i].compiling
			timings[i].OurMemory = max(0, s.gpu.used(ctx)-free)
		}
		peerError = s.warmPeer(ctx, p, timings)
	}
	for range s.Repeat {
		taken, err := us.turn(ctx)
		if err != nil {
			return nil, err
		}
		for i := range timings {
			timings[i].Ours = append(timings[i].Ours, taken[i].seconds)
		}
		if s.Peer == "" || peerError != nil {
			continue
		}
		var run peerRun
		if run, peerError = s.peer(ctx, p); peerError != nil {
			continue
		}
		for i, c := range p {
			timings[i].Peer = append(timings[i].Peer, run.seconds(c.Rank))
		}
	}
	for i := range timings {
		timings[i].sum(g)
	}
	return timings, peerError
}

// warmPeer runs the peer for the memory that it takes.
func (s *session) warmPeer(ctx context.Context, p pair, timings []timing) error {
	if s.Peer == "" {
		return nil
	}
	before := s.gpu.used(ctx)
	most, err := s.gpu.most(ctx, func() error {
		_, err := s.peer(ctx, p)
		return err
	})
	for i := range timings {
		timings[i].PeerMemory = max(0, most-before)
	}
	return err
}

// sum adds what follows from the times.
func (t *timing) sum(g *datasets.Graph) {
	t.GFLOPS = t.flops(len(g.Entities), len(g.Test)) / median(t.Ours) / 1e9
	if len(t.Peer) > 0 {
		t.Ratio = median(t.Ours) / median(t.Peer)
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// stopwatch is how many seconds some work on an engine took, those for compiling
// apart.
func stopwatch(engine kge.Engine, work func() error) (seconds, compiling float64, err error) {
	var t kge.Timing
	stop := t.Evaluating(engine)
	err = work()
	stop()
	return t.Evaluate, t.Compile, err
}
