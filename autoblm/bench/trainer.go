package main

import (
	"context"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/autoblm/autoblm-go/internal/record"
)

// trainer runs trainings of a comparison: our engine with a precision, or a peer.
type trainer struct {
	name, command string // the command of a peer
	supports      func(training) bool
	run           func(context.Context, training, schedule) (trainingRun, error)
}

// trainingRun holds the measurements of a run.
type trainingRun struct {
	step, seconds float64 // of a step, and of all steps
	perEpoch      int     // steps of a whole epoch
	ranking, mrr  float64 // seconds and MRR of the ranking of the test triples, 0 without one
	memory        int64   // peak memory of the process in bytes
	precision     string  // of our products
	on            string  // versions of a peer
}

const oursAuto, oursFloat32 = "ours", "ours, float32"

// printedTraining is the JSON that peers and our benchmark print for a training.
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

// readTraining parses the JSON of a training. The first of several epochs is not timed.
func readTraining(output []byte, p schedule) (r trainingRun, err error) {
	var printed printedTraining
	if err := json.Unmarshal(output, &printed); err != nil {
		return r, fmt.Errorf("it printed no JSON: %w", err)
	}
	if len(printed.Steps) != p.epochs {
		return r, fmt.Errorf("it timed %d epochs, not %d", len(printed.Steps), p.epochs)
	}
	if printed.PerEpoch < 1 || printed.Timed < 1 {
		return r, errors.New("it printed no steps_per_epoch or no steps_timed")
	}
	r = trainingRun{
		perEpoch:  printed.PerEpoch,
		ranking:   printed.Test.Seconds,
		mrr:       printed.Test.MRR,
		precision: printed.Precision,
	}
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
	ranked := r.ranking > 0 && r.mrr > 0
	if !(r.step > 0) || p.rank && !ranked {
		return r, errors.New("it printed no time, or no MRR")
	}
	return r, nil
}

// peerTrainer returns a peer as a trainer.
func (f flags) peerTrainer(name, command string, supports func(training) bool) trainer {
	run := func(ctx context.Context, t training, p schedule) (trainingRun, error) {
		arguments := append(strings.Fields(command), filepath.Join(f.Data, t.Dataset))
		output, memory, err := f.runPeer(ctx, append(arguments, p.flags(t, f.threads())...))
		if err != nil {
			return trainingRun{}, err
		}
		r, err := readTraining(output, p)
		r.memory, r.precision = memory, ""
		return r, err
	}
	return trainer{name, command, supports, run}
}

//go:embed pykeen/train.py
var pykeenProgram []byte

// python returns the path of Python in the virtual environment of --peers.
func (f flags) python() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(f.Peers, "Scripts", "python.exe")
	}
	return filepath.Join(f.Peers, "bin", "python")
}

// preparePyKEEN checks the environment and writes the program for PyKEEN.
func (f flags) preparePyKEEN() error {
	if _, err := os.Stat(f.python()); err != nil {
		return fmt.Errorf("--peers has no Python environment: %w; create it with python3 -m venv "+
			"and pip install --requirement autoblm/bench/pykeen/requirements.txt", err)
	}
	return os.WriteFile(filepath.Join(f.temporary, "pykeen_train.py"), pykeenProgram, 0o644)
}

// pykeen returns the training loops of PyKEEN: 1vsAll is like ours, with both sides of each triple
// and the full softmax; KvsAll takes all answers to a query at once, with reciprocal relations;
// sLCWA samples entities. The full softmax of RotatE is slow and only for small graphs.
func (f flags) pykeen() []trainer {
	program := filepath.Join(f.temporary, "pykeen_train.py")
	loop := func(name string, supports func(training) bool) trainer {
		command := []string{f.Keep, f.python(), program, "--loop", strings.ToLower(name)}
		return f.peerTrainer("PyKEEN, "+name, strings.Join(command, " "), supports)
	}
	return []trainer{
		loop("1vsAll", func(t training) bool {
			return !t.Reverses && (t.Model != rotateModel || t.whole())
		}),
		loop("KvsAll", func(t training) bool { return t.Reverses }),
		loop("sLCWA", func(t training) bool { return !t.Reverses }),
	}
}

// ourTrainer returns our engine with a precision as a trainer.
func (f flags) ourTrainer(name, precision string) trainer {
	supports := func(training) bool { return true }
	run := func(ctx context.Context, t training, p schedule) (trainingRun, error) {
		program := exec.CommandContext(ctx, f.Ours,
			"-test.run", "^$", "-test.bench", "^BenchmarkTraining$/^"+t.ID+"$",
			"-test.benchtime", "1x", "-precision", precision,
			"-epochs", strconv.Itoa(p.epochs), "-max-steps", strconv.Itoa(p.steps),
			"-rank="+strconv.FormatBool(p.rank))
		program.Env = f.environment()
		output, err := program.Output()
		if err != nil {
			return trainingRun{}, benchmarkFailed(err, output)
		}
		_, rest, _ := strings.Cut(string(output), trainedMark)
		line, _, _ := strings.Cut(rest, "\n")
		r, err := readTraining([]byte(line), p)
		r.memory = peakMemory(program.ProcessState)
		return r, err
	}
	return trainer{name, "", supports, run}
}

// trainedMark precedes the JSON of our benchmark of a training.
const trainedMark = "trained: "
