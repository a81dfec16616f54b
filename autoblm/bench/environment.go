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

// environment is a Python virtual environment for the peers.
type environment struct{ folder string }

func (e environment) python() string {
	if runtime.GOOS == "windows" {
		return filepath.Join(e.folder, "Scripts", "python.exe")
	}
	return filepath.Join(e.folder, "bin", "python")
}

// program returns the path of the copy of our program for PyKEEN.
func (e environment) program() string { return filepath.Join(e.folder, "pykeen_train.py") }

// installed returns the path of the list of installed packages. It is written last.
func (e environment) installed() string { return filepath.Join(e.folder, "installed.txt") }

// prepare installs the environment with pip, unless it has the same versions. pip uses the settings
// of the user: index, proxy, certificates.
func (e environment) prepare(ctx context.Context, python string) error {
	has, err := os.ReadFile(e.installed())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	if !bytes.Equal(has, requirements) {
		if err := e.install(ctx, python); err != nil {
			return fmt.Errorf("cannot make the environment of the peers in %s: %w", e.folder, err)
		}
	}
	return os.WriteFile(e.program(), pykeenProgram, 0o644)
}

func (e environment) install(ctx context.Context, python string) error {
	if _, err := os.Stat(e.python()); err != nil {
		if err := runVisibly(ctx, python, "-m", "venv", e.folder); err != nil {
			return fmt.Errorf("%w (on Debian, install python3-venv)", err)
		}
	}
	list := filepath.Join(e.folder, "requirements.txt")
	if err := os.WriteFile(list, requirements, 0o644); err != nil {
		return err
	}
	if err := runVisibly(ctx, e.python(), "-m", "pip", "install", "--requirement", list); err != nil {
		return err
	}
	return os.WriteFile(e.installed(), requirements, 0o644)
}

// runVisibly runs a command and shows its output.
func runVisibly(ctx context.Context, name string, arguments ...string) error {
	program := exec.CommandContext(ctx, name, arguments...)
	program.Stdout, program.Stderr = os.Stderr, os.Stderr
	if err := program.Run(); err != nil {
		return fmt.Errorf("%s %s failed: %w", filepath.Base(name), fmt.Sprint(arguments), err)
	}
	return nil
}
