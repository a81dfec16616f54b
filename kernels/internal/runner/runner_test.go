package runner

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/kerneltest"
	"github.com/autoblm/autoblm-go/kernels/internal/notebook"
	"github.com/google/go-cmp/cmp"
)

func TestMain(m *testing.M) { kerneltest.Main(m) }

func TestOutputsAreKept(t *testing.T) {
	n := book(t, "show a one\nprint x\nprint y\ncomplain z\nresult r", "# text", "show a two\nshow b new\nlate at last")
	outcome, err := Run(t.Context(), n, kerneltest.Spec(), Settings{})
	if err != nil || outcome.Failure != nil {
		t.Fatal(outcome.Failure, err)
	}
	if len(outcome.Cells) != 2 || outcome.Cells[0].Number != 1 || outcome.Cells[1].Number != 3 {
		t.Errorf("executed %v", outcome.Cells)
	}
	want := []string{
		`[{"data":{"text/plain":["two"]},"metadata":{},"output_type":"display_data"},` +
			`{"name":"stdout","output_type":"stream","text":["x\n","y\n"]},` +
			`{"name":"stderr","output_type":"stream","text":["z\n"]},` +
			`{"data":{"text/plain":["r"]},"execution_count":1,"metadata":{},"output_type":"execute_result"}]`,
		`null`,
		`[{"data":{"text/plain":["new"]},"metadata":{},"output_type":"display_data"},` +
			`{"data":{"text/plain":["at last"]},"metadata":{},"output_type":"display_data"}]`,
	}
	if diff := cmp.Diff(want, outputs(t, n)); diff != "" {
		t.Errorf("outputs (-want +got):\n%s", diff)
	}
}

func TestFolderAndVariables(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	n := book(t, "folder\nvariable MINE")
	if _, err := Run(t.Context(), n, kerneltest.Spec(), Settings{Folder: dir, Variables: map[string]string{"MINE": "yes"}}); err != nil {
		t.Fatal(err)
	}
	if got := outputs(t, n)[0]; !strings.Contains(got, dir+`\n`) || !strings.Contains(got, `yes\n`) {
		t.Errorf("outputs %s", got)
	}
}

func TestFailures(t *testing.T) {
	for name, test := range map[string]struct {
		cell           string
		reason, detail string
	}{
		"error":            {"complain because\nfail no such thing", "no such thing", ""},
		"endless":          {"print so far\nhang", "the cell takes longer than 200ms", "so far"},
		"endless and deaf": {"print so far\nignore", "the cell takes longer than 200ms", "so far"},
		"too much":         {"flood 60000", "the cell puts out more than a notebook can hold", ""},
		"shell":            {"print first\ncomplain why\ncomplain exit status 7", "a command failed: exit status 7", "why"},
		"death":            {"die", "the kernel Test failed: its process ended", "a reason to die"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := book(t, "print good", "", test.cell, "print never")
			outcome, err := Run(t.Context(), n, kerneltest.Spec(), Settings{CellLimit: 200 * time.Millisecond, OutputLimit: 50_000})
			if err != nil {
				t.Fatal(err)
			}
			f := outcome.Failure
			if f == nil {
				t.Fatal("nothing failed")
			}
			if f.Cell != 3 || f.Reason != test.reason || test.detail != "" && f.Detail != test.detail {
				t.Errorf("cell %d: %q, %q; want cell 3: %q, %q", f.Cell, f.Reason, f.Detail, test.reason, test.detail)
			}
			kept := outputs(t, n)
			if !strings.Contains(kept[0], "good") || kept[3] != "[]" {
				t.Errorf("outputs %v: want those before the failure and none after it", kept)
			}
		})
	}
}

func TestTotalLimitIsAFailureAndCtrlCIsNot(t *testing.T) {
	ctx, cancel := context.WithTimeoutCause(t.Context(), 300*time.Millisecond, TimeLimit{"the run", 300 * time.Millisecond})
	defer cancel()
	outcome, err := Run(ctx, book(t, "hang"), kerneltest.Spec(), Settings{CellLimit: time.Hour})
	if err != nil || outcome.Failure == nil || outcome.Failure.Reason != "the run takes longer than 300ms" {
		t.Errorf("%v, %v", outcome.Failure, err)
	}
	errUser := errors.New("interrupted")
	ctx, stop := context.WithCancelCause(t.Context())
	time.AfterFunc(300*time.Millisecond, func() { stop(errUser) })
	if outcome, err := Run(ctx, book(t, "hang"), kerneltest.Spec(), Settings{}); !errors.Is(err, errUser) {
		t.Errorf("%v, %v", outcome.Failure, err)
	}
}

