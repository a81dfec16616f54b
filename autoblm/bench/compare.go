package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/internal/record"
)

// compare times whole trainings of our engine and of peers. It writes the results so far after each
// run, and continues after a failure.
func (f flags) compare(ctx context.Context, command []string, w io.Writer) error {
	chosen, err := chooseTrainings(trainings(), f.Cases)
	if err != nil {
		return err
	}
	trainers, err := f.trainers()
	if err != nil {
		return err
	}
	setup := record.Setup{Command: record.CommandLine(command...), Threads: f.threads()}
	d := record.New(ctx, setup, comparison{Threads: f.threads(), Peers: map[string]peerInfo{}})
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
	measured := 0
	for i, t := range chosen {
		t.Seconds = cmp.Or(f.Seconds, t.Seconds)
		if err := f.skip(t.Dataset, i, began); err != nil {
			printSkipped(t.ID, err)
			continue
		}
		outcomes, err := f.compareTraining(ctx, t, trainers, &d)
		if err != nil {
			return err
		}
		printOutcomes(w, t, outcomes)
		measured += len(outcomes)
		for _, o := range outcomes {
			if o.Dropped != "" {
				failed = append(failed, fmt.Sprintf("%s: %s: %s", t.ID, o.Who, o.Dropped))
			}
		}
	}
	switch {
	case len(failed) > 0:
		return fmt.Errorf("incomplete: %s", strings.Join(failed, "; "))
	case measured == 0:
		return errors.New("nothing was measured")
	}
	return nil
}

// compareTraining runs a training on all trainers that support it. In each round it alternates
// between them. The last round trains for equal seconds, the others time the steps. It drops a
// trainer that fails.
func (f flags) compareTraining(
	ctx context.Context, t training, trainers []trainer, d *record.Document[comparison],
) ([]outcome, error) {
	var all []outcome
	var supported []trainer
	for _, r := range trainers {
		if r.supports(t) {
			supported = append(supported, r)
			all = append(all, outcome{Who: r.name, Command: d.Command, Date: d.Date})
		}
	}
	for round := range f.Repeat + 1 {
		for i, r := range supported {
			o := &all[i]
			if o.Dropped != "" || isDuplicate(o.Who, all) {
				continue
			}
			s, last := t.timingSchedule(), round == f.Repeat
			if last {
				s = scheduleFor(t.Seconds, record.Median(o.Step), o.PerEpoch)
			}
			got, err := r.run(ctx, t, s)
			switch {
			case ctx.Err() != nil:
				return nil, ctx.Err()
			case err != nil:
				o.Dropped = record.HidePaths(err.Error())
				fmt.Fprintf(os.Stderr, "bench: %s: %s is dropped: %v\n", t.ID, o.Who, err)
			case last:
				o.addTimeLimited(got, s)
			default:
				o.add(got, t.whole())
			}
			if err == nil {
				setVersions(d.Result.Peers, o.Who, got.on)
			}
			d.Result.put(t, *o)
			if err := write(d, f.Out); err != nil {
				return nil, err
			}
		}
	}
	return slices.DeleteFunc(all, func(o outcome) bool {
		return len(o.Step) == 0 && o.Dropped == ""
	}), nil
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
