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
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// run is what a program took for a case: seconds for a member, those for compiling
// beside them, and bytes on the GPU, or 0 where nothing tells.
type run struct {
	seconds, compiling float64
	memory             int64
	on                 string // what did the arithmetic
	notes              []string
}

// ours runs our Go benchmark of a case.
func (f flags) ours(ctx context.Context, c timed) (run, error) {
	arguments := []string{"-test.run", "^$", "-test.bench", "^Benchmark(Step|Rank)$/^" + c.ID + "$", "-test.benchtime", "1x", "-backend", f.Backend}
	if f.Small {
		arguments = append(arguments, "-small")
	}
	program := exec.CommandContext(ctx, f.Ours, arguments...)
	program.Env = append(os.Environ(), "AUTOBLM_DATA="+f.Data, "GOMAXPROCS="+strconv.Itoa(f.threads()))
	output, err := program.Output()
	if err != nil {
		return run{}, fmt.Errorf("our benchmark failed: %w%s\n%s", err, lastWords(err), output)
	}
	return readOurs(string(output))
}

func (f flags) threads() int { return cmp.Or(f.Threads, runtime.GOMAXPROCS(0)) }

// readOurs reads the text of a Go benchmark: values before their units, and lines of
// names with values.
func readOurs(output string) (r run, err error) {
	for line := range strings.Lines(output) {
		switch name, value, _ := strings.Cut(strings.TrimSpace(line), ": "); name {
		case "backend":
			r.on = value
		case "note":
			r.notes = append(r.notes, value)
		}
		words := strings.Fields(line)
		for i := 1; i < len(words); i++ {
			switch value, _ := strconv.ParseFloat(words[i-1], 64); words[i] {
			case unitOfTime:
				r.seconds = value
			case unitOfCompiling:
				r.compiling = value
			}
		}
	}
	if !(r.seconds > 0) {
		err = errors.New("our benchmark says nothing of its time")
	}
	return r, err
}

// The units of our Go benchmarks.
const unitOfTime, unitOfCompiling = "s/member", "s-compiling"

// peer runs the peer for a case, on the GPU if we do.
func (f flags) peer(ctx context.Context, c timed) (run, error) {
	words := slices.Concat(strings.Fields(f.Peer), []string{filepath.Join(f.Data, c.Dataset)}, peerFlags(c, f.Backend, f.threads()))
	output, err := exec.CommandContext(ctx, words[0], words[1:]...).Output()
	if err != nil {
		return run{}, fmt.Errorf("the peer failed: %w%s", err, lastWords(err))
	}
	return readPeer(output, c.Rank)
}

// peerFlags are those of the peer after its own and the data. For a ranking it trains
// as little as it can.
func peerFlags(c timed, backend string, threads int) []string {
	device, how := "cpu", fmt.Sprintf("--epochs %d --max-steps %d", epochs, c.Steps)
	if probe.IsCUDA(backend) {
		device = "cuda"
	}
	if c.Rank {
		how = "--epochs 1 --max-steps 1 --eval"
	}
	return fields("--structure complex --device %s --dim %d --batch %d --members %d --threads %d %s", device, c.Dim, c.Batch, c.Members, threads, how)
}

// readPeer reads the JSON of the peer: milliseconds of a step for a member, of each
// epoch, or the seconds of a ranking by a member.
func readPeer(output []byte, rank bool) (run, error) {
	var printed struct {
		Torch  string    `json:"torch"` // its version, where it is PyTorch
		Device string    `json:"device"`
		Steps  []float64 `json:"ms_per_step_per_member"`
		Test   struct {
			Seconds float64 `json:"seconds"`
		} `json:"test"`
	}
	if err := json.Unmarshal(output, &printed); err != nil {
		return run{}, fmt.Errorf("the peer printed no JSON: %w", err)
	}
	r := run{seconds: printed.Test.Seconds}
	if printed.Torch != "" {
		r.on = printed.Torch + " on " + printed.Device
	}
	switch {
	case !rank && len(printed.Steps) < 2:
		return r, fmt.Errorf("the peer timed %d epochs, and the first is for warming up", len(printed.Steps))
	case !rank:
		r.seconds = median(printed.Steps[1:]) / 1e3
	case !(r.seconds > 0):
		return r, errors.New("the peer did not say how long its ranking of the test triples took")
	}
	return r, nil
}

// watched runs a program and looks now and then at how much more memory is used than
// before. Where nothing tells, used is nil.
func watched(ctx context.Context, used func(context.Context) int64, program func() (run, error)) (r run, err error) {
	if used == nil {
		return program()
	}
	before, most, done := used(ctx), int64(0), make(chan struct{})
	go func() {
		r, err = program()
		close(done)
	}()
	for {
		most = max(most, used(ctx)-before)
		select {
		case <-done:
			r.memory = most
			return r, err
		case <-time.After(time.Second / 4):
		}
	}
}

// lastWords is the last line that a program wrote to its standard error, as the end
// of a sentence, or "".
func lastWords(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
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
	program := exec.CommandContext(ctx, f.Ours, "-test.run", "^TestRehearsal$", "-test.v", "-backend", f.Backend, "-data", f.Data, "-peer", f.Peer)
	program.Stdout, program.Stderr = w, w
	if err := program.Run(); err != nil {
		return fmt.Errorf("what --plan prints would fail: %w", err)
	}
	return nil
}

// find looks for a program beside this one, and else builds it into a folder by a
// command of Go.
func find(ctx context.Context, folder, name, build, from string) (string, error) {
	if this, err := os.Executable(); err == nil {
		beside := filepath.Join(filepath.Dir(this), name)
		if _, err := os.Stat(beside); err == nil {
			return beside, nil
		}
	}
	built := filepath.Join(folder, name)
	if output, err := exec.CommandContext(ctx, "go", append(fields("%s -o", build), built, from)...).CombinedOutput(); err != nil {
		return "", fmt.Errorf("there is no %s beside this program, and it cannot be built: %w\n%s", name, err, output)
	}
	return built, nil
}
