package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

// hello is a notebook that uses each feature that the notebooks use.
const hello = "testdata/hello.ipynb"

// needKernel skips a test without an installed kernel.
func needKernel(t *testing.T) {
	t.Helper()
	jupyter, err := install.JupyterFolder()
	if err != nil {
		t.Skip(err)
	}
	if _, err := os.Stat(install.CPU.File(jupyter)); err != nil {
		t.Skip("the kernel is not installed; run: go run ./kernels install")
	}
}

// python returns a Python with nbclient, or skips the test.
func python(t *testing.T) string {
	t.Helper()
	program := cmp.Or(os.Getenv("AUTOBLM_PYTHON"), "python3")
	if out, err := exec.Command(program, "-c", "import nbclient").CombinedOutput(); err != nil {
		t.Skipf("%s has no nbclient (AUTOBLM_PYTHON names another): %v: %s", program, err, out)
	}
	return program
}

// execute runs execute.py and returns its output.
func execute(t *testing.T, arguments ...string) (string, error) {
	t.Helper()
	program := python(t)
	arguments = append([]string{"execute.py"}, arguments...)
	out, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	return string(out), err
}

// TestCheck checks which notebooks have outputs of other code.
func TestCheck(t *testing.T) {
	const code, markdown = `"source":["1\n","2"]`, `"source":"text"`
	plain := `{"cells":[{"cell_type":"markdown","metadata":{},` + markdown + `},
		{"cell_type":"code","metadata":{},` + code + `,"outputs":[],"execution_count":null}],
		"metadata":{"mine":[1]},"nbformat":4,"nbformat_minor":4}`
	executed := strings.Replace(plain, "null", "1", 1)
	digest := fmt.Sprintf("%x", sha256.Sum256([]byte("3\n1\n2")))
	stamped := strings.Replace(executed, `"mine"`, `"autoblm":{"code":"`+digest+`"},"mine"`, 1)
	notebooks := map[string]struct {
		content  string
		outdated bool
	}{
		"no outputs":       {plain, false},
		"no digest":        {executed, true},
		"current":          {stamped, false},
		"one line":         {strings.Replace(stamped, code, `"source":"1\n2"`, 1), false},
		"code changed":     {strings.Replace(stamped, code, `"source":"1"`, 1), true},
		"code removed":     {strings.Replace(stamped, code, `"source":""`, 1), true},
		"markdown changed": {strings.Replace(stamped, markdown, `"source":"x"`, 1), false},
	}
	folder := t.TempDir()
	arguments := []string{"--check"}
	for name, c := range notebooks {
		path := filepath.Join(folder, name+".ipynb")
		write(t, path, c.content)
		arguments = append(arguments, path)
	}
	out, err := execute(t, arguments...)
	if err == nil || !strings.Contains(out, "3 of 7 notebooks failed") {
		t.Errorf("%v: %s", err, out)
	}
	for name, c := range notebooks {
		failed := strings.Contains(out, "FAILED "+filepath.Join(folder, name+".ipynb"))
		if failed != c.outdated {
			t.Errorf("%s: outdated %v, want %v", name, failed, c.outdated)
		}
	}
}

func TestExecuteHello(t *testing.T) {
	needKernel(t)
	content, err := os.ReadFile(hello)
	require.NoError(t, err)
	path := filepath.Join(t.TempDir(), "hello.ipynb")
	write(t, path, string(content))
	var stored [2]string
	for i := range stored {
		if out, err := execute(t, "--write", path); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		executed, err := os.ReadFile(path)
		require.NoError(t, err)
		stored[i] = string(executed)
	}
	if stored[0] != stored[1] {
		t.Errorf("two executions store different notebooks:\n%s\n%s", stored[0], stored[1])
	}
	for _, want := range []string{
		`"a plain cell\n"`, `"world 844 entities\n"`, `"image/png": "iVBOR`, `"step 3 of 3"`,
		`"from the shell\n"`, `"full size: false\n"`, `"id": "picture"`,
	} {
		if !strings.Contains(stored[0], want) {
			t.Errorf("the executed notebook lacks %s:\n%s", want, stored[0])
		}
	}
	if strings.Contains(stored[0], "step 2 of 3") {
		t.Error("the executed notebook has an updated display and its update")
	}
	if out, err := execute(t, "--check", path); err != nil {
		t.Errorf("check: %v, %s", err, out)
	}
}

