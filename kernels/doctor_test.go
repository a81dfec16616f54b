package main

import (
	"debug/buildinfo"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
)

func TestNothingInstalled(t *testing.T) {
	d := newDoctor(t)
	d.Home = install.Home(filepath.Join(t.TempDir(), "none"))
	check(t, d.examine(t.Context())[0], bad, "nothing is installed in "+string(d.Home),
		" ./kernels install")
}

func TestEmptyInstallation(t *testing.T) {
	d := newDoctor(t)
	require.NoError(t, os.RemoveAll(d.Jupyter))
	found := map[string]finding{}
	for _, f := range d.examine(t.Context()) {
		found[f.subject] = f
	}
	check(t, found["gonb"], bad, "is missing", "install")
	check(t, found["goimports"], bad, "is missing", "install")
	check(t, found["gopls"], note, "not installed", "--gopls")
	check(t, found[install.CPU.Title], bad, "no such file", "install")
}

func TestTools(t *testing.T) {
	d := newDoctor(t)
	gonb := install.Tools[0]
	copyProgram(t, d.Home.Program("gonb"))
	check(t, d.tool(gonb), bad, "want github.com/janpfeifer/gonb", "install")
	require.NoError(t, os.WriteFile(d.Home.Program("gonb"), []byte("#!/bin/sh\n"), 0o755))
	check(t, d.tool(gonb), bad, "gonb", "install")

	// The test program acts as a tool with a known version.
	program, err := os.Executable()
	require.NoError(t, err)
	info, err := buildinfo.ReadFile(program)
	require.NoError(t, err)
	mine := install.Tool{Name: "mine", Package: info.Path, Module: "example.com/mine"}
	copyProgram(t, d.Home.Program("mine"))
	d.pins.ToolsMod = []byte("require example.com/mine v9.8.7\n")
	check(t, d.tool(mine), bad, "want v9.8.7", "install")
	d.pins.ToolsMod = nil
	check(t, d.tool(mine), bad, "no version of example.com/mine is pinned", "install")
}

func TestLibrary(t *testing.T) {
	d := newDoctor(t)
	toolchain := toolchain(t)
	examine := func() finding { return d.library(t.Context(), toolchain) }
	checkout, err := install.FindLibrary(t.Context(), toolchain, ".")
	require.NoError(t, err)
	requireLibrary(t, d.Home, checkout.Checkout)
	check(t, examine(), ok, "cells import "+checkout.String(), "")
	other := t.TempDir()
	write(t, filepath.Join(other, "go.mod"), "module "+install.LibraryModule+"\n\ngo 1.26\n")
	requireLibrary(t, d.Home, other)
	check(t, examine(), note, "not "+checkout.String(), "install")
	require.NoError(t, os.RemoveAll(d.Home.Module()))
	check(t, examine(), bad, "no such file", "install")
}

func TestJupyter(t *testing.T) {
	d := newDoctor(t)
	data := func(jupyter string) string {
		return fmt.Sprintf(`echo '{"kernelspecs": {%q: {"resource_dir": %q}}}'`, install.CPU.Name,
			filepath.Dir(install.CPU.File(jupyter)))
	}
	other := t.TempDir()
	require.NoError(t, os.CopyFS(other, os.DirFS(d.Jupyter)))
	for name, test := range map[string]struct {
		script       string // program that acts as Jupyter
		level        string
		message, fix string
	}{
		"absent":      {"", note, "not installed", "apt install"},
		"finds ours":  {data(d.Jupyter), ok, "finds the kernels", ""},
		"other first": {data(other), bad, "uses " + other, "remove the folder " + other},
		"blind":       {"echo '{}'", bad, "does not find kernels in", "--user-dir"},
		"broken":      {"exit 3", note, "exit status 3", "pip install"},
		"no JSON":     {"echo hello", note, "invalid character", "pip install"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if test.script != "" {
				program := filepath.Join(bin, "jupyter")
				write(t, program, "#!/bin/sh\n"+test.script+"\n")
				require.NoError(t, os.Chmod(program, 0o755))
			}
			t.Setenv("PATH", bin)
			check(t, d.jupyter(t.Context()), test.level, test.message, test.fix)
		})
	}
}

