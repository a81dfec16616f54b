package main

import (
	"bytes"
	"crypto/sha256"
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
	if status, out, _ := kernels(t); status != cli.Done || !strings.Contains(out, "doctor") {
		t.Errorf("no arguments: status %d, %q", status, out)
	}
	for _, arguments := range [][]string{
		{"fly"}, {"check"}, {"check", "--nonsense", "x"},
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

func TestCheck(t *testing.T) {
	const code, markdown, metadata = `"source":["1\n","2"]`, `"source":"text"`, `"mine":[1]`
	plain := `{"cells":[{"cell_type":"markdown",` + markdown + `},
		{"cell_type":"code",` + code + `,"outputs":[],"execution_count":null}],
		"metadata":{` + metadata + `},"nbformat":4}`
	executed := strings.Replace(plain, "null", "1", 1)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte("3\n1\n2")))
	stamped := strings.Replace(executed, `"mine"`, `"autoblm":{"code":"`+digest+`"},"mine"`, 1)
	for name, c := range map[string]struct {
		content  string
		outdated bool
	}{
		"no outputs":        {plain, false},
		"no digest":         {executed, true},
		"current":           {stamped, false},
		"one line":          {strings.Replace(stamped, code, `"source":"1\n2"`, 1), false},
		"code changed":      {strings.Replace(stamped, code, `"source":"1"`, 1), true},
		"code removed":      {strings.Replace(stamped, code, `"source":""`, 1), true},
		"markdown changed":  {strings.Replace(stamped, markdown, `"source":"x"`, 1), false},
		"metadata changed":  {strings.Replace(stamped, metadata, `"mine":[2]`, 1), false},
		"output, no count":  {strings.Replace(plain, "[]", `[{"output_type":"stream"}]`, 1), true},
		"count, no outputs": {executed, true},
	} {
		path := filepath.Join(t.TempDir(), "n.ipynb")
		write(t, path, c.content)
		status, out, _ := kernels(t, "check", path)
		if (status == cli.Failed) != c.outdated || strings.Contains(out, path) != c.outdated {
			t.Errorf("%s: status %d, %q; outdated should be %v", name, status, out, c.outdated)
		}
	}
}

func TestCheckReportsBadFiles(t *testing.T) {
	for content, want := range map[string]string{
		"{":              "unexpected end",
		"[]":             "cannot unmarshal array",
		`{"nbformat":3}`: "notebook format is 3",
		`{"nbformat":4,"cells":[{"cell_type":"code","source":7}]}`: "cannot unmarshal number",
	} {
		path := filepath.Join(t.TempDir(), "n.ipynb")
		write(t, path, content)
		status, _, messages := kernels(t, "check", path)
		if status != cli.Failed || !strings.Contains(messages, path) ||
			!strings.Contains(messages, want) {
			t.Errorf("%q: status %d, %q; want %q", content, status, messages, want)
		}
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
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
