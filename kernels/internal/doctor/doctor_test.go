package doctor

import (
	"debug/buildinfo"
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
	toolchain := toolchain(t)
	examine := func() Finding { return s.library(t.Context(), toolchain) }
	checkout, err := install.FindLibrary(t.Context(), toolchain, ".")
	if err != nil {
		t.Fatal(err)
	}
	require(t, s.Home, checkout.Checkout)
	check(t, examine(), OK, "cells import "+checkout.String(), "")
	other := t.TempDir()
	write(t, filepath.Join(other, "go.mod"), "module "+install.LibraryModule+"\n\ngo 1.26\n")
	require(t, s.Home, other)
	check(t, examine(), Note, "not "+checkout.String(), "install")
	if err := os.RemoveAll(s.Home.Module()); err != nil {
		t.Fatal(err)
	}
	check(t, examine(), Bad, "no such file", "install")
}

func TestJupyter(t *testing.T) {
	s := settings(t)
	data := func(jupyter string) string {
		return fmt.Sprintf(`echo '{"kernelspecs": {%q: {"resource_dir": %q}}}'`, install.CPU.Name,
			filepath.Dir(install.CPU.File(jupyter)))
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
		"finds ours":  {data(s.Jupyter), OK, "finds the kernels", ""},
		"other first": {data(other), Bad, "uses " + other, "remove the folder " + other},
		"blind":       {"echo '{}'", Bad, "does not find kernels in", "--user-dir"},
		"broken":      {"exit 3", Note, "exit status 3", "pip install"},
		"no JSON":     {"echo hello", Note, "invalid character", "pip install"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if test.script != "" {
				program := filepath.Join(bin, "jupyter")
				write(t, program, "#!/bin/sh\n"+test.script+"\n")
				if err := os.Chmod(program, 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin)
			check(t, s.jupyter(t.Context()), test.level, test.message, test.fix)
		})
	}
}

func TestKernel(t *testing.T) {
	s, toolchain := settings(t), toolchain(t)
	examine := func(v install.Variant) Finding { return s.kernel(t.Context(), toolchain, v) }
	deps := filepath.Join(s.Home.Module(), "deps.go")
	write(t, deps, "package env\n\nimport _ \"fmt\"\n")
	check(t, examine(install.CPU), OK, "cells run without a network", "")
	toolchain.Compiler = "/nonexistent/cc"
	check(t, examine(install.CUDA), Note, "/nonexistent/cc is missing", "gcc")
	toolchain.Compiler = "true"
	write(t, deps, "package env\n\nimport _ \"gonum.org/v1/gonum/mat\"\n")
	check(t, examine(install.CPU), Bad, "do not build without a network", "install")
	check(t, examine(install.CUDA), Note, "do not build without a network", "install")

	file := install.CPU.File(s.Jupyter)
	for content, want := range map[string]string{`{"argv": ["/old/gonb"]}`: "/old/gonb", "{": file} {
		write(t, file, content)
		check(t, examine(install.CPU), Bad, want, "install")
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check(t, examine(install.CPU), Bad, file, "install")
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
	write(t, filepath.Join(s.Home.Module(), "deps.go"), "package env\n\nimport _ \"fmt\"\n")
	t.Setenv("TMPDIR", dir)
	check(t, s.kernel(t.Context(), toolchain(t), install.CPU), Bad, "programs do not run in "+dir,
		"install")
}

func toolchain(t *testing.T) install.Toolchain {
	t.Helper()
	found, err := install.FindToolchain(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return found
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
		spec := install.Spec{
			Argv: []string{
				home.Program("gonb"), "--kernel", "{connection_file}",
				"-logtostderr=true", "-raw_error=true", "-go_work=" + home.Module(),
			},
			Env: map[string]string{
				"GOPROXY": "off", "GOMODCACHE": t.TempDir(), "GOFLAGS": "-modcacherw",
			},
		}
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
	write(t, filepath.Join(home.Module(), "go.mod"), module)
}

func write(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
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
