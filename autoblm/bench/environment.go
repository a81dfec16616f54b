package main

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
)

var (
	//go:embed pykeen/train.py
	pykeenProgram []byte
	//go:embed pykeen/requirements.txt
	requirements []byte
)

// environment is a virtual environment of Python for the peers.
type environment struct{ folder string }

func (e environment) python() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(e.folder, "Scripts", "python.exe")
	}
	return filepath.Join(e.folder, "bin", "python")
}

// program is our program for PyKEEN, a copy of it in the environment.
func (e environment) program() string { return filepath.Join(e.folder, "pykeen_train.py") }

// installed says what the environment holds; it is written last.
func (e environment) installed() string { return filepath.Join(e.folder, "installed.txt") }

// ready makes the environment, unless it is there with the same versions, by pip, whose
// settings (an index, a proxy, certificates) are the user's.
func (e environment) ready(ctx context.Context, python string) error {
	has, err := os.ReadFile(e.installed())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !bytes.Equal(has, requirements) {
		if err := e.install(ctx, python); err != nil {
			return fmt.Errorf("there is no environment for the peers in %s: %w", e.folder, err)
		}
	}
	return os.WriteFile(e.program(), pykeenProgram, 0o644)
}

func (e environment) install(ctx context.Context, python string) error {
	if _, err := os.Stat(e.python()); err != nil {
		if err := loudly(ctx, python, "-m", "venv", e.folder); err != nil {
			return fmt.Errorf("%w (Debian has python3-venv apart from Python)", err)
		}
	}
	list := filepath.Join(e.folder, "requirements.txt")
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return err
	}
	if err := loudly(ctx, e.python(), "-m", "pip", "install", "--requirement", list); err != nil {
		return err
	}
	return os.WriteFile(e.installed(), requirements, 0o644)
}

// loudly runs a command that shows what it does.
func loudly(ctx context.Context, name string, arguments ...string) error {
	program := exec.CommandContext(ctx, name, arguments...)
	program.Stdout, program.Stderr = os.Stderr, os.Stderr
	if err := program.Run(); err != nil {
		return fmt.Errorf("%s %s failed: %w", filepath.Base(name), fmt.Sprint(arguments), err)
	}
	return nil
}
