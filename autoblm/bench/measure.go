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
	"github.com/autoblm/autoblm-go/internal/record"
)

// measure times case by case. One that fails does not keep the others from being
// measured, and what there is so far is written each time.
func (f flags) measure(ctx context.Context, command []string, w io.Writer) error {
	all := suite(f.Backend, f.Small)
	chosen, err := choose(all, f.Cases)
	if err != nil {
		return err
	}
	d, err := f.document(ctx, command)
	if err != nil {
		return err
	}
	began := time.Now()
	var failed []string
	succeeded := 0
	header(w)
	for i, c := range chosen {
		_, noData := os.Stat(filepath.Join(f.Data, c.Dataset))
		late := i > 0 && f.Minutes > 0 && time.Since(began).Minutes() > f.Minutes
		t := timing{}
		switch {
		case noData != nil:
			err = noData
		case late:
			err = fmt.Errorf("%v minutes are over", f.Minutes)
		default:
			if t, err = f.time(ctx, c, &d); err != nil {
				failed = append(failed, c.ID)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if len(t.Ours) > 0 {
			t.Command, t.Date = d.Command, d.Date
			d.Result.put(t, all)
			t.print(w)
			succeeded++
		}
		if err != nil {
			why := record.HidePaths(fmt.Sprintf("%s: %v", c.ID, err))
			fmt.Fprintln(os.Stderr, "bench: left out:", why)
			d.Result.stay(c.ID)
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
	case succeeded == 0:
		return errors.New("nothing was measured")
	}
	return nil
}

// document is what the results go into: what the file of --out has of other cases, or nothing.
func (f flags) document(ctx context.Context, command []string) (document, error) {
	by := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	if f.Backend != "" {
		by.Engine, by.Backend = "gomlx", f.Backend
	}
	r := result{Threads: by.Threads, Engine: cmp.Or(by.Engine, "cpu"), Peers: map[string]played{}}
	if f.Backend == "" {
		r.Limit = f.Limit
	}
	peers, err := f.peers()
	if err != nil {
		return document{}, err
	}
	for _, p := range peers {
		r.Peers[p.name] = played{Command: record.HidePaths(p.command)}
	}
	d := record.New(ctx, by, r)
	if f.Out != "" {
		err = goOn(&d, f.Out)
	}
	return d, err
}

// contestant is one of those that are timed in turns: ours in a precision, or a peer.
type contestant struct {
	name string
	run  func() (run, error)
	done func(run) // takes what it came to
	peer bool
}

// time runs ours and the peers in turns. Who fails is dropped, and the others go on; it is
// an error when ours fails in all precisions, or all peers do, and then ours comes with it.
func (f flags) time(ctx context.Context, c timed, d *document) (timing, error) {
	t := timing{timed: c, Ours: map[string][]float64{}, Peers: map[string][]float64{}, Dropped: map[string]string{}, Fresh: map[string][]float64{}}
	var used func(context.Context) int64
	if probe.IsCUDA(f.Backend) {
		used = probe.This().MemoryUsed
	}
	gflop := 0.0
	left, err := f.contestants(ctx, &t, d, &gflop)
	if err != nil {
		return t, err
	}
	var failures [2]error // the first of ours, and of peers
	for round := range f.Repeat {
		left = slices.DeleteFunc(left, func(who contestant) bool {
			if ctx.Err() != nil {
				return false
			}
			r, err := watched(ctx, used, who.run)
			if ctx.Err() != nil { // that is nobody's failure
				return false
			}
			if err != nil {
				side := 0
				if who.peer {
					side = 1
				}
				failures[side] = cmp.Or(failures[side], fmt.Errorf("%s: %w", who.name, err))
				t.Dropped[who.name] = record.HidePaths(err.Error())
				fmt.Fprintf(os.Stderr, "bench: %s: %s is dropped: %v\n", c.ID, who.name, err)
				return true
			}
			who.done(r)
			return false
		})
		if ctx.Err() != nil {
			return t, ctx.Err()
		}
		if ranked := t.ranked(); round == 0 && f.Fastest > 0 && len(ranked) > f.Fastest {
			left = slices.DeleteFunc(left, func(who contestant) bool { return who.peer && slices.Contains(ranked[f.Fastest:], who.name) })
		}
	}
	if len(t.Ours) == 0 {
		return t, failures[0]
	}
	t.sum(gflop, d.Result.Limit, d.Result.Threads)
	if len(t.Peers) == 0 {
		return t, failures[1]
	}
	return t, nil
}

// contestants are all that are to be timed for a case.
func (f flags) contestants(ctx context.Context, t *timing, d *document, gflop *float64) (all []contestant, err error) {
	for _, precision := range f.precisions() {
		all = append(all, contestant{
			name: precision,
			run:  func() (run, error) { return f.ours(ctx, t.timed, precision) },
			done: func(r run) {
				t.Ours[precision] = append(t.Ours[precision], r.seconds)
				if r.fresh > 0 {
					t.Fresh[precision] = append(t.Fresh[precision], r.fresh)
				}
				t.Precision, t.MRR, *gflop = r.auto, r.mrr, r.gflop
				t.Compile, t.OurMemory = max(t.Compile, r.compiling), max(t.OurMemory, r.memory)
				d.Result.Backend = record.HidePaths(r.on)
				for _, note := range r.notes {
					if note = record.HidePaths(note); !slices.Contains(d.Result.Notes, note) {
						d.Result.Notes = append(d.Result.Notes, note)
					}
				}
			},
		})
	}
	peers, err := f.peers()
	if err != nil {
		return nil, err
	}
	for _, p := range peers {
		if !p.does(t.timed) {
			continue
		}
		all = append(all, contestant{
			name: p.name, peer: true,
			run: func() (run, error) { return p.run(ctx, f, t.timed) },
			done: func(r run) {
				t.Peers[p.name], t.PeerMemory = append(t.Peers[p.name], r.seconds), max(t.PeerMemory, r.memory)
				played := d.Result.Peers[p.name]
				played.On = cmp.Or(r.on, played.On)
				d.Result.Peers[p.name] = played
			},
		})
	}
	return all, nil
}

// precisions are those in which ours is timed.
func (f flags) precisions() []string {
	switch {
	case len(f.Precisions) > 0:
		return f.Precisions
	case f.Backend != "":
		return []string{float32s}
	}
	return []string{float32s, bfloat16s}
}
