package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/measured"
	"github.com/dustin/go-humanize"
)

// document is a result file, as the others in notebooks/results.
type document = measured.Document[result]

// result is what was measured.
type result struct {
	Threads int      `json:"threads"`
	Engine  string   `json:"engine"`
	Backend string   `json:"backend"`
	Cases   []timing `json:"cases,omitempty"`
	// LeftOut are the cases that were not measured, and why.
	LeftOut []string `json:"left_out,omitempty"`
	// Notes are what the engine had to say.
	Notes []string `json:"notes,omitempty"`
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
	// OurMemory and PeerMemory are the most bytes that each took on the GPU, or 0
	// where nothing tells.
	OurMemory  int64 `json:"our_memory,omitempty"`
	PeerMemory int64 `json:"peer_memory,omitempty"`
}

// measure times case by case. One that fails does not keep the others from being
// measured, and what there is so far is written each time.
func (f flags) measure(ctx context.Context, command []string, w io.Writer) error {
	chosen, err := choose(suite(f.Backend, f.Small), f.Cases)
	if err != nil {
		return err
	}
	began := time.Now()
	by := measured.By{Command: measured.CommandLine(command...), Threads: f.threads()}
	if f.Backend != "" {
		by.Engine, by.Backend = "gomlx", f.Backend
	}
	d := measured.Now(ctx, by, result{Threads: by.Threads, Engine: cmp.Or(by.Engine, "cpu")})
	var failed []string
	fmt.Fprintf(w, columns, "", "ours", "peer", "ratio", "goal", "GFLOP/s", "compile", "ours takes", "peer takes")
	for i, c := range chosen {
		_, noData := os.Stat(filepath.Join(f.Data, c.Dataset))
		late := i > 0 && f.Minutes > 0 && time.Since(began).Minutes() > f.Minutes
		switch {
		case noData != nil:
			err = noData
		case late:
			err = fmt.Errorf("%v minutes are over", f.Minutes)
		default:
			if err = f.time(ctx, c, &d, w); err != nil {
				failed = append(failed, c.ID)
			}
		}
		if err != nil {
			why := measured.HidePaths(fmt.Sprintf("%s: %v", c.ID, err))
			fmt.Fprintln(os.Stderr, "bench: left out:", why)
			d.Result.LeftOut = append(d.Result.LeftOut, why)
		}
		if f.Out != "" {
			if err := d.Write(f.Out); err != nil {
				return fmt.Errorf("the result is not written: %w", err)
			}
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("these failed: %s", strings.Join(failed, ", "))
	case len(d.Result.Cases) == 0:
		return errors.New("nothing was measured")
	}
	return nil
}

// time runs ours and the peer in turns and adds what they took. When the peer fails,
// ours goes on alone, and its times come with the peer's error.
func (f flags) time(ctx context.Context, c timed, d *document, w io.Writer) error {
	g, err := datasets.ReadFolder(filepath.Join(f.Data, c.Dataset))
	if err != nil {
		return err
	}
	var used func(context.Context) int64
	if probe.IsCUDA(f.Backend) {
		used = probe.This().MemoryUsed
	}
	t := timing{timed: c}
	var peerError error
	for range f.Repeat {
		r, err := watched(ctx, used, func() (run, error) { return f.ours(ctx, c) })
		if err != nil {
			return err
		}
		t.Ours, t.Compile, t.OurMemory = append(t.Ours, r.seconds), max(t.Compile, r.compiling), max(t.OurMemory, r.memory)
		d.Result.Backend = measured.HidePaths(r.on)
		for _, note := range r.notes {
			if note = measured.HidePaths(note); !slices.Contains(d.Result.Notes, note) {
				d.Result.Notes = append(d.Result.Notes, note)
			}
		}
		if f.Peer == "" || peerError != nil {
			continue
		}
		if r, peerError = watched(ctx, used, func() (run, error) { return f.peer(ctx, c) }); peerError == nil {
			t.Peer, t.PeerMemory = append(t.Peer, r.seconds), max(t.PeerMemory, r.memory)
			if r.on != "" {
				d.Versions["torch"] = r.on
			}
		}
	}
	t.sum(g)
	t.print(w)
	d.Result.Cases = append(d.Result.Cases, t)
	return peerError
}

// sum adds what follows from the times. Our arithmetic is three products of
// [queries, d] and [entities, d] for a training step, and one for a ranking.
func (t *timing) sum(g *datasets.Graph) {
	products, queries := 3, 2*t.Batch
	if t.Rank {
		products, queries = 1, 2*len(g.Test)
	}
	t.GFLOPS = 2e-9 * float64(products) * float64(queries) * float64(len(g.Entities)) * float64(t.Dim) / median(t.Ours)
	if len(t.Peer) > 0 {
		t.Ratio = median(t.Ours) / median(t.Peer)
	}
}

func median(x []float64) float64 {
	x = slices.Sorted(slices.Values(x))
	return (x[(len(x)-1)/2] + x[len(x)/2]) / 2
}

// columns are those that are printed, with missing for what was not measured.
const columns, missing = "%-36s %12s %12s %8s %6s %9s %9s %10s %10s\n", "–"

func (t timing) print(w io.Writer) {
	cell := func(value float64, text string) string {
		if value == 0 {
			return missing
		}
		return text
	}
	ours, peer := 1e3*median(t.Ours), 0.0
	if len(t.Peer) > 0 {
		peer = 1e3 * median(t.Peer)
	}
	fmt.Fprintf(w, columns, t.Name, fmt.Sprintf("%.2f ms", ours), cell(peer, fmt.Sprintf("%.2f ms", peer)), cell(t.Ratio, fmt.Sprintf("%.3f", t.Ratio)),
		fmt.Sprintf("%.2f", t.Goal), fmt.Sprintf("%.1f", t.GFLOPS), cell(t.Compile, fmt.Sprintf("%.1f s", t.Compile)),
		cell(float64(t.OurMemory), humanize.IBytes(uint64(t.OurMemory))), cell(float64(t.PeerMemory), humanize.IBytes(uint64(t.PeerMemory))))
}
