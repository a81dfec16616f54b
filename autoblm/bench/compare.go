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

// compare times whole trainings of our engine and of peers, in turns. It writes the results so far
// after each turn, and continues after a failure.
func (f flags) compare(ctx context.Context, command []string, w io.Writer) error {
	chosen, err := chooseTrainings(trainings(), f.Cases)
	if err != nil {
		return err
	}
	trainers, err := f.trainers()
	if err != nil {
		return err
	}
	by := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	d := record.New(ctx, by, comparison{Threads: by.Threads, Peers: map[string]peerInfo{}})
	for _, r := range trainers {
		if r.command != "" {
			d.Result.Peers[r.name] = peerInfo{Command: record.HidePaths(r.command)}
		}
	}
	if f.Out != "" {
		if err := resumeComparison(&d, f.Out); err != nil {
			return err
		}
	}
	began := time.Now()
	var failed []string
	measuredAny := false
	for i, t := range chosen {
		t.Seconds = cmp.Or(f.Seconds, t.Seconds)
		if i > 0 && f.Minutes > 0 && time.Since(began).Minutes() > f.Minutes {
			failed = append(failed, fmt.Sprintf("%s: time limit of %v minutes", t.ID, f.Minutes))
			continue
		}
		if _, err := os.Stat(filepath.Join(f.Data, t.Dataset)); err != nil {
			why := record.HidePaths(fmt.Sprintf("%s: %v", t.ID, err))
			fmt.Fprintln(os.Stderr, "bench: skipped:", why)
			continue
		}
		outcomes, err := f.compareTraining(ctx, t, trainers, &d)
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
		return fmt.Errorf("incomplete: %s", strings.Join(failed, "; "))
	case !measuredAny:
		return errors.New("nothing was measured")
	}
	return nil
}

// compareTraining runs a training on all trainers that support it: first in turns, to time it, and
// then for equal seconds. A trainer that fails is dropped.
func (f flags) compareTraining(
	ctx context.Context, t training, trainers []trainer, d *record.Document[comparison],
) ([]outcome, error) {
	trainers = slices.DeleteFunc(slices.Clone(trainers), func(r trainer) bool {
		return !r.supports(t)
	})
	all := make([]outcome, len(trainers))
	for i, r := range trainers {
		all[i] = outcome{Who: r.name, Command: d.Command, Date: d.Date}
	}
	turn := func(of func(outcome) schedule, done func(*outcome, trainingRun, schedule)) error {
		for i, r := range trainers {
			o := &all[i]
			if o.Dropped != "" || isDuplicate(o.Who, all) {
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
					return fmt.Errorf("cannot write the result: %w", err)
				}
			}
		}
		return nil
	}
	for range f.Repeat {
		err := turn(
			func(outcome) schedule { return t.timingSchedule() },
			func(o *outcome, r trainingRun, _ schedule) { o.add(r, t.whole()) })
		if err != nil {
			return nil, err
		}
	}
	equalSeconds := func(o outcome) schedule {
		return scheduleFor(t.Seconds, record.Median(o.Step), o.PerEpoch)
	}
	err := turn(equalSeconds, (*outcome).addTimeLimited)
	return slices.DeleteFunc(all, func(o outcome) bool {
		return len(o.Step) == 0 && o.Dropped == ""
	}), err
}

// isDuplicate reports whether who is our float32 and our auto is float32, too.
func isDuplicate(who string, all []outcome) bool {
	return who == oursFloat32 && slices.ContainsFunc(all, func(o outcome) bool {
		return o.Who == oursAuto && o.Precision == float32s
	})
}

// trainers returns all trainers that match --who.
func (f flags) trainers() ([]trainer, error) {
	all := []trainer{f.ourTrainer(oursAuto, "auto"), f.ourTrainer(oursFloat32, float32s)}
	peers, err := f.peers()
	if err != nil {
		return nil, err
	}
	for _, p := range peers {
		supports := func(t training) bool { return t.Model != rotateModel && !t.Reverses }
		all = append(all, f.peerTrainer(p.name, p.command, supports))
	}
	all = append(all, f.pykeen()...)
	return record.Choose("--who", all, func(r trainer) string { return r.name }, f.Who)
}
