package install

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
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

// FindToolchain finds the toolchain of the go command in the PATH among the variables.
// Without PATH among them it uses the PATH of this program.
func FindToolchain(ctx context.Context, variables map[string]string) (Toolchain, error) {
	program, err := lookUp("go", variables)
	if err != nil {
		return Toolchain{}, err
	}
	command := exec.CommandContext(ctx, program,
		"env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOCACHE", "CC")
	command.Env = environment(variables)
	out, err := output(command)
	if err != nil {
		return Toolchain{}, err
	}
	var t Toolchain
	if err := json.Unmarshal([]byte(out), &t); err != nil {
		return Toolchain{}, fmt.Errorf("go env: %w", err)
	}
	return t, nil
}

// lookUp finds a program in the PATH among the variables.
func lookUp(name string, variables map[string]string) (string, error) {
	path, given := variables["PATH"]
	if !given {
		return exec.LookPath(name)
	}
	for _, folder := range filepath.SplitList(path) {
		if found, err := exec.LookPath(filepath.Join(folder, name)); err == nil {
			return found, nil
		}
	}
	return "", fmt.Errorf("program %s is not in %s", name, path)
}

// environment returns the environment of this program with variables added.
func environment(variables map[string]string) []string {
	all := os.Environ()
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		all = append(all, name+"="+variables[name])
	}
	return all
}

// HasC reports whether the C compiler is installed.
func (t Toolchain) HasC() bool {
	command := strings.Fields(t.Compiler)
	if len(command) == 0 {
		return false
	}
	_, err := exec.LookPath(command[0])
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
	command.Dir = dir
	command.Env = environment(variables)
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
	const limit = 5
	lines := strings.Split(strings.TrimSpace(messages.String()), "\n")
	lines = lines[max(0, len(lines)-limit):]
	name := strings.Join(append([]string{filepath.Base(command.Path)}, command.Args[1:]...), " ")
	return "", fmt.Errorf("%s: %w: %s", name, err, strings.Join(lines, "; "))
}

// isolated returns variables that shield go commands from the settings of the user.
func isolated() map[string]string {
	return map[string]string{
		"GOWORK": "off", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local",
	}
}
