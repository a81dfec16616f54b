package doctor

import (
	"cmp"
	"debug/buildinfo"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

func TestNothingInstalled(t *testing.T) {
	s := settings(t)
	s.Home = install.Home(filepath.Join(t.TempDir(), "none"))
	findings := Examine(t.Context(), s)
	if Healthy(findings) {
		t.Error("healthy without an installation")
	}
	check(t, findings[0], Bad, "nothing is installed in "+string(s.Home), " ./kernels install")
}

func TestEmptyInstallation(t *testing.T) {
	s := settings(t)
	if err := os.RemoveAll(s.Jupyter); err != nil {
		t.Fatal(err)
	}
	found := map[string]Finding{}
	for _, f := range Examine(t.Context(), s) {
		found[f.Subject] = f
	}
	check(t, found["gonb"], Bad, "is missing", "install")
	check(t, found["goimports"], Bad, "is missing", "install")
	check(t, found["gopls"], Note, "not installed", "--gopls")
	check(t, found[install.CPU.Title], Bad, "no such file", "install")
}

func TestTools(t *testing.T) {
	s := settings(t)
	gonb := install.Tools[0]
	copyProgram(t, s.Home.Program("gonb"))
	check(t, s.tool(gonb), Bad, "want github.com/janpfeifer/gonb", "install")
	if err := os.WriteFile(s.Home.Program("gonb"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	check(t, s.tool(gonb), Bad, "gonb", "install")

	// The test program acts as a tool with a known version.
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	mine := install.Tool{Name: "mine", Package: info.Path, Module: "example.com/mine"}
	copyProgram(t, s.Home.Program("mine"))
	s.Pins.ToolsMod = []byte("require example.com/mine v9.8.7\n")
	check(t, s.tool(mine), Bad, "want v9.8.7", "install")
	s.Pins.ToolsMod = nil
	check(t, s.tool(mine), Bad, "no version of example.com/mine is pinned", "install")
}

func TestLibrary(t *testing.T) {
	s := settings(t)
	toolchain, err := install.FindToolchain(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	examine := func() Finding { return s.library(t.Context(), toolchain) }
	checkout, err := install.AtCheckout(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	require(t, s.Home, checkout.Checkout)
	check(t, examine(), OK, "cells import "+checkout.String(), "")
	s.Library = install.Library{Version: "v1.2.4"}
	check(t, examine(), Note, "not the release v1.2.4", "install")
	require(t, s.Home, t.TempDir())
	check(t, examine(), Bad, "is not a checkout", "install")
	if err := os.RemoveAll(s.Home.Module()); err != nil {
		t.Fatal(err)
	}
	check(t, examine(), Bad, "no such file", "install")
}

func TestSpecs(t *testing.T) {
	s := settings(t)
	file := install.CPU.File(s.Jupyter)
	check(t, s.spec(install.CPU), OK, file, "")
	if err := (install.Spec{Argv: []string{"/old/gonb"}}).Write(file); err != nil {
		t.Fatal(err)
	}
	check(t, s.spec(install.CPU), Bad, "/old/gonb", "install")
	if err := os.WriteFile(file, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(t, s.spec(install.CPU), Bad, file, "install")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check(t, s.spec(install.CPU), Bad, file, "install")
}

func TestJupyter(t *testing.T) {
	s := settings(t)
	data := func(folders ...string) string {
		content, err := json.Marshal(map[string][]string{"data": folders})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("echo '%s'", content)
	}
	other := t.TempDir()
	if err := os.CopyFS(other, os.DirFS(s.Jupyter)); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		script       string // program that acts as Jupyter
		level        Level
		message, fix string
	}{
		"absent":      {"", Note, "not installed", "apt install"},
		"finds ours":  {data(t.TempDir(), s.Jupyter), OK, "finds the kernels", ""},
		"other first": {data(other, s.Jupyter), Bad, "uses " + other, "remove the folder " + other},
		"blind":       {data(t.TempDir()), Bad, "does not search", "--user-dir"},
		"broken":      {"exit 3", Note, "exit status 3", "pip install"},
		"no JSON":     {"echo hello", Note, "invalid character", "pip install"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if test.script != "" {
				script := []byte("#!/bin/sh\n" + test.script + "\n")
				if err := os.WriteFile(filepath.Join(bin, "jupyter"), script, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin)
			check(t, s.jupyter(t.Context()), test.level, test.message, test.fix)
		})
	}
}

func TestCells(t *testing.T) {
	for name, test := range map[string]struct {
		variant      install.Variant
		imports      string
		variables    map[string]string
		level        Level
		message, fix string
	}{
		"good": {variant: install.CPU, level: OK, message: "cells run without a network"},
		"no Go": {
			variant: install.CPU, variables: map[string]string{"PATH": "/nonexistent"},
			level: Bad, message: "finds no Go", fix: "go.dev/dl",
		},
		"not primed": {
			variant: install.CPU, imports: "gonum.org/v1/gonum/mat",
			level: Bad, message: "do not build without a network", fix: "install",
		},
		"no C compiler": {
			variant: install.CUDA, variables: map[string]string{"CC": "/nonexistent/cc"},
			level: Note, message: "/nonexistent/cc is missing", fix: "gcc",
		},
		"only CUDA is bad": {
			variant: install.CUDA, imports: "gonum.org/v1/gonum/mat",
			variables: map[string]string{"CC": "true"},
			level:     Note, message: "do not build without a network", fix: "install",
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := settings(t)
			module := "package env\n\nimport _ \"" + cmp.Or(test.imports, "fmt") + "\"\n"
			deps := filepath.Join(s.Home.Module(), "deps.go")
			if err := os.WriteFile(deps, []byte(module), 0o644); err != nil {
				t.Fatal(err)
			}
			spec := install.Spec{Env: map[string]string{
				"GOPROXY": "off", "GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw",
			}}
			for name, value := range test.variables {
				spec.Env[name] = value
			}
			if err := spec.Write(test.variant.File(s.Jupyter)); err != nil {
				t.Fatal(err)
			}
			check(t, s.cells(t.Context(), test.variant), test.level, test.message, test.fix)
		})
	}
}

// TestTemporaryFolderWithoutExecution mounts a folder in which programs do not run.
func TestTemporaryFolderWithoutExecution(t *testing.T) {
	dir := t.TempDir()
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		t.Skipf("cannot mount a folder with noexec: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	s := settings(t)
	deps := filepath.Join(s.Home.Module(), "deps.go")
	if err := os.WriteFile(deps, []byte("package env\n\nimport _ \"fmt\"\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", dir)
	check(t, s.cells(t.Context(), install.CPU), Bad, "programs do not run in "+dir, "install")
}

// settings returns an installation that has only an empty module and the kernel specs.
func settings(t *testing.T) Settings {
	t.Helper()
	home := install.Home(filepath.Join(t.TempDir(), "home"))
	s := Settings{
		Folders: install.Folders{Home: home, Jupyter: t.TempDir()},
		Pins: install.Pins{ToolsMod: []byte("\tgithub.com/janpfeifer/gonb v0.11.5\n" +
			"\tgolang.org/x/tools v0.48.0\n\tgolang.org/x/tools/gopls v0.23.0\n")},
	}
	for _, folder := range []string{home.Module(), filepath.Dir(home.Program("x"))} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	require(t, home, "")
	for _, v := range install.Variants() {
		file := v.File(s.Jupyter)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		spec := install.Spec{Argv: []string{
			home.Program("gonb"), "--kernel", "{connection_file}",
			"-logtostderr=true", "-raw_error=true", "-go_work=" + home.Module(),
		}}
		if err := spec.Write(file); err != nil {
			t.Fatal(err)
		}
	}
	return s
}

// require makes the module of the cells take the library from a folder.
func require(t *testing.T, home install.Home, library string) {
	t.Helper()
	module := "module autoblm.invalid/cells\n\ngo 1.26\n"
	if library != "" {
		module += fmt.Sprintf("\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]q\n",
			install.LibraryModule, library)
	}
	if err := os.WriteFile(filepath.Join(home.Module(), "go.mod"), []byte(module), 0o644); err != nil {
		t.Fatal(err)
	}
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(to, content, 0o755); err != nil {
		t.Fatal(err)
	}
}

func check(t *testing.T, f Finding, level Level, message, fix string) {
	t.Helper()
	if f.Level != level || !strings.Contains(f.Message, message) ||
		!strings.Contains(f.Fix, fix) || (f.Level == OK) != (f.Fix == "") {
		t.Errorf("%s %s: %q, %q; want %s with %q, %q",
			f.Level, f.Subject, f.Message, f.Fix, level, message, fix)
	}
}
