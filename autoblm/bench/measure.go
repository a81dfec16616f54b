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

	"github.com/autoblm/autoblm-go/internal/record"
)

// measure times the cases. It writes the results so far after each one, and continues after a
// failure.
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
		t := timing{}
		err := f.skip(c.Dataset, i, began)
		if err == nil {
			if t, err = f.time(ctx, c, &d); err != nil {
				failed = append(failed, c.ID)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		why := ""
		if err != nil {
			why = printSkipped(c.ID, err)
		}
		d.Result.setLeftOut(c.ID, why)
		if len(t.Ours) > 0 {
			t.Command, t.Date = d.Command, d.Date
			d.Result.put(t, all)
			t.print(w)
			succeeded++
		}
		if err := write(&d, f.Out); err != nil {
			return err
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("failed: %s", strings.Join(failed, ", "))
	case succeeded == 0:
		return errors.New("nothing was measured")
	}
	return nil
}

// skip returns the reason to skip a case, or nil. The first case has no time limit.
func (f flags) skip(dataset string, index int, began time.Time) error {
	if index > 0 && f.Minutes > 0 && time.Since(began).Minutes() > f.Minutes {
		return fmt.Errorf("time limit of %v minutes", f.Minutes)
	}
	_, err := os.Stat(filepath.Join(f.Data, dataset))
	return err
}

// printSkipped prints and returns the reason why a case was skipped.
func printSkipped(id string, err error) string {
	why := record.HidePaths(fmt.Sprintf("%s: %v", id, err))
	fmt.Fprintln(os.Stderr, "bench: skipped:", why)
	return why
}

// document returns an empty document, or one with the cases that the file of --out has.
func (f flags) document(ctx context.Context, command []string) (document, error) {
	by := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	if f.Backend != "" {
		by.Engine, by.Backend = "gomlx", f.Backend
	}
	r := result{Threads: by.Threads, Engine: cmp.Or(by.Engine, "cpu"), Peers: map[string]peerInfo{}}
	if f.Backend == "" {
		r.Limit = f.Limit
	}
	peers, err := f.peers()
	if err != nil {
		return document{}, err
	}
	for _, p := range peers {
		r.Peers[p.name] = peerInfo{Command: record.HidePaths(p.command)}
	}
	d := record.New(ctx, by, r)
	if f.Out != "" {
		err = resume(&d, f.Out)
	}
	return d, err
}

// runner times a case: our engine with a precision, or a peer.
type runner struct {
	name string
	run  func() (run, error)
	done func(run) // stores the measurement
	peer bool
}

// time alternates between our engine and the peers. It drops a runner that fails. It returns an
// error if our engine fails in all precisions. If all peers fail, it returns our times and an error.
func (f flags) time(ctx context.Context, c benchCase, d *document) (timing, error) {
	t := timing{
		benchCase: c,
		Ours:      map[string][]float64{},
		Peers:     map[string][]float64{},
		Dropped:   map[string]string{},
		Fresh:     map[string][]float64{},
	}
	gflop := 0.0
	left, err := f.runners(ctx, &t, d, &gflop)
	if err != nil {
		return t, err
	}
	var failures [2]error // our first one, and that of peers
	for round := range f.Repeat {
		left = slices.DeleteFunc(left, func(who runner) bool {
			if ctx.Err() != nil {
				return false
			}
			r, err := who.run()
			if ctx.Err() != nil { // interrupted, not a failure
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
			left = slices.DeleteFunc(left, func(who runner) bool {
				return who.peer && slices.Contains(ranked[f.Fastest:], who.name)
			})
		}
	}
	if len(t.Ours) == 0 {
		return t, failures[0]
	}
	t.summarize(gflop, d.Result.Limit, d.Result.Threads)
	if len(t.Peers) == 0 {
		return t, failures[1]
	}
	return t, nil
}

// runners returns the runners of a case. They store their measurements in t, d and gflop.
func (f flags) runners(
	ctx context.Context, t *timing, d *document, gflop *float64,
) (all []runner, err error) {
	for _, precision := range f.precisions() {
		all = append(all, runner{
			name: precision,
			run:  func() (run, error) { return f.ours(ctx, t.benchCase, precision) },
			done: func(r run) {
				t.Ours[precision] = append(t.Ours[precision], r.seconds)
				if r.fresh > 0 {
					t.Fresh[precision] = append(t.Fresh[precision], r.fresh)
				}
				t.Precision, t.MRR, *gflop = r.auto, r.mrr, r.gflop
				t.Compile = max(t.Compile, r.compiling)
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
		if !p.supports(t.benchCase) {
			continue
		}
		all = append(all, runner{
			name: p.name, peer: true,
			run: func() (run, error) { return p.run(ctx, f, t.benchCase) },
			done: func(r run) {
				t.Peers[p.name] = append(t.Peers[p.name], r.seconds)
				setVersions(d.Result.Peers, p.name, r.on)
			},
		})
	}
	return all, nil
}

// precisions returns our precisions.
func (f flags) precisions() []string {
	switch {
	case len(f.Precisions) > 0:
		return f.Precisions
	case f.Backend != "":
		return []string{float32s}
	}
	return []string{float32s, bfloat16s}
}
