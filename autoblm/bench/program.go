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
)

// lastErrorLine returns the last line of a program's standard error, as the end of a sentence. It
// returns "" for a program that a signal ended, because its last line is unrelated.
func lastErrorLine(err error) string {
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
	peers := strings.Join(slices.Concat(f.Peer, f.StepPeer), "\n")
	program := exec.CommandContext(ctx, f.Ours, "-test.run", "^TestRehearsal$", "-test.v",
		"-backend", f.Backend, "-data", f.Data, "-peer", peers)
	program.Stdout, program.Stderr = w, w
	if err := program.Run(); err != nil {
		return fmt.Errorf("a command of --plan fails: %w", err)
	}
	return nil
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
