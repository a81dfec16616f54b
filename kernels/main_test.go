package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

func TestUsage(t *testing.T) {
	if status, out, _ := kernels(t); status != cli.Done || !strings.Contains(out, "install") {
		t.Errorf("no arguments: status %d, %q", status, out)
	}
	for _, arguments := range [][]string{
		{"fly"}, {"install", "--nonsense"},
	} {
		status, _, messages := kernels(t, arguments...)
		if status != cli.Misuse || !strings.Contains(messages, "--help") {
			t.Errorf("%v: status %d, %q", arguments, status, messages)
		}
	}
}

// TestPinsAgree compares the versions of the kernel and of the package gonbui, through
// which cells talk to the kernel.
func TestPinsAgree(t *testing.T) {
	pinned, err := pins.Version(install.Tools[0])
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	required := regexp.MustCompile(`github\.com/janpfeifer/gonb (\S+)`).FindSubmatch(content)
	if required == nil || string(required[1]) != pinned {
		t.Errorf("go.mod requires gonb %s, tools/tools.mod requires %s", required, pinned)
	}
}

func TestCheckJupyter(t *testing.T) {
	folder, other := t.TempDir(), t.TempDir()
	data := func(jupyter string) string {
		spec := filepath.Dir(install.CPU.File(jupyter))
		if err := os.MkdirAll(spec, 0o755); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`echo '{"kernelspecs": {%q: {"resource_dir": %q}}}'`,
			install.CPU.Name, spec)
	}
	for script, want := range map[string]string{ // of a program that acts as Jupyter
		"":           "Jupyter is missing",
		data(folder): "",
		data(other):  "remove the folder " + other,
		"echo '{}'":  "--user-dir",
		"exit 3":     "Jupyter is missing",
		"echo hello": "Jupyter is missing",
	} {
		bin := t.TempDir()
		if script != "" {
			program := filepath.Join(bin, "jupyter")
			if err := os.WriteFile(program, []byte("#!/bin/sh\n"+script+"\n"), 0o755); err != nil {
				t.Fatal(err)
			}
		}
		t.Setenv("PATH", bin)
		got := checkJupyter(t.Context(), folder)
		if !strings.Contains(got, want) || (got == "") != (want == "") {
			t.Errorf("%q: %q, want %q", script, got, want)
		}
	}
}

// kernels runs the program.
func kernels(t *testing.T, arguments ...string) (status int, out, messages string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), arguments, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
