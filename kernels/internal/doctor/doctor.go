// Package doctor examines an installation of the kernels and suggests fixes.
package doctor

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

// Level is the severity of a finding.
type Level string

// The levels. Cells of the CPU kernel run in spite of a note.
const (
	OK   Level = "ok"
	Note Level = "note"
	Bad  Level = "BAD"
)

// Finding is the result of one check.
type Finding struct {
	Subject string
	Level   Level
	Message string
	Fix     string // or ""
}

// Settings says which installation to examine.
type Settings struct {
	install.Folders
	Pins install.Pins
}

// reinstall returns the fix for most problems.
func reinstall() string { return "run: " + install.Command() + " install" }

// Examine runs all checks. It skips those that depend on a failed one.
func Examine(ctx context.Context, s Settings) []Finding {
	t, err := install.FindToolchain(ctx)
	if err != nil {
		return []Finding{{"Go", Bad, err.Error(), "install Go"}}
	}
	if _, err := os.Stat(s.Home.Module()); err != nil {
		message := fmt.Sprintf("nothing is installed in %s", s.Home)
		return []Finding{{"installation", Bad, message, reinstall()}}
	}
	var findings []Finding
	for _, tool := range install.Tools {
		findings = append(findings, s.tool(tool))
	}
	findings = append(findings, s.library(ctx, t))
	for _, v := range install.Variants() {
		findings = append(findings, s.kernel(ctx, t, v))
	}
	return append(findings, s.jupyter(ctx))
}

// Healthy reports whether no finding is bad.
func Healthy(findings []Finding) bool {
	for _, f := range findings {
		if f.Level == Bad {
			return false
		}
	}
	return true
}

// tool checks that a program has the pinned version.
func (s Settings) tool(t install.Tool) Finding {
	path := s.Home.Program(t.Name)
	want, err := s.Pins.Version(t)
	if err != nil {
		return Finding{t.Name, Bad, err.Error(), reinstall()}
	}
	got, err := t.InstalledVersion(path)
	switch {
	case errors.Is(err, fs.ErrNotExist) && t.Optional:
		return Finding{t.Name, Note, "not installed, so cells have no completion",
			reinstall() + " --gopls"}
	case errors.Is(err, fs.ErrNotExist):
		return Finding{t.Name, Bad, path + " is missing", reinstall()}
	case err != nil:
		return Finding{t.Name, Bad, err.Error(), reinstall()}
	case got != want:
		return Finding{t.Name, Bad, fmt.Sprintf("version is %s, want %s", got, want), reinstall()}
	}
	return Finding{t.Name, OK, got, ""}
}

// library checks that the library that cells import exists, and is that of this program.
func (s Settings) library(ctx context.Context, t install.Toolchain) Finding {
	installed, err := install.InstalledLibrary(ctx, s.Home, t)
	if err != nil {
		return Finding{"library", Bad, err.Error(), "in a checkout, " + reinstall()}
	}
	wanted, err := install.FindLibrary(ctx, t, ".")
	if err == nil && wanted.String() != installed { // outside of a checkout any library passes
		return Finding{"library", Note, fmt.Sprintf("cells import %s, not %v", installed, wanted),
			"to import the latter, " + reinstall()}
	}
	return Finding{"library", OK, "cells import " + installed, ""}
}

// kernel checks that a kernel starts this installation, and that its cells build and run
// without a network. A problem of the CUDA kernel alone is a note.
func (s Settings) kernel(ctx context.Context, t install.Toolchain, v install.Variant) Finding {
	file, problem := v.File(s.Jupyter), Bad
	if v.NeedsC {
		problem = Note
	}
	spec, err := install.ReadSpec(file)
	switch {
	case err != nil:
		return Finding{v.Title, Bad, err.Error(), reinstall()}
	case !s.Home.Starts(spec):
		return Finding{v.Title, Bad, fmt.Sprintf("%s starts %q, which is another installation",
			file, spec.Argv), reinstall()}
	case v.NeedsC && !t.HasC():
		return Finding{v.Title, Note, "needs a C compiler, and " + t.Compiler + " is missing",
			"install one (sudo apt install gcc), then " + reinstall()}
	}
	if err := install.TestCell(ctx, s.Home, t, spec.Env); err != nil {
		return Finding{v.Title, problem, err.Error(), reinstall()}
	}
	message := "cells run without a network, with " + strings.Replace(t.Version, "go", "Go ", 1)
	if v.NeedsC {
		message += "; for GPUs and plugins see: autoblm backend list"
	}
	return Finding{v.Title, OK, message, ""}
}

// jupyter checks that Jupyter is installed and finds the kernels of this installation.
func (s Settings) jupyter(ctx context.Context) Finding {
	const installJupyter = "pip install jupyterlab, or sudo apt install jupyter-notebook"
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "jupyter", "kernelspec", "list", "--json").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return Finding{"Jupyter", Note, "not installed", installJupyter}
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
		return Finding{"Jupyter", Note, "jupyter kernelspec fails: " + err.Error(), installJupyter}
	}
	found := list.Kernels[install.CPU.Name].Folder
	want := filepath.Dir(install.CPU.File(s.Jupyter))
	foundInfo, foundErr := os.Stat(found)
	wantInfo, wantErr := os.Stat(want)
	switch {
	case foundErr != nil || wantErr != nil:
		return Finding{"Jupyter", Bad, "does not find kernels in " + s.Jupyter,
			reinstall() + ` --user-dir "$(jupyter --data-dir)"`}
	case !os.SameFile(foundInfo, wantInfo):
		return Finding{"Jupyter", Bad, fmt.Sprintf("uses %s, not %s", found, want),
			"remove the folder " + found}
	}
	return Finding{"Jupyter", OK, "finds the kernels", ""}
}
