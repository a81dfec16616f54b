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

// compare times whole trainings by ours and by peers, in turns. One that fails keeps no
// other from being measured, and what there is so far is written each time.
func (f flags) compare(ctx context.Context, command []string, w io.Writer) error {
	chosen, err := chooseTrainings(trainings(), f.Cases)
	if err != nil {
		return err
	}
	rivals, err := f.rivals()
	if err != nil {
		return err
	}
	by := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	d := record.New(ctx, by, comparison{Threads: by.Threads, Peers: map[string]played{}})
	for _, r := range rivals {
		if r.command != "" {
			d.Result.Peers[r.name] = played{Command: record.HidePaths(r.command)}
		}
	}
	if f.Out != "" {
		if err := goOnComparing(&d, f.Out); err != nil {
			return err
		}
	}
	began := time.Now()
	var failed []string
	measuredAny := false
	for i, t := range chosen {
		t.Seconds = cmp.Or(f.Seconds, t.Seconds)
		if i > 0 && f.Minutes > 0 && time.Since(began).Minutes() > f.Minutes {
			failed = append(failed, fmt.Sprintf("%s: %v minutes are over", t.ID, f.Minutes))
			continue
		}
		if _, err := os.Stat(filepath.Join(f.Data, t.Dataset)); err != nil {
			fmt.Fprintln(os.Stderr, "bench: left out:", record.HidePaths(fmt.Sprintf("%s: %v", t.ID, err)))
			continue
		}
		outcomes, err := f.contest(ctx, t, rivals, &d)
		if err != nil {
			return err
		}
		printOutcomes(w, t, outcomes)
		for _, o := range outcomes {
			measuredAny = true
			if o.Dropped != "" {
				failed = append(failed, fmt.Sprintf("%s: %s: %s", t.ID, o.Who, o.Dropped))
			}
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("not all was measured: %s", strings.Join(failed, "; "))
	case !measuredAny:
		return errors.New("nothing was measured")
	}
	return nil
}

// contest lets all who can train the same: so often in turns, to be timed, and then for
// equal seconds. Who fails is dropped. The result is written after each turn.
func (f flags) contest(ctx context.Context, t training, rivals []rival, d *record.Document[comparison]) ([]outcome, error) {
	rivals = slices.DeleteFunc(slices.Clone(rivals), func(r rival) bool { return !r.does(t) })
	all := make([]outcome, len(rivals))
	for i, r := range rivals {
		all[i] = outcome{Who: r.name, Command: d.Command, Date: d.Date}
	}
	turn := func(of func(outcome) pass, done func(*outcome, ran, pass)) error {
		for i, r := range rivals {
			o := &all[i]
			if o.Dropped != "" || same(o.Who, all) {
				continue
			}
			p := of(*o)
			got, err := r.run(ctx, t, p)
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if err != nil {
				o.Dropped = record.HidePaths(err.Error())
				fmt.Fprintf(os.Stderr, "bench: %s: %s is dropped: %v\n", t.ID, o.Who, err)
			} else {
				done(o, got, p)
				if played, is := d.Result.Peers[o.Who]; is && got.on != "" {
					played.On = got.on
					d.Result.Peers[o.Who] = played
				}
			}
			d.Result.put(t, *o)
			if f.Out != "" {
				if err := d.Write(f.Out); err != nil {
					return fmt.Errorf("the result is not written: %w", err)
				}
			}
		}
		return nil
	}
	for range f.Repeat {
		if err := turn(func(outcome) pass { return t.measuring() }, func(o *outcome, r ran, _ pass) { o.add(r, t.whole()) }); err != nil {
			return nil, err
		}
	}
	err := turn(func(o outcome) pass { return within(t.Seconds, record.Median(o.Step), o.PerEpoch) }, (*outcome).reach)
	return slices.DeleteFunc(all, func(o outcome) bool { return len(o.Step) == 0 && o.Dropped == "" }), err
}

// same says whether who is our float32 where auto is float32, too.
func same(who string, all []outcome) bool {
	return who == oursFloat32 && slices.ContainsFunc(all, func(o outcome) bool { return o.Who == oursAuto && o.Precision == float32s })
}

// rivals are all who train, and match --who.
func (f flags) rivals() ([]rival, error) {
	all := []rival{f.oursIn(oursAuto, "auto"), f.oursIn(oursFloat32, float32s)}
	peers, err := f.peers()
	if err != nil {
		return nil, err
	}
	for _, p := range peers {
		all = append(all, f.rival(p.name, p.command, func(t training) bool { return t.Model != rotateModel && !t.Reverses }))
	}
	all = append(all, f.pykeen()...)
	return record.Choose("--who", all, func(r rival) string { return r.name }, f.Who)
}
