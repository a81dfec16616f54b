package install

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Toolchain is the Go toolchain that builds the tools and the cells.
type Toolchain struct {
	Version     string `json:"GOVERSION"`
	Root        string `json:"GOROOT"`
	ModuleCache string `json:"GOMODCACHE"`
	BuildCache  string `json:"GOCACHE"`
	Compiler    string `json:"CC"` // C compiler
}

// FindToolchain finds the toolchain of the go command.
func FindToolchain(ctx context.Context) (Toolchain, error) {
	out, err := output(exec.CommandContext(ctx,
		"go", "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOCACHE", "CC"))
	if err != nil {
		return Toolchain{}, fmt.Errorf("find Go: %w; install it from https://go.dev/dl", err)
	}
	var t Toolchain
	if err := json.Unmarshal([]byte(out), &t); err != nil {
		return Toolchain{}, fmt.Errorf("go env: %w", err)
	}
	return t, nil
}

// HasC reports whether the C compiler is installed.
func (t Toolchain) HasC() bool {
	program, _, _ := strings.Cut(t.Compiler, " ")
	_, err := exec.LookPath(program)
	return err == nil
}

// binaries returns the folder of the go command. The go command in PATH can be an older
// one that switched to this toolchain.
func (t Toolchain) binaries() string { return filepath.Join(t.Root, "bin") }

// run runs a go command in a folder and returns its output. The variables are added to
// the environment.
func (t Toolchain) run(
	ctx context.Context, dir string, variables map[string]string, arguments ...string,
) (string, error) {
	command := exec.CommandContext(ctx, filepath.Join(t.binaries(), "go"), arguments...)
	command.Dir, command.Env = dir, os.Environ()
	for name, value := range variables {
		command.Env = append(command.Env, name+"="+value)
	}
	return output(command)
}

// output runs a command and returns its standard output. An error includes the last lines
// of its standard error.
func output(command *exec.Cmd) (string, error) {
	var messages strings.Builder
	command.Stderr = &messages
	out, err := command.Output()
	if err == nil {
		return string(out), nil
	}
	lines := strings.Split(strings.TrimSpace(messages.String()), "\n")
	lines = lines[max(0, len(lines)-5):]
	name := strings.Join(append([]string{filepath.Base(command.Path)}, command.Args[1:]...), " ")
	return "", fmt.Errorf("%s: %w: %s", name, err, strings.Join(lines, "; "))
}

// isolated returns variables that shield go commands from the settings of the user.
func isolated() map[string]string {
	return map[string]string{
		"GOWORK": "off", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local", "GO111MODULE": "on",
	}
}
