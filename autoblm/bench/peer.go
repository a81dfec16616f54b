package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/record"
)

// peer is another program for the same task.
type peer struct {
	name, command string
	steps         bool // only for training steps
}

// peers parses the flags for peers, "NAME: COMMAND". Without a name, the command is the name.
func (f flags) peers() (all []peer, err error) {
	for i, text := range slices.Concat(f.Peer, f.StepPeer) {
		name, command, named := strings.Cut(text, ": ")
		if !named {
			name, command = record.HidePaths(text), text
		}
		if len(strings.Fields(command)) == 0 || name == "" {
			return nil, fmt.Errorf("--peer %q has no command: use \"NAME: COMMAND\"", text)
		}
		if slices.ContainsFunc(all, func(p peer) bool { return p.name == name }) {
			return nil, fmt.Errorf("two peers are called %s: use different names, as in "+
				"--peer \"NAME: COMMAND\"", name)
		}
		all = append(all, peer{name, command, i >= len(f.Peer)})
	}
	return all, nil
}

// supports reports whether a peer is timed on a case. No peer has paths.
func (p peer) supports(c benchCase) bool {
	return c.What == stepKind || c.What == rankKind && !p.steps
}

// outputDelay limits the time that subprocesses of a peer may keep its output open.
const outputDelay = 5 * time.Second

// run runs the peer on a case, on the GPU if our backend is CUDA.
func (p peer) run(ctx context.Context, f flags, c benchCase) (run, error) {
	data := filepath.Join(f.Data, c.Dataset)
	command := append(strings.Fields(p.command), data)
	output, _, err := f.runPeer(ctx, append(command, peerFlags(c, f.Backend, f.threads())...))
	if err != nil {
		return run{}, err
	}
	return readPeer(output, c.What)
}

// runPeer runs a command within the time limit for peers. It returns its output and its peak memory
// in bytes.
func (f flags) runPeer(
	ctx context.Context, command []string,
) (output []byte, memory int64, err error) {
	limited := ctx
	if f.Patience > 0 {
		var cancel func()
		limited, cancel = context.WithTimeout(ctx, time.Duration(f.Patience*float64(time.Second)))
		defer cancel()
	}
	program := exec.CommandContext(limited, command[0], command[1:]...)
	program.WaitDelay = outputDelay
	output, err = program.Output()
	switch {
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case limited.Err() != nil:
		return nil, 0, fmt.Errorf("it took more than %v s", f.Patience)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, 0, fmt.Errorf("it failed: %w%s", err, lastErrorLine(err))
	}
	return output, peakMemory(program.ProcessState), nil
}

// peerFlags returns the flags of a peer after its own command and the data. For a ranking, it
// trains one step.
func peerFlags(c benchCase, backend string, threads int) []string {
	device, mode := "cpu", fmt.Sprintf("--epochs %d --max-steps %d", epochs, c.Steps)
	if probe.IsCUDA(backend) {
		device = "cuda"
	}
	if c.What == rankKind {
		mode = "--epochs 1 --max-steps 1 --eval"
	}
	return fields("--structure complex --device %s --dim %d --batch %d --members %d --threads %d %s",
		device, c.Dim, c.Batch, c.Members, threads, mode)
}

// readPeer parses the JSON of a peer: milliseconds per step and member of each epoch, or the
// seconds per member of a ranking.
func readPeer(output []byte, w kind) (run, error) {
	var printed printedTraining
	if err := json.Unmarshal(output, &printed); err != nil {
		return run{}, fmt.Errorf("it printed no JSON: %w", err)
	}
	r := run{seconds: printed.Test.Seconds}
	if printed.Torch != "" {
		r.on = printed.Torch + " on " + printed.Device
	}
	switch {
	case w != rankKind && len(printed.Steps) < 2:
		return r, fmt.Errorf("it timed %d epochs, but at least 2 are needed", len(printed.Steps))
	case w != rankKind:
		r.seconds = record.Median(printed.Steps[1:]) / 1e3
	}
	if !(r.seconds > 0) {
		return r, errors.New("it printed no time")
	}
	return r, nil
}
