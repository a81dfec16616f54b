package main

import (
	"bytes"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

func TestUsage(t *testing.T) {
	if status, out, _ := kernels(t); status != cli.Done || !strings.Contains(out, "doctor") {
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
	require.NoError(t, err)
	content, err := os.ReadFile("../go.mod")
	require.NoError(t, err)
	required := regexp.MustCompile(`github\.com/janpfeifer/gonb (\S+)`).FindSubmatch(content)
	if required == nil || string(required[1]) != pinned {
		t.Errorf("go.mod requires gonb %s, tools/tools.mod requires %s", required, pinned)
	}
}

func TestDoctorWithoutInstallation(t *testing.T) {
	t.Chdir(t.TempDir()) // outside of the checkout
	status, out, messages := kernels(t, "doctor", "--home", filepath.Join(t.TempDir(), "none"),
		"--user-dir", t.TempDir())
	if status != cli.Failed || !strings.Contains(out, "BAD ") ||
		!strings.Contains(out, " ./kernels install") || messages != "" {
		t.Errorf("status %d, %q, %q", status, out, messages)
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
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}
