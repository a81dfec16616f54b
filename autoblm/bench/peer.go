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

// peer is another program for the same task, by a name for tables.
type peer struct {
	name, command string
	// steps says that it is timed on training steps alone.
	steps bool
}

// peers are those of the flags, each a command with its name and a colon before it. One
// without is named as its command.
func (f flags) peers() (all []peer, err error) {
	for i, text := range slices.Concat(f.Peer, f.StepPeer) {
		name, command, named := strings.Cut(text, ": ")
		if !named {
			name, command = record.HidePaths(text), text
		}
		if len(strings.Fields(command)) == 0 || name == "" {
			return nil, fmt.Errorf("--peer %q has no command: give \"NAME: COMMAND\", or a command alone", text)
		}
		if slices.ContainsFunc(all, func(p peer) bool { return p.name == name }) {
			return nil, fmt.Errorf("two peers are called %s: give each a name of its own, as in --peer \"NAME: COMMAND\"", name)
		}
		all = append(all, peer{name, command, i >= len(f.Peer)})
	}
	return all, nil
}

// does says whether a peer is timed on a case. None has paths.
func (p peer) does(c timed) bool { return c.What == aStep || c.What == aRanking && !p.steps }

// graceful is how long what a peer has started may hold on to its output.
const graceful = 5 * time.Second

// run runs the peer for a case, on the GPU if we do.
func (p peer) run(ctx context.Context, f flags, c timed) (run, error) {
	words := slices.Concat(strings.Fields(p.command), []string{filepath.Join(f.Data, c.Dataset)}, peerFlags(c, f.Backend, f.threads()))
	output, _, err := f.play(ctx, words)
	if err != nil {
		return run{}, err
	}
	return readPeer(output, c.What)
}

// play runs a peer for as long as we have patience, and returns what it printed and the
// most bytes that it had in memory.
func (f flags) play(ctx context.Context, words []string) (output []byte, memory int64, err error) {
	limited := ctx
	if f.Patience > 0 {
		var cancel func()
		limited, cancel = context.WithTimeout(ctx, time.Duration(f.Patience*float64(time.Second)))
		defer cancel()
	}
	program := exec.CommandContext(limited, words[0], words[1:]...)
	program.WaitDelay = graceful
	output, err = program.Output()
	switch {
	case ctx.Err() != nil:
		return nil, 0, ctx.Err()
	case limited.Err() != nil:
		return nil, 0, fmt.Errorf("it took more than %v s", f.Patience)
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return nil, 0, fmt.Errorf("it failed: %w%s", err, lastWords(err))
	}
	return output, mostMemory(program.ProcessState), nil
}

// peerFlags are those of the peer after its own and the data. For a ranking it trains
// as little as it can.
func peerFlags(c timed, backend string, threads int) []string {
	device, how := "cpu", fmt.Sprintf("--epochs %d --max-steps %d", epochs, c.Steps)
	if probe.IsCUDA(backend) {
		device = "cuda"
	}
	if c.What == aRanking {
		how = "--epochs 1 --max-steps 1 --eval"
	}
	return fields("--structure complex --device %s --dim %d --batch %d --members %d --threads %d %s", device, c.Dim, c.Batch, c.Members, threads, how)
}

// readPeer reads the JSON of a peer: milliseconds of a step for a member, of each
// epoch, or the seconds of a ranking by a member.
func readPeer(output []byte, w what) (run, error) {
	var printed struct {
		Torch  string    `json:"torch"` // its version, where it is PyTorch
		Device string    `json:"device"`
		Steps  []float64 `json:"ms_per_step_per_member"`
		Test   struct {
			Seconds float64 `json:"seconds"`
		} `json:"test"`
	}
	if err := json.Unmarshal(output, &printed); err != nil {
		return run{}, fmt.Errorf("it printed no JSON: %w", err)
	}
	r := run{seconds: printed.Test.Seconds}
	if printed.Torch != "" {
		r.on = printed.Torch + " on " + printed.Device
	}
	switch {
	case w != aRanking && len(printed.Steps) < 2:
		return r, fmt.Errorf("it timed %d epochs, and the first is for warming up", len(printed.Steps))
	case w != aRanking:
		r.seconds = record.Median(printed.Steps[1:]) / 1e3
	}
	if !(r.seconds > 0) {
		return r, errors.New("it did not say how long it took")
	}
	return r, nil
}
