package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

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
// of a sentence, or "". One that a signal ended, as for memory, did not know that they were.
func lastWords(err error) string {
	var exit *exec.ExitError
	if !errors.As(err, &exit) || !exit.Exited() {
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
	program := exec.CommandContext(ctx, f.Ours, "-test.run", "^TestRehearsal$", "-test.v", "-backend", f.Backend, "-data", f.Data, "-peer", strings.Join(slices.Concat(f.Peer, f.StepPeer), "\n"))
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
