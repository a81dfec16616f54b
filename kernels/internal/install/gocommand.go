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

// Toolchain is the Go that builds the tools and the cells.
type Toolchain struct {
	Version     string `json:"GOVERSION"`
	Root        string `json:"GOROOT"`
	ModuleCache string `json:"GOMODCACHE"`
	BuildCache  string `json:"GOCACHE"`
	Compiler    string `json:"CC"` // of C
}

// FindToolchain asks the go command in PATH, which can be that of the variables
// of a kernel. Without variables it is that of this program.
func FindToolchain(ctx context.Context, variables map[string]string) (Toolchain, error) {
	program, err := lookUp("go", variables)
	if err != nil {
		return Toolchain{}, err
	}
	command := exec.CommandContext(ctx, program, "env", "-json", "GOVERSION", "GOROOT", "GOMODCACHE", "GOCACHE", "CC")
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

// lookUp finds a program in PATH.
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
	return "", fmt.Errorf("there is no program %s in %s", name, path)
}

// environment are variables on top of those of this program.
func environment(variables map[string]string) []string {
	all := os.Environ()
	for _, name := range slices.Sorted(maps.Keys(variables)) {
		all = append(all, name+"="+variables[name])
	}
	return all
}

// HasC says whether cells can be compiled with C, as XLA needs it.
func (t Toolchain) HasC() bool {
	words := strings.Fields(t.Compiler)
	if len(words) == 0 {
		return false
	}
	_, err := exec.LookPath(words[0])
	return err == nil
}

// binaries is the folder of the go command itself. In PATH there may be an older
// one, which changed over to this.
func (t Toolchain) binaries() string { return filepath.Join(t.Root, "bin") }

// run runs a go command in a folder, with variables on top of those of this program.
func (t Toolchain) run(ctx context.Context, dir string, variables map[string]string, arguments ...string) (string, error) {
	command := exec.CommandContext(ctx, filepath.Join(t.binaries(), "go"), arguments...)
	command.Dir = dir
	command.Env = environment(variables)
	return output(command)
}

// output is the standard output of a command; its error holds the last lines of
// what the command said on standard error.
func output(command *exec.Cmd) (string, error) {
	var said strings.Builder
	command.Stderr = &said
	out, err := command.Output()
	if err == nil {
		return string(out), nil
	}
	const most = 5
	lines := strings.Split(strings.TrimSpace(said.String()), "\n")
	what := strings.Join(append([]string{filepath.Base(command.Path)}, command.Args[1:]...), " ")
	return "", fmt.Errorf("%s: %w: %s", what, err, strings.Join(lines[max(0, len(lines)-most):], "; "))
}

// plainly are the variables for go commands that build what is pinned, whatever
// the user's own settings are.
func plainly() map[string]string {
	return map[string]string{"GOWORK": "off", "GOFLAGS": "-buildvcs=false", "GOTOOLCHAIN": "local"}
}
