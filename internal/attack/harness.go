//go:build linux

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"runtime"
	"sync"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
)

// part is one kind of attack. Its cases are numbered; number and seed decide what a case does.
type part struct {
	name string
	goal int64
	// run runs a case and returns how much it adds to done.
	run func(ctx context.Context, number int) (count int, err error)

	started, done atomic.Int64 // cases, and kills or full disks
}

// runNext runs the next case, unless the goal is reached.
func (p *part) runNext(ctx context.Context) (more bool, err error) {
	if p.done.Load() >= p.goal {
		return false, nil
	}
	number := int(p.started.Add(1) - 1)
	count, err := p.run(ctx, number)
	p.done.Add(int64(count))
	switch {
	case ctx.Err() != nil:
		return false, ctx.Err()
	case err != nil:
		return false, fmt.Errorf("%s, case %d: %w", p.name, number, err)
	}
	return true, nil
}

// attack runs each part until its goal, with a case on each core.
func attack(ctx context.Context, parts []*part) error {
	for _, p := range parts {
		g, ctx := errgroup.WithContext(ctx)
		for range runtime.NumCPU() {
			g.Go(func() error {
				for {
					if more, err := p.runNext(ctx); !more || err != nil {
						return err
					}
				}
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
	}
	return nil
}

// harness holds what all parts share.
type harness struct {
	seed      uint64
	work      string // parent of the cases' folders
	base      *base
	program   program
	findings  findings
	scenarios []scenario

	references sync.Map // *reference by the scenario's name
}

// rng returns the source of randomness of a case.
func (h *harness) rng(part string, number int) *rand.Rand {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(part))
	return rand.New(rand.NewPCG(h.seed^hash.Sum64(), uint64(number)))
}

// newFolder returns a new folder with a copy of the base.
func (h *harness) newFolder() (string, error) {
	folder, err := os.MkdirTemp(h.work, "case-")
	if err == nil {
		err = h.base.copy(folder)
	}
	return folder, err
}
