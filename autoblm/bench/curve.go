package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/record"
	"github.com/autoblm/autoblm-go/internal/table"
)

// point is the state of our training at the end of an epoch.
type point struct {
	Seconds float64 `json:"seconds"` // of training, without validations
	MRR     float64 `json:"mrr"`     // of the validation triples
}

// reached says how long our trainings took to the validation MRR of a peer, in whole epochs.
type reached struct {
	Seconds []float64 `json:"seconds"`
	Epochs  int       `json:"epochs"`
	// Ratio is our median time relative to that of the peer.
	Ratio float64 `json:"ratio"`
}

// trainDefaults trains with our defaults for a graph and a dimension, and validates each epoch.
func (f flags) trainDefaults(ctx context.Context, c benchCase) (o output, err error) {
	program := exec.CommandContext(ctx, f.Ours, f.trainArguments(c)...)
	program.Env = append(os.Environ(), "AUTOBLM_DATA="+f.Data)
	printed, err := program.Output()
	if err != nil {
		return o, fmt.Errorf("our training failed: %w%s", err, lastErrorLine(err))
	}
	o.memory = peakMemory(program.ProcessState)
	o.Backend, o.curve, err = readCurve(printed)
	return o, err
}

// trainArguments returns the arguments of autoblm for a training with our defaults. It does not
// stop early.
func (f flags) trainArguments(c benchCase) []string {
	arguments := fields("train --dataset %s --structure %s --dim %d --epochs %d --validate-every 1 "+
		"--patience 0 --no-eval --json --threads %d",
		c.Dataset, complexModel, c.Dim, min(ourEpochs*c.Epochs, maxEpochs), f.threads())
	return append(arguments, "--out", filepath.Join(f.temporary, "model"))
}

// readCurve returns the backend and the course of a training from the JSON of autoblm train.
func readCurve(printed []byte) (backend string, curve []point, err error) {
	var trained struct {
		Backend     string
		Validations []kge.Validation
		Seconds     kge.Timing
	}
	if err := json.Unmarshal(printed, &trained); err != nil {
		return "", nil, fmt.Errorf("our training printed no JSON: %w", err)
	}
	seconds := trained.Seconds.Epochs
	if len(seconds) == 0 || len(trained.Validations) != len(seconds) {
		return "", nil, fmt.Errorf("our training printed %d validations of %d epochs",
			len(trained.Validations), len(seconds))
	}
	for i, v := range trained.Validations {
		curve = append(curve, point{seconds[i], v.MRR})
	}
	return trained.Backend, curve, nil
}

// compareCurves computes for each peer how long our trainings took to its median MRR.
func (t *timing) compareCurves() {
	curves := t.of(defaults, false).curves
	for i := range t.Outcomes {
		if o := &t.Outcomes[i]; o.Peer && len(o.Seconds) > 0 {
			o.Reached = reach(curves, *o)
		}
	}
}

// reach returns how long trainings took to the median MRR of a peer, or nil if one did not reach
// it.
func reach(curves [][]point, peer outcome) *reached {
	target, r := record.Median(peer.MRR), &reached{}
	for _, curve := range curves {
		i := slices.IndexFunc(curve, func(p point) bool { return p.MRR >= target })
		if i < 0 {
			return nil
		}
		r.Seconds, r.Epochs = append(r.Seconds, curve[i].Seconds), max(r.Epochs, i+1)
	}
	r.Ratio = record.Median(r.Seconds) / record.Median(peer.Seconds)
	return r
}

// printReached prints the times to the MRR of each peer.
func (t *timing) printReached(w io.Writer) {
	shown := table.New("", "time", "valid MRR", "our time", "our epochs", "ratio")
	for _, o := range t.Outcomes {
		switch {
		case o.Dropped != "":
			fmt.Fprintf(w, "%s was dropped: %s\n", o.Who, o.Dropped)
		case o.Peer:
			row := []any{o.Who, duration(o.Seconds...), record.Median(o.MRR), nil, nil, nil}
			if r := o.Reached; r != nil {
				row[3], row[4], row[5] = duration(r.Seconds...), r.Epochs, r.Ratio
			}
			shown.Add(row...)
		}
	}
	shown.Print(w)
	fmt.Fprintf(w, "the goal is a ratio of %.2f\n\n", t.Goal)
}
