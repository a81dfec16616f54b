package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/record"
)

// rival is one of those that train the same.
type rival struct {
	name, command string // a command where it is a peer
	does          func(training) bool
	run           func(context.Context, training, pass) (ran, error)
}

// ran is what a run came to.
type ran struct {
	step, seconds float64 // of a step, and of all that was trained
	perEpoch      int     // steps of a whole epoch
	ranking, mrr  float64 // of the test triples, where they were ranked
	memory        int64   // the most bytes that the process had
	precision     string  // of our products
	on            string  // the versions of a peer
}

const oursAuto, oursFloat32 = "ours", "ours, float32"

// printedTraining is what a peer prints of a training, and our benchmark, too.
type printedTraining struct {
	PyKEEN    string    `json:"pykeen,omitempty"`
	Torch     string    `json:"torch,omitempty"`
	Device    string    `json:"device"`
	Precision string    `json:"precision,omitempty"`
	PerEpoch  int       `json:"steps_per_epoch"`
	Timed     int       `json:"steps_timed"`
	Steps     []float64 `json:"ms_per_step_per_member"`
	Test      struct {
		MRR     float64 `json:"mrr"`
		Seconds float64 `json:"seconds"`
	} `json:"test"`
}

// readTraining reads that. Where there are several epochs, the first is not timed.
func readTraining(output []byte, p pass) (r ran, err error) {
	var printed printedTraining
	if err := json.Unmarshal(output, &printed); err != nil {
		return r, fmt.Errorf("it printed no JSON: %w", err)
	}
	if len(printed.Steps) != p.epochs {
		return r, fmt.Errorf("it timed %d epochs, and %d were asked for", len(printed.Steps), p.epochs)
	}
	if printed.PerEpoch < 1 || printed.Timed < 1 {
		return r, errors.New("it did not say how many steps an epoch has (steps_per_epoch) and how many it took (steps_timed)")
	}
	r = ran{perEpoch: printed.PerEpoch, ranking: printed.Test.Seconds, mrr: printed.Test.MRR, precision: printed.Precision}
	for _, ms := range printed.Steps {
		r.seconds += ms / 1e3 * float64(printed.Timed)
	}
	r.step = record.Median(printed.Steps[min(1, p.epochs-1):]) / 1e3
	if printed.Torch != "" {
		r.on = "PyTorch " + printed.Torch + " on " + printed.Device
	}
	if printed.PyKEEN != "" {
		r.on = "PyKEEN " + printed.PyKEEN + ", " + r.on
	}
	if !(r.step > 0) || p.rank && (!(r.ranking > 0) || !(r.mrr > 0)) {
		return r, errors.New("it did not say how long it took, or what it reached")
	}
	return r, nil
}

// rival is a peer as a rival.
func (f flags) rival(name, command string, does func(training) bool) rival {
	return rival{name, command, does, func(ctx context.Context, t training, p pass) (ran, error) {
		words := slices.Concat(strings.Fields(command), []string{filepath.Join(f.Data, t.Dataset)}, p.flags(t, f.threads()))
		output, memory, err := f.play(ctx, words)
		if err != nil {
			return ran{}, err
		}
		r, err := readTraining(output, p)
		r.memory, r.precision = memory, ""
		return r, err
	}}
}

// pykeen are PyKEEN's loops: both sides of each triple by the full softmax, as ours; all
// answers to a query at once, with reverses; and drawn entities. The full softmax of RotatE,
// coordinate by coordinate, is left to small graphs.
func (f flags) pykeen() []rival {
	e := environment{f.Peers}
	command := func(loop string) string {
		return strings.Join([]string{f.Keep, e.python(), e.program(), "--loop", loop}, " ")
	}
	return []rival{
		f.rival("PyKEEN, 1vsAll", command("1vsall"), func(t training) bool { return !t.Reverses && (t.Model != rotateModel || t.whole()) }),
		f.rival("PyKEEN, KvsAll", command("kvsall"), func(t training) bool { return t.Reverses }),
		f.rival("PyKEEN, sLCWA", command("slcwa"), func(t training) bool { return !t.Reverses }),
	}
}

// oursIn is ours in a precision.
func (f flags) oursIn(name, precision string) rival {
	does := func(training) bool { return true }
	return rival{name, "", does, func(ctx context.Context, t training, p pass) (ran, error) {
		program := exec.CommandContext(ctx, f.Ours, "-test.run", "^$", "-test.bench", "^BenchmarkTraining$/^"+t.ID+"$", "-test.benchtime", "1x", "-precision", precision,
			"-epochs", strconv.Itoa(p.epochs), "-max-steps", strconv.Itoa(p.steps), "-rank="+strconv.FormatBool(p.rank))
		program.Env = append(os.Environ(), "AUTOBLM_DATA="+f.Data, "GOMAXPROCS="+strconv.Itoa(f.threads()))
		output, err := program.Output()
		if err != nil {
			return ran{}, fmt.Errorf("our benchmark failed: %w%s%s", err, lastWords(err), cause(string(output)))
		}
		_, rest, _ := strings.Cut(string(output), trainedMark)
		line, _, _ := strings.Cut(rest, "\n")
		r, err := readTraining([]byte(line), p)
		r.memory = mostMemory(program.ProcessState)
		return r, err
	}}
}

// trainedMark comes before what our benchmark of a training prints.
const trainedMark = "trained: "