func TestExecuteReportsFailures(t *testing.T) {
	needKernel(t)
	reasons := map[string]struct{ cell, want string }{
		"compile error":   {"%%\nfmt.Println(nobody)", "undefined: nobody"},
		"syntax error":    {"%%\nfmt.Println(\"x", "string literal not terminated"},
		"panic":           {"%%\nvar l []int\nl[0] = 1", "panic: runtime error: index out of range"},
		"exit":            {"%%\nos.Exit(3)", "exit status 3"},
		"shell":           {"!false", "a command failed:\nexit status 1"},
		"no such program": {"!nosuchprogram", "exit status 127"},
		"bash":            {"%%bash\nprintf why >&2; exit 7", "exit status 7"},
		"no such command": {"%nosuchcommand", `"%nosuchcommand" unknown`},
		"foreign package": {"import \"github.com/no/such\"\n\n%%\nsuch.Thing()",
			"cannot find module providing package github.com/no/such"},
		"failing test": {"%test\nfunc TestX(t *testing.T) { t.Fatal(\"bad\") }", "exit status 1"},
		"endless":      {"%%\nfor {\n}", "exceeds --timeout 10"},
	}
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	folder := t.TempDir()
	arguments := []string{"--timeout", "10", "--write"}
	paths := map[string]string{}
	for name, c := range reasons {
		paths[name] = filepath.Join(folder, strings.ReplaceAll(name, " ", "-")+".ipynb")
		write(t, paths[name], cells(t, "%%\nfmt.Println(1)", c.cell, "%%\nfmt.Println(2)"))
		arguments = append(arguments, paths[name])
	}
	out, err := execute(t, arguments...)
	if err == nil || !strings.Contains(out, "11 of 11 notebooks failed") {
		t.Errorf("%v: %s", err, out)
	}
	reports := strings.Split(out, "FAILED ")
	for name, c := range reasons {
		found := ""
		for _, report := range reports {
			if strings.HasPrefix(report, paths[name]+", cell 2: ") {
				found = report
			}
		}
		if !strings.Contains(found, c.want) {
			t.Errorf("%s: report %q, want %q", name, found, c.want)
		}
		content, err := os.ReadFile(paths[name])
		if err != nil || strings.Contains(string(content), "autoblm\"") {
			t.Errorf("%s: the failed notebook was changed: %v, %s", name, err, content)
		}
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files remain: %v, %v", left, err)
	}
	if left := processes(t, temporary); len(left) > 0 {
		t.Errorf("processes remain: %q", left)
	}
}

// TestExecuteStops checks that an interrupted execution leaves no kernel behind.
func TestExecuteStops(t *testing.T) {
	needKernel(t)
	program, temporary := python(t), t.TempDir()
	path := filepath.Join(t.TempDir(), "endless.ipynb")
	write(t, path, cells(t, "%%\nfor {\n}"))
	command := exec.CommandContext(t.Context(), program, "execute.py", path)
	command.Env = append(os.Environ(), "TMPDIR="+temporary)
	require.NoError(t, command.Start())
	deadline := time.Now().Add(time.Minute)
	for len(processes(t, temporary)) == 0 && time.Now().Before(deadline) {
		time.Sleep(100 * time.Millisecond)
	}
	require.NoError(t, command.Process.Signal(os.Interrupt))
	if err := command.Wait(); err == nil {
		t.Error("an interrupted execution succeeds")
	}
	if left := processes(t, temporary); len(left) > 0 {
		t.Errorf("processes remain: %q", left)
	}
}

// TestExecuteWithBackend checks that cells use the backend of --backend.
func TestExecuteWithBackend(t *testing.T) {
	needKernel(t)
	xla := xlatest.Backend(t)
	for name, want := range map[string]string{xla: "gomlx on " + xla, backend.Go: "gomlx on go"} {
		path := filepath.Join(t.TempDir(), "n.ipynb")
		write(t, path, cells(t, "%%\nengine := show.Must(autoblm.Compute{}.Open())\n"+
			"defer engine.Close()\nfmt.Println(engine.Name(), \"on\", engine.Backend(kge.Float32))"))
		if out, err := execute(t, "--backend", name, "--write", path); err != nil {
			t.Fatalf("%s: %v: %s", name, err, out)
		}
		executed, err := os.ReadFile(path)
		if err != nil || !strings.Contains(string(executed), want) {
			t.Errorf("the executed notebook lacks %q: %v\n%s", want, err, executed)
		}
	}
}

// TestInstallElsewhere installs into folders with unusual names. The caches of the first
// installation make it fast.
func TestInstallElsewhere(t *testing.T) {
	needKernel(t)
	if testing.Short() {
		t.Skip("takes a minute")
	}
	base := t.TempDir()
	folders := []string{
		"--home", filepath.Join(base, "my dätä", "kernels"),
		"--user-dir", filepath.Join(base, "ju pyter"),
	}
	for range 2 {
		status, out, messages := kernels(t, append([]string{"install"}, folders...)...)
		if status != cli.Done {
			t.Fatalf("install: status %d, %q, %q", status, out, messages)
		}
	}
	t.Setenv("JUPYTER_DATA_DIR", folders[3])
	status, out, messages := kernels(t, append([]string{"doctor"}, folders...)...)
	if status != cli.Done {
		t.Errorf("doctor: status %d, %q, %q", status, out, messages)
	}
	if out, err := execute(t, hello); err != nil {
		t.Errorf("%v: %s", err, out)
	}
}

// cells returns a notebook with code cells.
func cells(t *testing.T, sources ...string) string {
	t.Helper()
	list := []map[string]any{}
	for i, source := range sources {
		list = append(list, map[string]any{
			"id": fmt.Sprintf("cell-%d", i), "cell_type": "code", "metadata": map[string]any{},
			"source": source, "outputs": []any{}, "execution_count": nil,
		})
	}
	kernel := map[string]any{"name": install.CPU.Name, "display_name": install.CPU.Title}
	content, err := json.Marshal(map[string]any{
		"cells": list, "metadata": map[string]any{"kernelspec": kernel},
		"nbformat": 4, "nbformat_minor": 5,
	})
	require.NoError(t, err)
	return string(content)
}

// processes returns the commands of processes whose TMPDIR begins with a path.
func processes(t *testing.T, temporary string) []string {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(environments) == 0 {
		t.Skip("this system does not show the environments of processes")
	}
	var found []string
	for _, file := range environments {
		variables, err := os.ReadFile(file)
		if err == nil && strings.Contains(string(variables), "TMPDIR="+temporary+"/") {
			command, _ := os.ReadFile(filepath.Join(filepath.Dir(file), "cmdline"))
			found = append(found, string(command))
		}
	}
	return found
}