func TestKernel(t *testing.T) {
	d, toolchain := newDoctor(t), toolchain(t)
	examine := func(v install.Variant) finding { return d.kernel(t.Context(), toolchain, v) }
	deps := filepath.Join(d.Home.Module(), "deps.go")
	write(t, deps, "package env\n\nimport _ \"fmt\"\n")
	check(t, examine(install.CPU), ok, "cells run without a network", "")
	toolchain.Compiler = "/nonexistent/cc"
	check(t, examine(install.CUDA), note, "/nonexistent/cc is missing", "gcc")
	toolchain.Compiler = "true"
	write(t, deps, "package env\n\nimport _ \"gonum.org/v1/gonum/mat\"\n")
	check(t, examine(install.CPU), bad, "do not build without a network", "install")
	check(t, examine(install.CUDA), note, "do not build without a network", "install")

	file := install.CPU.File(d.Jupyter)
	for content, want := range map[string]string{`{"argv": ["/old/gonb"]}`: "/old/gonb", "{": file} {
		write(t, file, content)
		check(t, examine(install.CPU), bad, want, "install")
	}
	require.NoError(t, os.Remove(file))
	check(t, examine(install.CPU), bad, file, "install")
}

// TestTemporaryFolderWithoutExecution mounts a folder in which programs do not run.
func TestTemporaryFolderWithoutExecution(t *testing.T) {
	dir := t.TempDir()
	mount := exec.Command("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", dir)
	if out, err := mount.CombinedOutput(); err != nil {
		t.Skipf("cannot mount a folder with noexec: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	d := newDoctor(t)
	write(t, filepath.Join(d.Home.Module(), "deps.go"), "package env\n\nimport _ \"fmt\"\n")
	t.Setenv("TMPDIR", dir)
	check(t, d.kernel(t.Context(), toolchain(t), install.CPU), bad, "programs do not run in "+dir,
		"install")
}

func toolchain(t *testing.T) install.Toolchain {
	t.Helper()
	found, err := install.FindToolchain(t.Context())
	require.NoError(t, err)
	return found
}

// newDoctor returns an installation that has only an empty module and the kernel specs.
func newDoctor(t *testing.T) doctor {
	t.Helper()
	home := install.Home(filepath.Join(t.TempDir(), "home"))
	d := doctor{
		Folders: install.Folders{Home: home, Jupyter: t.TempDir()},
		pins: install.Pins{ToolsMod: []byte("\tgithub.com/janpfeifer/gonb v0.11.5\n" +
			"\tgolang.org/x/tools v0.48.0\n\tgolang.org/x/tools/gopls v0.23.0\n")},
	}
	for _, folder := range []string{home.Module(), filepath.Dir(home.Program("x"))} {
		require.NoError(t, os.MkdirAll(folder, 0o755))
	}
	requireLibrary(t, home, "")
	for _, v := range install.Variants() {
		file := v.File(d.Jupyter)
		require.NoError(t, os.MkdirAll(filepath.Dir(file), 0o755))
		spec := install.Spec{
			Argv: []string{
				home.Program("gonb"), "--kernel", "{connection_file}",
				"-logtostderr=true", "-raw_error=true", "-go_work=" + home.Module(),
			},
			Env: map[string]string{
				"GOPROXY": "off", "GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw",
			},
		}
		require.NoError(t, spec.Write(file))
	}
	return d
}

// requireLibrary makes the module of the cells take the library from a folder.
func requireLibrary(t *testing.T, home install.Home, library string) {
	t.Helper()
	module := "module autoblm.invalid/cells\n\ngo 1.26\n"
	if library != "" {
		module += fmt.Sprintf("\nrequire %[1]s v0.0.0\n\nreplace %[1]s => %[2]q\n",
			install.LibraryModule, library)
	}
	write(t, filepath.Join(home.Module(), "go.mod"), module)
}

func copyProgram(t *testing.T, to string) {
	t.Helper()
	program, err := os.Executable()
	require.NoError(t, err)
	content, err := os.ReadFile(program)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(to, content, 0o755))
}

func check(t *testing.T, f finding, level string, message, fix string) {
	t.Helper()
	if f.level != level || !strings.Contains(f.message, message) ||
		!strings.Contains(f.fix, fix) || (f.level == ok) != (f.fix == "") {
		t.Errorf("%s %s: %q, %q; want %s with %q, %q",
			f.level, f.subject, f.message, f.fix, level, message, fix)
	}
}
