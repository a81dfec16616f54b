package main

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/record"
)

// runner is a program that runs cases: our engine with a backend and a precision, or a peer.
type runner struct {
	name string
	// backend names a GoMLX backend; "" means the native engine.
	backend, precision string
	// command starts a peer. With steps it only times training steps.
	command string
	steps   bool
}

func (r runner) isPeer() bool { return r.command != "" }

// native is the name of the native engine next to backends of GoMLX.
const native = "native"

// defaults is the name of our default training.
const defaults = "autoblm train"

const float32s, bfloat16s = "float32", "bfloat16"

// ours returns the runners of our engines.
func (f flags) ours() (all []runner) {
	switch {
	case f.Suite == timeToMRRSuite:
		return []runner{{name: defaults}}
	case f.Suite == enginesSuite:
		all = append(all, runner{name: native, precision: float32s})
		for _, name := range f.Backends {
			all = append(all, runner{name: name, backend: name, precision: float32s})
		}
		return all
	case f.Backend != "":
		return []runner{{name: float32s, backend: f.Backend, precision: float32s}}
	}
	return []runner{
		{name: float32s, precision: float32s}, {name: bfloat16s, precision: bfloat16s},
	}
}

// peers parses the flags for peers, "NAME: COMMAND". Without a name, the command is the name.
func (f flags) peers() (all []runner, err error) {
	for i, text := range slices.Concat(f.Peer, f.StepPeer) {
		name, command, named := strings.Cut(text, ": ")
		if !named {
			name, command = record.HidePaths(text), text
		}
		if len(strings.Fields(command)) == 0 || name == "" {
			return nil, fmt.Errorf("--peer %q has no command: use \"NAME: COMMAND\"", text)
		}
		if slices.ContainsFunc(all, func(r runner) bool { return r.name == name }) {
			return nil, fmt.Errorf("two peers are called %s: use different names, as in "+
				"--peer \"NAME: COMMAND\"", name)
		}
		all = append(all, runner{name: name, command: command, steps: i >= len(f.Peer)})
	}
	return all, nil
}

// supports reports whether a runner runs a case. Peers with a --loop are PyKEEN, for whole
// trainings: kvsall always has reciprocal relations, and no other peer has them. The full softmax
// of RotatE, 1vsall, is slow and only for small graphs. Only slcwa samples negatives.
func (r runner) supports(c benchCase) bool {
	_, loop, _ := strings.Cut(r.command, "--loop ")
	switch {
	case !r.isPeer():
		return true
	case c.What == mrrKind:
		return !r.steps
	case c.What == trainingKind:
		hasModel := c.Model != rotateModel || loop == "slcwa" || loop == "1vsall" && c.whole()
		hasLoss := c.Negatives == 0 || loop == "slcwa"
		return !r.steps && hasModel && hasLoss && c.Reverses == (loop == "kvsall")
	}
	return loop == "" && (c.What == stepKind || c.What == rankKind && !r.steps)
}

// output is the JSON that peers and our benchmarks print.
type output struct {
	PyKEEN   string `json:"pykeen,omitempty"`
	Torch    string `json:"torch,omitempty"`
	Device   string `json:"device,omitempty"`
	PerEpoch int    `json:"steps_per_epoch"`
	Timed    int    `json:"steps_timed"` // per epoch
	// Steps has the milliseconds per step and member of each epoch.
	Steps []float64 `json:"ms_per_step_per_member"`
	Valid ranking   `json:"valid"`
	Test  ranking   `json:"test"`
	// The other fields are printed by our benchmarks. Epoch has the seconds per member of an
	// epoch, and Fresh those of a ranking with an untrained model.
	Epoch     float64  `json:"epoch,omitempty"`
	Fresh     float64  `json:"fresh,omitempty"`
	Compiling float64  `json:"compiling,omitempty"`
	GFLOP     float64  `json:"gflop,omitempty"` // per member
	Auto      string   `json:"auto,omitempty"`  // precision of auto
	Backend   string   `json:"backend,omitempty"`
	Notes     []string `json:"notes,omitempty"`

	memory int64   // peak memory of the process in bytes
	curve  []point // of our default training
}

// ranking is the result of the ranking of a split.
type ranking struct {
	MRR     float64 `json:"mrr"`
	Seconds float64 `json:"seconds"` // per member
}

