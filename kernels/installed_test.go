package main

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/internal/cli"
	"github.com/autoblm/autoblm-go/internal/xlatest"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
)

// hello is a notebook that uses each thing that notebooks use.
const hello = "testdata/hello.ipynb"

// needKernel skips a test where the kernel is not installed.
func needKernel(t *testing.T) {
	t.Helper()
	user, err := kernelspec.UserFolder()
	if err != nil {
		t.Skip(err)
	}
	if _, err := kernelspec.Find(install.CPU.Name, kernelspec.Folders(user)); errors.Is(err, fs.ErrNotExist) {
		t.Skip("the kernel is not installed: go run ./kernels install")
	}
}

func TestHello(t *testing.T) {
	needKernel(t)
	out := t.TempDir()
	status, said, complained := kernels(t, "run", "--out", out, hello)
	if status != cli.Done {
		t.Fatalf("status %d, %q, %q", status, said, complained)
	}
	executed, err := os.ReadFile(filepath.Join(out, "hello.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	checkHello(t, executed)
}

func TestJupyterExecutesHello(t *testing.T) {
	needKernel(t)
	if err := exec.Command("jupyter", "nbconvert", "--version").Run(); err != nil {
		t.Skipf("jupyter nbconvert does not run: %v: install it with sudo apt install jupyter-nbconvert", err)
	}
	out := t.TempDir()
	said, err := exec.CommandContext(t.Context(), "jupyter", "nbconvert", "--to", "notebook", "--execute", hello, "--output-dir", out).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	executed, err := os.ReadFile(filepath.Join(out, "hello.ipynb"))
	if err != nil {
		t.Fatal(err)
	}
	checkHello(t, executed)
}

// checkHello checks that each cell of the executed notebook did what it says.
func checkHello(t *testing.T, executed []byte) {
	t.Helper()
	if _, err := notebook.Parse(executed); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		`"a plain cell\n"`, `"world 844 entities\n"`, `"image/png": "iVBOR`, `"step 3 of 3"`, `"from the shell\n"`, `"full size: false\n"`,
		`"id": "picture"`,
	} {
		if !strings.Contains(string(executed), want) {
			t.Errorf("the executed notebook lacks %s:\n%s", want, executed)
		}
	}
	if strings.Contains(string(executed), "step 2 of 3") {
		t.Error("an updated display stands beside its update")
	}
}

func TestCellsThatFail(t *testing.T) {
	needKernel(t)
	temporary := t.TempDir()
	t.Setenv("TMPDIR", temporary)
	for name, test := range map[string]struct{ cell, reason string }{
		"compile error":   {"%%\nfmt.Println(nobody)", "line 2: undefined: nobody"},
		"syntax error":    {"%%\nfmt.Println(\"x", "line 2: string literal not terminated"},
		"panic":           {"%%\nvar list []int\nlist[0] = 1", "panic: runtime error: index out of range [0] with length 0 (exit status 2)"},
		"os.Exit":         {"%%\nos.Exit(3)", "exit status 3"},
		"shell":           {"!false", "a command failed: exit status 1"},
		"no such program": {"!nosuchprogram", "a command failed: exit status 127"},
		"bash":            {"%%bash\nexit 7", "a command failed: exit status 7"},
		"no such command": {"%nosuchcommand", "the kernel knows no command %nosuchcommand"},
		"foreign package": {"import \"github.com/no/such\"\n\n%%\nsuch.Thing()", "package github.com/no/such is not among those that cells can import"},
		"failing test":    {"%test\nfunc TestX(t *testing.T) { t.Fatal(\"bad\") }", "exit status 1"},
		"endless":         {"%%\nfor {\n}", "the cell takes longer than 10s"},
		"endless output":  {"%%\nfor {\n\tfmt.Println(strings.Repeat(\"x\", 1000))\n}", "the cell puts out more than a notebook can hold"},
		"left behind":     {"%%bash\nsleep 1000 >/dev/null 2>&1 &\nexit 1", "a command failed: exit status 1"},
	} {
		t.Run(name, func(t *testing.T) {
			path := write(t, "%%\nfmt.Println(1)", test.cell, "%%\nfmt.Println(2)")
			status, out, said := kernels(t, "run", "--timeout", "10s", path)
			if status != cli.Failed || !strings.HasPrefix(out, "FAILED "+path+", cell 2") || !strings.Contains(out, test.reason) {
				t.Errorf("status %d, %q, %q; want cell 2 to fail with %q", status, out, said, test.reason)
			}
		})
	}
	if left, err := os.ReadDir(temporary); err != nil || len(left) > 0 {
		t.Errorf("temporary files are left: %v, %v", left, err)
	}
	if left := processes(t, temporary); len(left) > 0 {
		t.Errorf("processes are left: %q", left)
	}
}

// TestCellsOnXLA: the backend that a run is told is that of the cells.
func TestCellsOnXLA(t *testing.T) {
	needKernel(t)
	name := xlatest.Backend(t)
	cell := "%%\nengine := show.Must(autoblm.Compute{}.Open())\ndefer engine.Close()\nfmt.Println(engine.Name(), \"on\", engine.Backend(kge.Float32))"
	for asked, want := range map[string]string{name: "gomlx on " + name, backend.Go: "gomlx on go"} {
		path, out := write(t, cell), t.TempDir()
		if status, said, complained := kernels(t, "run", "--backend", asked, "--out", out, path); status != cli.Done {
			t.Fatalf("%s: status %d, %q, %q", asked, status, said, complained)
		}
		executed, err := os.ReadFile(filepath.Join(out, filepath.Base(path)))
		if err != nil {
			t.Fatal(err)
		}
		if !strings.Contains(string(executed), want) {
			t.Errorf("the executed notebook lacks %q:\n%s", want, executed)
		}
	}
	if status, said, complained := kernels(t, "run", "--backend", "abacus", hello); status != cli.Failed || !strings.Contains(complained, "abacus") {
		t.Errorf("no backend: status %d, %q, %q", status, said, complained)
	}
}

func TestMuchOutputIsKept(t *testing.T) {
	needKernel(t)
	path, out := write(t, "%%\nfor i := range 50000 {\n\tfmt.Printf(\"line %08d\\n\", i)\n}"), t.TempDir()
	if status, said, _ := kernels(t, "run", "--out", out, path); status != cli.Done {
		t.Fatalf("status %d, %q", status, said)
	}
	executed, err := os.ReadFile(filepath.Join(out, filepath.Base(path)))
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Count(string(executed), `"line 000`); got != 50000 {
		t.Errorf("%d lines of 50000", got)
	}
}

// TestInstallElsewhere installs from the caches that the first installation has
// filled, where names of folders are awkward.
func TestInstallElsewhere(t *testing.T) {
	needKernel(t)
	if testing.Short() {
		t.Skip("it takes a while")
	}
	base := t.TempDir()
	places := []string{"--home", filepath.Join(base, "my dätä", "kernels"), "--user-dir", filepath.Join(base, "ju pyter")}
	for range 2 {
		if status, out, said := kernels(t, append([]string{"install"}, places...)...); status != cli.Done {
			t.Fatalf("status %d, %q, %q", status, out, said)
		}
	}
	t.Setenv("JUPYTER_DATA_DIR", places[3])
	if status, out, said := kernels(t, append([]string{"doctor"}, places...)...); status != cli.Done {
		t.Errorf("doctor: status %d, %q, %q", status, out, said)
	}
	if status, out, said := kernels(t, append([]string{"run", hello}, places...)...); status != cli.Done {
		t.Errorf("run: status %d, %q, %q", status, out, said)
	}
	if status, out, said := kernels(t, append([]string{"uninstall"}, places...)...); status != cli.Done {
		t.Errorf("uninstall: status %d, %q, %q", status, out, said)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

// processes are those that were started with a folder for temporary files below
// this one.
func processes(t *testing.T, temporary string) []string {
	t.Helper()
	environments, err := filepath.Glob("/proc/[0-9]*/environ")
	if err != nil || len(environments) == 0 {
		t.Log("this system does not tell the variables of processes")
		return nil
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
