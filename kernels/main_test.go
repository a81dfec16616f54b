package main

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/kerneltest"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
)

func TestMain(m *testing.M) { kerneltest.Main(m) }

func TestUsage(t *testing.T) {
	if status, out, _ := kernels(t); status != cli.Done || !strings.Contains(out, "doctor") {
		t.Errorf("without arguments: status %d, %q", status, out)
	}
	for _, arguments := range [][]string{{"fly"}, {"run"}, {"run", "--nonsense", "x"}, {"install", "--checkout", ".", "--release", "v1"}} {
		if status, _, said := kernels(t, arguments...); status != cli.Misuse || !strings.Contains(said, "--help") {
			t.Errorf("%v: status %d, %q", arguments, status, said)
		}
	}
}

// TestPinsAgree: cells display with the package gonbui, which must be of the same
// version as the kernel that it speaks to.
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
		t.Errorf("go.mod requires gonb %s, tools/tools.mod has %s", required, pinned)
	}
}

func TestStrip(t *testing.T) {
	path := write(t, "print x", "print y")
	n, err := notebook.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	clean, err := n.Bytes()
	if err != nil {
		t.Fatal(err)
	}
	if err := n.Cells[1].SetOutputs(nil, 3); err != nil {
		t.Fatal(err)
	}
	if err := n.Write(path); err != nil {
		t.Fatal(err)
	}
	if status, out, _ := kernels(t, "strip", "--check", path); status != cli.Failed || !strings.Contains(out, path+" has outputs") {
		t.Errorf("status %d, %q", status, out)
	}
	for range 2 {
		if status, out, said := kernels(t, "strip", path); status != cli.Done {
			t.Errorf("status %d, %q, %q", status, out, said)
		}
	}
	if got, err := os.ReadFile(path); err != nil || !bytes.Equal(got, clean) {
		t.Errorf("stripped %s, %v; want %s", got, err, clean)
	}
	if status, out, _ := kernels(t, "strip", "--check", path); status != cli.Done || out != "" {
		t.Errorf("status %d, %q", status, out)
	}
	if status, _, said := kernels(t, "strip", "none.ipynb"); status != cli.Failed || !strings.Contains(said, "none.ipynb") {
		t.Errorf("status %d, %q", status, said)
	}
}