// ranking returns the ranking of the split that a case is about.
func (o output) ranking(c benchCase) ranking {
	if c.What == mrrKind {
		return o.Valid
	}
	return o.Test
}

// outputMark precedes the JSON in the output of our benchmarks.
const outputMark = "output: "

// runCase runs a case.
func (f flags) runCase(ctx context.Context, r runner, c benchCase, s schedule) (output, error) {
	if r.isPeer() {
		arguments := append(strings.Fields(r.command), filepath.Join(f.Data, c.Dataset))
		return f.runPeer(ctx, append(arguments, peerFlags(c, s, f.Backend, f.threads())...), c, s)
	}
	if c.What == mrrKind {
		return f.trainDefaults(ctx, c)
	}
	arguments := []string{
		"-test.run", "^$", "-test.bench", "^Benchmark(Step|Rank|Epoch|Classes|Training)$/^" + c.ID + "$",
		"-test.benchtime", "1x", "-suite", string(f.Suite), "-backend", r.backend,
		"-precision", r.precision, "-models", f.temporary, "-small=" + strconv.FormatBool(f.Small),
		"-epochs", strconv.Itoa(s.epochs), "-max-steps", strconv.Itoa(s.steps),
		"-rank=" + strconv.FormatBool(s.rank),
	}
	program := exec.CommandContext(ctx, f.Ours, arguments...)
	program.Env = append(os.Environ(),
		"AUTOBLM_DATA="+f.Data, "GOMAXPROCS="+strconv.Itoa(f.threads()))
	printed, err := program.Output()
	if err != nil {
		return output{}, fmt.Errorf("our benchmark failed: %w%s%s",
			err, lastErrorLine(err), failureMessage(string(printed)))
	}
	_, rest, _ := strings.Cut(string(printed), outputMark)
	line, _, _ := strings.Cut(rest, "\n")
	o, err := readOutput([]byte(line), c, s)
	o.memory = peakMemory(program.ProcessState)
	return o, err
}

var failure = regexp.MustCompile(`(?m)^ +\w+_test\.go:\d+(: .*)$`)

// failureMessage returns the message of a failed Go benchmark, as the end of a sentence.
func failureMessage(output string) string {
	if found := failure.FindStringSubmatch(output); found != nil {
		return found[1]
	}
	return "\n" + output
}

func (f flags) threads() int { return cmp.Or(f.Threads, runtime.GOMAXPROCS(0)) }

// outputDelay limits the time that subprocesses of a peer may keep its output open.
const outputDelay = 5 * time.Second

// runPeer runs a command within the time limit for peers.
func (f flags) runPeer(
	ctx context.Context, command []string, c benchCase, s schedule,
) (o output, err error) {
	limited := ctx
	if f.Patience > 0 {
		var cancel func()
		limited, cancel = context.WithTimeout(ctx, time.Duration(f.Patience*float64(time.Second)))
		defer cancel()
	}
	program := exec.CommandContext(limited, command[0], command[1:]...)
	program.WaitDelay = outputDelay
	printed, err := program.Output()
	switch {
	case ctx.Err() != nil:
		return o, ctx.Err()
	case limited.Err() != nil:
		return o, fmt.Errorf("it took more than %v s", f.Patience)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return o, fmt.Errorf("it failed: %w%s", err, lastErrorLine(err))
	}
	o, err = readOutput(printed, c, s)
	o.memory = peakMemory(program.ProcessState)
	return o, err
}

// peerFlags returns the flags of a peer after its own command and the data. Peers run on the GPU if
// our backend is CUDA.
func peerFlags(c benchCase, s schedule, backend string, threads int) []string {
	device := "cpu"
	if probe.IsCUDA(backend) {
		device = "cuda"
	}
	all := fields("--structure %s --device %s --dim %d --batch %d --members %d --threads %d "+
		"--seed 1 --epochs %d --max-steps %d", cmp.Or(c.Model, complexModel), device, c.Dim, c.Batch,
		c.Members, threads, s.epochs, s.steps)
	if c.Rate > 0 {
		all = append(all, "--lr", fmt.Sprint(c.Rate))
	}
	if c.Negatives > 0 {
		all = append(all, "--negatives", fmt.Sprint(c.Negatives))
	}
	if s.rank {
		all = append(all, "--eval")
	}
	return all
}

