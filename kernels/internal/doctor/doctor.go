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
	// Library is the library that cells should import; the zero value accepts any.
	Library install.Library
}

// reinstall returns the fix for most problems.
func reinstall() string { return "run: " + install.Command() + " install" }

// Examine runs all checks. It skips those that depend on a failed one.
func Examine(ctx context.Context, s Settings) []Finding {
	t, err := install.FindToolchain(ctx, nil)
	if err != nil {
		return []Finding{{"Go", Bad, err.Error(), "install Go from https://go.dev/dl"}}
	}
	if _, err := os.Stat(s.Home.Module()); err != nil {
		message := fmt.Sprintf("nothing is installed in %s", s.Home)
		return []Finding{{"installation", Bad, message, reinstall()}, s.jupyter(ctx)}
	}
	var findings []Finding
	for _, tool := range install.Tools {
		findings = append(findings, s.tool(tool))
	}
	findings = append(findings, s.library(ctx, t))
	for _, v := range install.Variants() {
		findings = append(findings, s.spec(v))
	}
	findings = append(findings, s.jupyter(ctx))
	for _, v := range install.Variants() {
		if Healthy(findings) {
			findings = append(findings, s.cells(ctx, v))
		}
	}
	return findings
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

// library checks that cells import the expected library.
func (s Settings) library(ctx context.Context, t install.Toolchain) Finding {
	const subject = "library"
	installed, err := install.InstalledLibrary(ctx, s.Home, t)
	if err != nil {
		return Finding{subject, Bad, err.Error(), "in a checkout, " + reinstall()}
	}
	if s.Library != (install.Library{}) && s.Library != installed {
		return Finding{subject, Note,
			fmt.Sprintf("cells import %v, not %v", installed, s.Library),
			"to import the latter, " + reinstall()}
	}
	return Finding{subject, OK, fmt.Sprintf("cells import %v", installed), ""}
}

// spec checks that the kernel spec starts this installation.
func (s Settings) spec(v install.Variant) Finding {
	file := v.File(s.Jupyter)
	spec, err := install.ReadSpec(file)
	switch {
	case err != nil:
		return Finding{v.Title, Bad, err.Error(), reinstall()}
	case !s.Home.Starts(spec):
		return Finding{v.Title, Bad, fmt.Sprintf("%s starts %q, which is another installation",
			file, spec.Argv), reinstall()}
	}
	return Finding{v.Title, OK, file, ""}
}

// jupyter checks that Jupyter is installed and finds the kernels of this installation.
func (s Settings) jupyter(ctx context.Context) Finding {
	const subject = "Jupyter"
	const installJupyter = "pip install jupyterlab, or sudo apt install jupyter-notebook"
	ctx, cancel := context.WithTimeout(ctx, 30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "jupyter", "--paths", "--json").Output()
	if errors.Is(err, exec.ErrNotFound) {
		return Finding{subject, Note, "not installed", installJupyter}
	}
	var paths struct {
		Data []string `json:"data"`
	}
	if err == nil {
		err = json.Unmarshal(out, &paths)
	}
	if err != nil {
		return Finding{subject, Note, "jupyter --paths fails: " + err.Error(), installJupyter}
	}
	want := install.CPU.File(s.Jupyter)
	if _, err := os.Stat(want); err != nil {
		return Finding{subject, OK, "installed", ""} // spec reports the missing kernel
	}
	for _, data := range paths.Data {
		file := install.CPU.File(data)
		if _, err := os.Stat(file); err != nil {
			continue
		}
		if !isSameFile(file, want) {
			return Finding{subject, Bad, fmt.Sprintf("uses %s, not %s", file, want),
				"remove the folder " + filepath.Dir(file)}
		}
		return Finding{subject, OK, "finds the kernels", ""}
	}
	return Finding{subject, Bad, "does not search for kernels in " + s.Jupyter,
		reinstall() + ` --user-dir "$(jupyter --data-dir)"`}
}

func isSameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// cells checks that cells of a kernel build and run without a network. A problem of the
// CUDA kernel alone is a note.
func (s Settings) cells(ctx context.Context, v install.Variant) Finding {
	problem := Bad
	if v.NeedsC {
		problem = Note
	}
	spec, err := install.ReadSpec(v.File(s.Jupyter))
	if err != nil {
		return Finding{v.Title, problem, err.Error(), reinstall()}
	}
	t, err := install.FindToolchain(ctx, spec.Env)
	if err != nil {
		return Finding{v.Title, problem, "finds no Go: " + err.Error(),
			"install Go from https://go.dev/dl, then " + reinstall()}
	}
	if v.NeedsC && !t.HasC() {
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