func TestRun(t *testing.T) {
	userDir := testKernel(t)
	good, bad, out := write(t, "variable AUTOBLM_FULL\nvariable AUTOBLM_HEADLESS"), write(t, "print x", "fail no such thing"), t.TempDir()

	status, said, _ := kernels(t, "run", "--user-dir", userDir, "--kernel", "test", "--out", out, "--full", good)
	if status != cli.Done || !strings.Contains(said, "ok     "+good+": 1 cells of code") {
		t.Errorf("status %d, %q", status, said)
	}
	executed, err := os.ReadFile(filepath.Join(out, filepath.Base(good)))
	if err != nil || strings.Count(string(executed), `"1\n"`) != 2 || !strings.Contains(string(executed), `"nbformat_minor": 5`) {
		t.Errorf("executed notebook %s, %v", executed, err)
	}
	if before, err := os.ReadFile(good); err != nil || strings.Contains(string(before), `"1\n"`) {
		t.Errorf("the notebook itself was changed: %s, %v", before, err)
	}

	broken := filepath.Join(t.TempDir(), "broken.ipynb")
	if err := os.WriteFile(broken, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	status, said, _ = kernels(t, "run", "--user-dir", userDir, "--kernel", "test", bad, broken, good)
	for _, want := range []string{bad + ", cell 2 (In [2]): no such thing\n", "FAILED " + broken, "ok     " + good, "2 of 3 notebooks failed"} {
		if status != cli.Failed || !strings.Contains(said, want) {
			t.Errorf("status %d, %q lacks %q", status, said, want)
		}
	}

	began := time.Now()
	status, said, _ = kernels(t, "run", "--user-dir", userDir, "--kernel", "test", "--timeout", "200ms", write(t, "hang"))
	if status != cli.Failed || !strings.Contains(said, "longer than 200ms") || time.Since(began) > time.Minute {
		t.Errorf("status %d, %q", status, said)
	}
	status, said, _ = kernels(t, "run", "--user-dir", userDir, "--kernel", "test", "--total", "500ms", write(t, "hang"), good)
	if status != cli.Failed || !strings.Contains(said, "the run takes longer than 500ms") || !strings.Contains(said, "1 more were not run") {
		t.Errorf("status %d, %q", status, said)
	}
	status, _, said = kernels(t, "run", "--user-dir", userDir, "--kernel", "test", "--out", out, good, good)
	if status != cli.Failed || !strings.Contains(said, "the same file") {
		t.Errorf("status %d, %q", status, said)
	}
	status, _, said = kernels(t, "run", "--user-dir", userDir, "--kernel", "none", good)
	if status != cli.Failed || !strings.Contains(said, " ./kernels install") {
		t.Errorf("status %d, %q", status, said)
	}
}

// TestWrite: a notebook keeps what it shows, and what changes its code is noticed.
func TestWrite(t *testing.T) {
	userDir, path, bad := testKernel(t), write(t, "print shown", "print y"), write(t, "print x", "fail no such thing")
	before, err := os.ReadFile(bad)
	if err != nil {
		t.Fatal(err)
	}
	var texts [2][]byte
	for i := range texts {
		if status, out, said := kernels(t, "run", "--user-dir", userDir, "--kernel", "test", "--write", path); status != cli.Done {
			t.Fatalf("status %d, %q, %q", status, out, said)
		}
		if texts[i], err = os.ReadFile(path); err != nil || !strings.Contains(string(texts[i]), "shown") {
			t.Errorf("%v, %s", err, texts[i])
		}
	}
	if !bytes.Equal(texts[0], texts[1]) {
		t.Errorf("executed twice, it is %s and %s", texts[0], texts[1])
	}
	if status, out, _ := kernels(t, "check", path, bad); status != cli.Done || out != "" {
		t.Errorf("status %d, %q", status, out)
	}
	changed := strings.Replace(string(texts[0]), `"print y"`, `"print z"`, 1)
	if err := os.WriteFile(path, []byte(changed), 0o644); err != nil {
		t.Fatal(err)
	}
	if status, out, _ := kernels(t, "check", bad, path); status != cli.Failed || strings.Count(out, "\n") != 1 || !strings.Contains(out, "run --write "+path) {
		t.Errorf("status %d, %q", status, out)
	}
	if status, _, _ := kernels(t, "run", "--user-dir", userDir, "--kernel", "test", "--write", bad); status != cli.Failed {
		t.Errorf("status %d", status)
	}
	if after, err := os.ReadFile(bad); err != nil || !bytes.Equal(before, after) {
		t.Errorf("a notebook that failed was changed: %v, %s", err, after)
	}
	if status, _, said := kernels(t, "run", "--write", "--full", path); status != cli.Failed || !strings.Contains(said, "--out") {
		t.Errorf("status %d, %q", status, said)
	}
}

func TestCtrlC(t *testing.T) {
	userDir := testKernel(t)
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(500*time.Millisecond, cancel)
	var out, said bytes.Buffer
	hanging, never := write(t, "hang"), write(t, "print x")
	status := run(ctx, []string{"run", "--user-dir", userDir, "--kernel", "test", hanging, never}, &out, &said)
	if status != cli.Failed || !strings.Contains(out.String(), "FAILED "+hanging) || !strings.Contains(out.String(), "1 more were not run") {
		t.Errorf("status %d, %q, %q", status, &out, &said)
	}
}

func TestDoctorAsJSON(t *testing.T) {
	status, out, _ := kernels(t, "doctor", "--json", "--home", t.TempDir(), "--user-dir", t.TempDir())
	var result struct {
		Healthy  bool
		Findings []struct{ Subject, Level, Says, Mend string }
	}
	if err := json.Unmarshal([]byte(out), &result); err != nil || status != cli.Failed || result.Healthy || len(result.Findings) == 0 {
		t.Errorf("status %d, %q, %v", status, out, err)
	}
	t.Chdir(t.TempDir()) // where notebooks may lie as well
	status, out, said := kernels(t, "doctor", "--home", t.TempDir(), "--user-dir", t.TempDir())
	if status != cli.Failed || !strings.Contains(out, "BAD ") || !strings.Contains(out, " ./kernels install") || said != "" {
		t.Errorf("status %d, %q, %q", status, out, said)
	}
}

// kernels runs the program.
func kernels(t *testing.T, arguments ...string) (status int, out, said string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	status = run(t.Context(), arguments, &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// testKernel is a folder of Jupyter's data with the kernel of package kerneltest as "test".
func testKernel(t *testing.T) string {
	t.Helper()
	folder := t.TempDir()
	file := kernelspec.File(folder, "test")
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := kerneltest.Spec().Write(file); err != nil {
		t.Fatal(err)
	}
	return folder
}

// write writes a notebook of cells of code.
func write(t *testing.T, cells ...string) string {
	t.Helper()
	list := []map[string]any{}
	for _, source := range cells {
		list = append(list, map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": source, "outputs": []any{}, "execution_count": nil})
	}
	content, err := json.Marshal(map[string]any{"cells": list, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 4})
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "n.ipynb")
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}