// readOutput parses and checks the JSON of a run.
func readOutput(printed []byte, c benchCase, s schedule) (o output, err error) {
	if err := json.Unmarshal(printed, &o); err != nil {
		return o, fmt.Errorf("it printed no JSON: %w", err)
	}
	isTraining := c.isTraining()
	switch {
	case isTraining && len(o.Steps) != s.epochs || c.What == stepKind && len(o.Steps) < 2:
		return o, fmt.Errorf("it timed %d epochs, not %d", len(o.Steps), s.epochs)
	case isTraining && (o.PerEpoch < 1 || o.Timed < 1):
		return o, errors.New("it printed no steps_per_epoch or no steps_timed")
	case !(o.seconds(c) > 0) || s.rank && !(o.ranking(c).Seconds > 0):
		return o, errors.New("it printed no time")
	case isTraining && s.rank && !(o.ranking(c).MRR > 0):
		return o, errors.New("it printed no MRR")
	}
	return o, nil
}

// seconds returns the seconds that a case times: of a step, an epoch, a ranking or all epochs. It
// takes the median of the epochs after the first.
func (o output) seconds(c benchCase) float64 {
	switch {
	case c.What == rankKind:
		return o.Test.Seconds
	case o.Epoch > 0:
		return o.Epoch
	case len(o.curve) > 0:
		return o.curve[len(o.curve)-1].Seconds
	case len(o.Steps) == 0:
		return 0
	}
	step := record.Median(o.Steps[min(1, len(o.Steps)-1):]) / 1e3
	if c.What == mrrKind {
		return step * float64(o.PerEpoch*c.Epochs)
	}
	return step
}

// on returns the versions and the device of a peer, or "".
func (o output) on() string {
	if o.Torch == "" {
		return ""
	}
	on := "PyTorch " + o.Torch + " on " + o.Device
	if o.PyKEEN != "" {
		on = "PyKEEN " + o.PyKEEN + ", " + on
	}
	return on
}

// lastErrorLine returns the last line of a program's standard error, as the end of a sentence. It
// returns "" for a program that a signal ended, because its last line is unrelated.
func lastErrorLine(err error) string {
	exit, is := errors.AsType[*exec.ExitError](err)
	if !is || !exit.Exited() {
		return ""
	}
	lines := strings.Split(strings.TrimSpace(string(exit.Stderr)), "\n")
	if last := lines[len(lines)-1]; last != "" {
		return ": " + last
	}
	return ""
}

// rehearse runs TestRehearsal.
func (f flags) rehearse(ctx context.Context, w io.Writer) error {
	peers := strings.Join(slices.Concat(f.Peer, f.StepPeer), "\n")
	program := exec.CommandContext(ctx, f.Ours, "-test.run", "^TestRehearsal$", "-test.v",
		"-backend", f.Backend, "-peer", peers)
	program.Stdout, program.Stderr = w, w
	if err := program.Run(); err != nil {
		return fmt.Errorf("a command of --plan fails: %w", err)
	}
	return nil
}

// findOurs returns the program that runs our cases.
func (f flags) findOurs(ctx context.Context) (string, error) {
	if f.Suite == timeToMRRSuite || f.Suite == serveSuite || f.Suite == clusterSuite {
		return findOrBuild(ctx, f.temporary, "autoblm", "build", "./autoblm/cmd/autoblm")
	}
	return findOrBuild(ctx, f.temporary, "bench.test", "test -c", "./autoblm/bench")
}

// findOrBuild returns a program next to this one, or builds it into a folder with a Go command.
func findOrBuild(ctx context.Context, folder, name, build, from string) (string, error) {
	if this, err := os.Executable(); err == nil {
		sibling := filepath.Join(filepath.Dir(this), name)
		if _, err := os.Stat(sibling); err == nil {
			return sibling, nil
		}
	}
	built := filepath.Join(folder, name)
	arguments := append(fields("%s -o", build), built, from)
	output, err := exec.CommandContext(ctx, "go", arguments...).CombinedOutput()
	if err != nil {
		return "", fmt.Errorf("cannot build %s: %w\n%s", name, err, output)
	}
	return built, nil
}
