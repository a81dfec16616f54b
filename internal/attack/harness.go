//go:build linux

package main

import (
	"context"
	"fmt"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"runtime"
	"strconv"
	"strings"
	"sync"

	"github.com/autoblm/autoblm-go/internal/format"
	"golang.org/x/sync/errgroup"
)

// part is one kind of attack. Its cases are numbered; number and seed decide what a case does.
type part struct {
	name string
	goal int
	// run runs a case and returns how much it adds to the count.
	run func(ctx context.Context, number int) (count int, err error)
}

// harness holds what all parts share.
type harness struct {
	seed      uint64
	work      string // parent of the cases' folders
	base      *base
	program   program
	counts    *counts
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

// attack runs each part until its goal.
func (h *harness) attack(ctx context.Context, parts []*part, w io.Writer) error {
	for _, p := range parts {
		g, ctx := errgroup.WithContext(ctx)
		for range runtime.NumCPU() {
			g.Go(func() error {
				for {
					if more, err := h.runNext(ctx, p); !more || err != nil {
						return err
					}
				}
			})
		}
		if err := g.Wait(); err != nil {
			return err
		}
		done := h.counts.of(p.name)
		fmt.Fprintf(w, "%s: %s of %s\n", p.name, format.Int(done), format.Int(p.goal))
	}
	return nil
}

// runNext runs the next case of a part, unless its goal is reached.
func (h *harness) runNext(ctx context.Context, p *part) (more bool, err error) {
	number, more := h.counts.next(p)
	if !more {
		return false, nil
	}
	count, err := p.run(ctx, number)
	if ctx.Err() != nil {
		return false, ctx.Err()
	}
	if err != nil {
		return false, fmt.Errorf("%s, case %d: %w", p.name, number, err)
	}
	h.counts.add(p.name, count)
	return true, nil
}

// repeat runs one case and returns the number of its findings.
func (h *harness) repeat(ctx context.Context, parts []*part, which string) (int, error) {
	name, text, _ := strings.Cut(which, ":")
	number, err := strconv.Atoi(text)
	for _, p := range parts {
		if p.name == name && err == nil {
			before := h.counts.findings
			_, err := p.run(ctx, number)
			return h.counts.findings - before, err
		}
	}
	return 0, fmt.Errorf("no case %q: expected PART:NUMBER, as in a finding's repeat.txt", which)
}
