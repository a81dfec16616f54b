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
	peer bool
	// failed reports a failure. Timings do not, because a peer may have the name of a precision.
	failed bool
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
	remaining, err := f.runners(ctx, c)
	if err != nil {
		return t, err
	}
	var ourError, peerError error // the first of each
	for round := range f.Repeat {
		for i := range remaining {
			r := &remaining[i]
			measured, err := r.run()
			switch {
			case ctx.Err() != nil: // interrupted, not a failure
				return t, ctx.Err()
			case err != nil:
				r.failed = true
				t.Dropped[r.name] = record.HidePaths(err.Error())
				fmt.Fprintf(os.Stderr, "bench: %s: %s is dropped: %v\n", c.ID, r.name, err)
				err = fmt.Errorf("%s: %w", r.name, err)
				if r.peer {
					peerError = cmp.Or(peerError, err)
				} else {
					ourError = cmp.Or(ourError, err)
				}
			case r.peer:
				t.Peers[r.name] = append(t.Peers[r.name], measured.seconds)
				setVersions(d.Result.Peers, r.name, measured.on)
			default:
				t.add(r.name, measured)
				d.Result.add(measured)
			}
		}
		var slow []string
		if ranked := t.ranked(); round == 0 && f.Fastest > 0 && len(ranked) > f.Fastest {
			slow = ranked[f.Fastest:]
		}
		remaining = slices.DeleteFunc(remaining, func(r runner) bool {
			return r.failed || r.peer && slices.Contains(slow, r.name)
		})
	}
	if len(t.Ours) == 0 {
		return t, ourError
	}
	t.summarize(d.Result.Limit, d.Result.Threads)
	if len(t.Peers) == 0 {
		return t, peerError
	}
	return t, nil
}

// runners returns the runners of a case.
func (f flags) runners(ctx context.Context, c benchCase) (all []runner, err error) {
	precisions := []string{float32s, bfloat16s}
	if f.Backend != "" {
		precisions = []string{float32s}
	}
	for _, precision := range precisions {
		run := func() (run, error) { return f.ours(ctx, c, precision) }
		all = append(all, runner{name: precision, run: run})
	}
	peers, err := f.peers()
	if err != nil {
		return nil, err
	}
	for _, p := range peers {
		if p.supports(c) {
			run := func() (run, error) { return p.run(ctx, f, c) }
			all = append(all, runner{name: p.name, run: run, peer: true})
		}
	}
	return all, nil
}
