package main

import (
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
	all := f.cases()
	chosen, err := choose(all, f.Cases)
	if err != nil {
		return err
	}
	peers, err := f.peers()
	if err != nil {
		return err
	}
	d, err := f.document(ctx, command, peers)
	if err != nil {
		return err
	}
	began := time.Now()
	var failed []string
	succeeded := 0
	for i, c := range chosen {
		t := timing{benchCase: c, Command: d.Command, Date: d.Date}
		err := f.skip(c.Dataset, i, began)
		if err == nil {
			if err = f.time(ctx, &t, append(f.ours(), peers...), &d.Result); err != nil {
				failed = append(failed, c.ID)
			}
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		why := ""
		if err != nil {
			why = record.HidePaths(fmt.Sprintf("%s: %v", c.ID, err))
			fmt.Fprintln(os.Stderr, "bench: skipped:", why)
		}
		d.Result.setLeftOut(c.ID, why)
		if len(t.ranked(false)) > 0 {
			d.Result.put(t, all)
			t.print(w)
			succeeded++
		}
		if f.Out != "" {
			if err := d.Write(f.Out); err != nil {
				return fmt.Errorf("cannot write the result: %w", err)
			}
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

// document returns an empty document, or one with the cases that the file of --out has.
func (f flags) document(ctx context.Context, command []string, peers []runner) (document, error) {
	by := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	if f.Backend != "" {
		by.Engine, by.Backend = "gomlx", f.Backend
	}
	r := result{Threads: by.Threads, Peers: map[string]peerInfo{}}
	if f.Suite == speedSuite {
		r.Limit = f.Limit
	}
	for _, p := range peers {
		r.Peers[p.name] = peerInfo{Command: record.HidePaths(p.command)}
	}
	d := record.New(ctx, by, r)
	if f.Out == "" {
		return d, nil
	}
	return d, resume(&d, f.Out)
}

// time alternates between the runners of a case, and then between trainings for equal seconds. It
// drops a runner that fails. It returns an error if our engine fails with all precisions, or if all
// peers fail.
func (f flags) time(ctx context.Context, t *timing, all []runner, r *result) error {
	all = slices.DeleteFunc(slices.Clone(all), func(r runner) bool { return !r.supports(t.benchCase) })
	for _, by := range all {
		t.Outcomes = append(t.Outcomes, outcome{Who: by.name, Peer: by.isPeer()})
	}
	rounds := f.Repeat
	if t.Seconds > 0 {
		rounds++
	}
	var slow []outcome
	errs := map[bool]error{} // the first of our engine and of the peers
	auto := ""
	for round := range rounds {
		for i, by := range all {
			o := &t.Outcomes[i]
			isSlow := slices.ContainsFunc(slow, func(s outcome) bool { return s.Who == by.name })
			if o.Dropped != "" || o.Peer && isSlow {
				continue
			}
			s, limited := t.schedule(), (*schedule)(nil)
			if round == f.Repeat {
				s = scheduleFor(t.Seconds, record.Median(o.Seconds), o.PerEpoch)
				limited = &s
			}
			got, err := f.runCase(ctx, by, t.benchCase, s)
			switch {
			case ctx.Err() != nil: // interrupted, not a failure
				return ctx.Err()
			case err != nil:
				o.Dropped = record.HidePaths(err.Error())
				fmt.Fprintf(os.Stderr, "bench: %s: %s is dropped: %v\n", t.ID, by.name, err)
				if errs[o.Peer] == nil {
					errs[o.Peer] = fmt.Errorf("%s: %w", by.name, err)
				}
				continue
			}
			o.add(t.benchCase, got, limited)
			r.addRun(by, got)
			if !o.Peer {
				t.gflop, auto = got.GFLOP, got.Auto
			}
		}
		if peers := t.ranked(true); round == 0 && f.Fastest > 0 && len(peers) > f.Fastest {
			slow = peers[f.Fastest:]
		}
	}
	if len(t.ranked(false)) == 0 {
		return errs[false]
	}
	switch f.Suite {
	case enginesSuite:
	case timeToMRRSuite:
		t.compareCurves()
	default:
		t.summarize(auto, r.Limit, r.Threads)
	}
	if len(t.ranked(true)) == 0 {
		return errs[true]
	}
	return nil
}
