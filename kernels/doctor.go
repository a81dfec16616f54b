package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

type doctorCommand struct{}

// Run prints the findings and fails when cells cannot run.
func (doctorCommand) Run(ctx context.Context, out io.Writer, folders install.Folders) error {
	failed := false
	for _, f := range (doctor{folders, pins}).examine(ctx) {
		failed = failed || f.level == bad
		fmt.Fprintf(out, "%-4s  %s: %s\n", f.level, f.subject, f.message)
		if f.fix != "" {
			fmt.Fprintf(out, "      %s\n", f.fix)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if failed {
		fmt.Fprintln(out, "Cells cannot run.")
		return errFailed
	}
	fmt.Fprintln(out, "Cells can run.")
	return nil
}

// The levels of findings. Cells of the CPU kernel run in spite of a note.
const (
	ok   = "ok"
	note = "note"
	bad  = "BAD"
)

// finding is the result of one check. Only good ones have no fix.
type finding struct{ subject, level, message, fix string }

// doctor examines an installation.
type doctor struct {
	install.Folders
	pins install.Pins
}

// reinstall returns the fix for most problems.
func reinstall() string { return "run: " + install.Command() + " install" }

// examine runs all checks. It skips those that depend on a failed one.
func (d doctor) examine(ctx context.Context) []finding {
	t, err := install.FindToolchain(ctx)
	if err != nil {
		return []finding{{"Go", bad, err.Error(), "install Go"}}
	}
	if _, err := os.Stat(d.Home.Module()); err != nil {
		message := fmt.Sprintf("nothing is installed in %s", d.Home)
		return []finding{{"installation", bad, message, reinstall()}}
	}
	var findings []finding
	for _, tool := range install.Tools {
		findings = append(findings, d.tool(tool))
	}
	findings = append(findings, d.library(ctx, t))
	for _, v := range install.Variants() {
		findings = append(findings, d.kernel(ctx, t, v))
	}
	return append(findings, d.jupyter(ctx))
}

// tool checks that a program has the pinned version.
func (d doctor) tool(t install.Tool) finding {
	path := d.Home.Program(t.Name)
	want, err := d.pins.Version(t)
	if err != nil {
		return finding{t.Name, bad, err.Error(), reinstall()}
	}
	got, err := t.InstalledVersion(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Optional:
		return finding{t.Name, note, "not installed, so cells have no completion",
			reinstall() + " --gopls"}
	case errors.Is(err, fs.ErrNotExist):
		return finding{t.Name, bad, path + " is missing", reinstall()}
	case err != nil:
		return finding{t.Name, bad, err.Error(), reinstall()}
	case got != want:
		return finding{t.Name, bad, fmt.Sprintf("version is %s, want %s", got, want), reinstall()}
	}
	return finding{t.Name, ok, got, ""}
}

// library checks that cells import an existing library, of the version of this program.
func (d doctor) library(ctx context.Context, t install.Toolchain) finding {
	installed, err := install.InstalledLibrary(ctx, d.Home, t)
	if err != nil {
		return finding{"library", bad, err.Error(), "in a checkout, " + reinstall()}
	}
	wanted, err := install.FindLibrary(ctx, t, ".")
	if err == nil && wanted.String() != installed { // outside of a checkout any library passes
		return finding{"library", note, fmt.Sprintf("cells import %s, not %v", installed, wanted),
			"to import the latter, " + reinstall()}
	}
	return finding{"library", ok, "cells import " + installed, ""}
}

// kernel checks that a kernel starts this installation, and that its cells build and run
// without a network. A problem of the CUDA kernel alone is a note.
func (d doctor) kernel(ctx context.Context, t install.Toolchain, v install.Variant) finding {
	file, problem := v.File(d.Jupyter), bad
	if v.NeedsC {
		problem = note
	}
	spec, err := install.ReadSpec(file)
	switch {
	case err != nil:
		return finding{v.Title, bad, err.Error(), reinstall()}
	case !d.Home.Starts(spec):
		return finding{v.Title, bad, fmt.Sprintf("%s starts %q, which is another installation",
			file, spec.Argv), reinstall()}
	case v.NeedsC && !t.HasC():
		return finding{v.Title, note, "needs a C compiler, and " + t.Compiler + " is missing",
			"install one (sudo apt install gcc), then " + reinstall()}
	}
	if err := install.TestCell(ctx, d.Home, t, spec.Env); err != nil {
		return finding{v.Title, problem, err.Error(), reinstall()}
	}
	message := "cells run without a network, with " + strings.Replace(t.Version, "go", "Go ", 1)
	if v.NeedsC {
		message += "; for GPUs and plugins see: autoblm backend list"
	}
	return finding{v.Title, ok, message, ""}
}

// jupyter checks that Jupyter is installed and finds the kernels of this installation.
func (d doctor) jupyter(ctx context.Context) finding {
	const installJupyter = "pip install jupyterlab, or sudo apt install jupyter-notebook"
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "jupyter", "kernelspec", "list", "--json").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return finding{"Jupyter", note, "not installed", installJupyter}
	}
	var list struct {
		Kernels map[string]struct {
			Folder string `json:"resource_dir"`
		} `json:"kernelspecs"`
	}
	if err == nil {
		err = json.Unmarshal(out, &list)
	}
	if err != nil {
		return finding{"Jupyter", note, "jupyter kernelspec fails: " + err.Error(), installJupyter}
	}
	found := list.Kernels[install.CPU.Name].Folder
	want := filepath.Dir(install.CPU.File(d.Jupyter))
	foundInfo, foundErr := os.Stat(found)
	wantInfo, wantErr := os.Stat(want)
	switch {
	case foundErr != nil || wantErr != nil:
		return finding{"Jupyter", bad, "does not find kernels in " + d.Jupyter,
			reinstall() + ` --user-dir "$(jupyter --data-dir)"`}
	case !os.SameFile(foundInfo, wantInfo):
		return finding{"Jupyter", bad, fmt.Sprintf("uses %s, not %s", found, want),
			"remove the folder " + found}
	}
	return finding{"Jupyter", ok, "finds the kernels", ""}
}