// TestVerdicts: what GoNB 0.11.5 puts out for cells that fail, and some that do not.
func TestVerdicts(t *testing.T) {
	stderr := func(messages ...string) content { return content{Name: "stderr", Text: strings.Join(messages, "")} }
	failure := func(value string, traceback ...string) content {
		return content{ErrorName: "ERROR", Value: value, Traceback: traceback}
	}
	for name, test := range map[string]struct {
		outputs []content
		want    *Failure
	}{
		"two compile errors": {
			[]content{failure("# gonb_ada4a9f8\n./main.go:11:1: declared and not used: x\n./main.go:12:13: undefined: y\n",
				"# gonb_ada4a9f8",
				"Cell[4]: Line 2\n\nfunc main() {\n\tflag.Parse()\nx := 1\n^\n\n\x1b[31mdeclared and not used: x\x1b[0m",
				"Cell[4]: Line 3\nx := 1\nfmt.Println(y)\n            ^\n\n}\n\n\x1b[31mundefined: y\x1b[0m", "")},
			&Failure{Reason: "line 2: declared and not used: x"},
		},
		"compile error in what an earlier cell declared": {
			[]content{failure("./main.go:1:1: undefined: y", "Cell[2]: Line 1\nfunc f() { y() }\n           ^\n\nundefined: y")},
			&Failure{Reason: "line 1 of In [2]: undefined: y"},
		},
		"panic": {
			[]content{stderr("panic: runtime error: index out of range [3] with length 0\n\ngoroutine 1 [running]:\nmain.f(...)\n"), stderr("exit status 2\n"), failure("exit status 2", "exit status 2")},
			&Failure{Reason: "panic: runtime error: index out of range [3] with length 0 (exit status 2)", Detail: "panic: runtime error: index out of range [3] with length 0\n\ngoroutine 1 [running]:\nmain.f(...)"},
		},
		"os.Exit(3)":     {[]content{stderr("exit status 3\n"), failure("exit status 3", "exit status 3")}, &Failure{Reason: "exit status 3"}},
		"!false":         {[]content{stderr("exit status 1\n")}, &Failure{Reason: "a command failed: exit status 1"}},
		"no newline":     {[]content{stderr("why"), stderr("exit status 1\n")}, &Failure{Reason: "a command failed: exit status 1"}},
		"%%bash":         {[]content{{Name: "stdout", Text: "a\n"}, stderr("exit status 7\n")}, &Failure{Reason: "a command failed: exit status 7", Detail: "a"}},
		"!kill -9 $$":    {[]content{stderr("signal: killed\n")}, &Failure{Reason: "a command failed: signal: killed"}},
		"interrupted":    {[]content{stderr("^C\nsignal: interrupt\n")}, &Failure{Reason: "a command failed: signal: interrupt"}},
		"%nosuchcommand": {[]content{stderr(`"%nosuchcommand" unknown or not implemented yet.`)}, &Failure{Reason: "the kernel knows no command %nosuchcommand"}},
		"%%nosuchmagic":  {[]content{stderr(`"%%nosuchmagic" unknown or not implemented yet.`), failure("/tmp/gonb_1/main.go:3:1: expected declaration, found x", "Cell[4]: Line 2\nx\n^\n\nexpected declaration, found x")}, &Failure{Reason: "line 2: expected declaration, found x"}},
		"no such script": {[]content{failure(`failed to start to execute command "nosuch": exec: "nosuch": executable file not found in $PATH`, "failed")}, &Failure{Reason: `failed to start to execute command "nosuch": exec: "nosuch": executable file not found in $PATH`}},
		"foreign package": {[]content{failure("failed to run \"/usr/local/go/bin/go get\": exit status 1\n\ngo: gonb_1 imports\n\tgithub.com/no/such: cannot find module providing package github.com/no/such\n\n---", "failed")},
			&Failure{Reason: "package github.com/no/such is not among those that cells can import (kernels/env/deps.go lists them)"}},
		"%%writefile":         {[]content{stderr("Cell contents written to \"x\".\n")}, nil},
		"talks of it":         {[]content{{Name: "stdout", Text: "exit status 1\n"}, stderr("it had exit status 1, as it should\n")}, nil},
		"nothing":             {nil, nil},
		"complains, but well": {[]content{stderr("a warning\n")}, nil},
	} {
		sh := &sheet{count: 4}
		r := run{sheets: []*sheet{sh}}
		for _, c := range test.outputs {
			kind := notebook.Stream
			if c.ErrorName != "" {
				kind = notebook.Failure
			}
			r.take(sh, kind, c)
		}
		got := sh.verdict()
		if (got == nil) != (test.want == nil) {
			t.Errorf("%s: %v, want %v", name, got, test.want)
			continue
		}
		if got != nil && (got.Reason != test.want.Reason || test.want.Detail != "" && got.Detail != test.want.Detail) {
			t.Errorf("%s: %q, %q; want %q, %q", name, got.Reason, got.Detail, test.want.Reason, test.want.Detail)
		}
	}
}

// book makes a notebook of cells of code, and of text where they begin with "#".
func book(t *testing.T, cells ...string) *notebook.Notebook {
	t.Helper()
	list := []map[string]any{}
	for _, source := range cells {
		cell := map[string]any{"cell_type": "code", "metadata": map[string]any{}, "source": source, "outputs": []any{}, "execution_count": nil}
		if strings.HasPrefix(source, "#") {
			cell = map[string]any{"cell_type": "markdown", "metadata": map[string]any{}, "source": source}
		}
		list = append(list, cell)
	}
	content, err := json.Marshal(map[string]any{"cells": list, "metadata": map[string]any{}, "nbformat": 4, "nbformat_minor": 5})
	if err != nil {
		t.Fatal(err)
	}
	n, err := notebook.Parse(content)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// outputs are those of the cells as a notebook's file has them.
func outputs(t *testing.T, n *notebook.Notebook) []string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "n.ipynb")
	if err := n.Write(path); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Cells []struct{ Outputs json.RawMessage }
	}
	if err := json.Unmarshal(content, &file); err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, cell := range file.Cells {
		var short bytes.Buffer
		if cell.Outputs == nil {
			cell.Outputs = json.RawMessage("null")
		}
		if err := json.Compact(&short, cell.Outputs); err != nil {
			t.Fatal(err)
		}
		all = append(all, short.String())
	}
	return all
}
