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

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/autoblm/autoblm-go/kernels/internal/install"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
	"github.com/autoblm/autoblm-go/kernels/internal/kerneltest"
)

func TestMain(m *testing.M) { kerneltest.Main(m) }

func TestNothingInstalled(t *testing.T) {
	p := patient(t)
	if err := os.RemoveAll(string(p.Home)); err != nil {
		t.Fatal(err)
	}
	findings := Examine(t.Context(), p)
	if Healthy(findings) {
		t.Error("healthy without an installation")
	}
	for _, f := range findings {
		if f.Subject == "installation" {
			check(t, f, Bad, "nothing is installed in "+string(p.Home), " ./kernels install")
		}
	}
}

func TestEmptyInstallation(t *testing.T) {
	p := patient(t)
	for _, v := range install.Variants() {
		if err := os.Remove(v.File(p.Jupyter)); err != nil {
			t.Fatal(err)
		}
	}
	found := map[string]Finding{}
	for _, f := range Examine(t.Context(), p) {
		found[f.Subject] = f
	}
	check(t, found["gonb"], Bad, "is missing", "install")
	check(t, found["goimports"], Bad, "is missing", "install")
	check(t, found["gopls"], Note, "not installed", "--gopls")
	check(t, found[install.CPU.Title], Bad, "does not know the kernel", "install")
}

func TestTools(t *testing.T) {
	p := patient(t)
	gonb := install.Tools[0]
	copyProgram(t, p.Home.Program("gonb"))
	check(t, p.tool(gonb), Bad, "is not github.com/janpfeifer/gonb", "install")
	if err := os.WriteFile(p.Home.Program("gonb"), []byte("#!/bin/sh\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	check(t, p.tool(gonb), Bad, "gonb", "install")

	// The test program is a tool of which the version is known.
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	info, err := buildinfo.ReadFile(program)
	if err != nil {
		t.Fatal(err)
	}
	mine := install.Tool{Name: "mine", Package: info.Path, Module: "example.com/mine"}
	copyProgram(t, p.Home.Program("mine"))
	p.Pins.ToolsMod = []byte("require example.com/mine v9.8.7\n")
	check(t, p.tool(mine), Bad, "instead of v9.8.7", "install")
	p.Pins.ToolsMod = nil
	check(t, p.tool(mine), Bad, "no version of example.com/mine is pinned", "")
}

func TestLibrary(t *testing.T) {
	p := patient(t)
	check(t, p.library(), Good, "the release v1.2.3", "")
	p.Library = install.Library{Version: "v1.2.4"}
	check(t, p.library(), Note, "cells import the release v1.2.3, while you are at the release v1.2.4", "install")
	writeManifest(t, p.Home, install.Manifest{Library: install.Library{Checkout: "/nonexistent"}})
	check(t, p.library(), Bad, "/nonexistent is no checkout", "install")
	if err := os.RemoveAll(p.Home.Module()); err != nil {
		t.Fatal(err)
	}
	check(t, p.library(), Bad, "the module that cells import from is missing", "install")
	if err := os.WriteFile(filepath.Join(string(p.Home), "installed.json"), []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(t, p.library(), Bad, "installed.json", "install")
}

func TestSpecs(t *testing.T) {
	p := patient(t)
	file := install.CPU.File(p.Jupyter)
	check(t, p.spec(install.CPU), Good, file, "")
	stale := kernelspec.Spec{Argv: []string{"/old/gonb"}}
	if err := stale.Write(file); err != nil {
		t.Fatal(err)
	}
	check(t, p.spec(install.CPU), Bad, "/old/gonb", "install")
	if err := os.WriteFile(file, []byte("{"), 0o644); err != nil {
		t.Fatal(err)
	}
	check(t, p.spec(install.CPU), Bad, file, "install")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	check(t, p.spec(install.CPU), Bad, "does not know the kernel", "install")
}

func TestTemporaryFolder(t *testing.T) {
	p := patient(t)
	check(t, p.temporaryFolder(t.Context()), Good, os.TempDir(), "")
	t.Setenv("TMPDIR", filepath.Join(t.TempDir(), "none"))
	check(t, p.temporaryFolder(t.Context()), Bad, "no such file", "TMPDIR")
}

func TestTemporaryFolderWithoutExecution(t *testing.T) {
	dir := t.TempDir()
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "noexec", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Skipf("cannot mount a folder without execution: %v: %s", err, out)
	}
	t.Cleanup(func() { exec.Command("umount", dir).Run() })
	t.Setenv("TMPDIR", dir)
	check(t, patient(t).temporaryFolder(t.Context()), Bad, "programs do not run in "+dir, "noexec")
}

func TestJupyter(t *testing.T) {
	p := patient(t)
	ours := filepath.Dir(install.CPU.File(p.Jupyter))
	list := func(folder string) string {
		return fmt.Sprintf(`echo '{"kernelspecs":{"autoblm-cpu":{"resource_dir":%q}}}'`, folder)
	}
	debian := func(data ...string) string {
		folders, err := json.Marshal(map[string][]string{"data": data})
		if err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`[ "$1" = --paths ] || { echo "Jupyter command jupyter-kernelspec not found." >&2; exit 1; }; echo '%s'`, folders)
	}
	other := t.TempDir()
	if err := os.CopyFS(filepath.Join(other, "kernels"), os.DirFS(filepath.Join(p.Jupyter, "kernels"))); err != nil {
		t.Fatal(err)
	}
	for name, test := range map[string]struct {
		script     string // of a program that acts as Jupyter
		level      Level
		says, mend string
	}{
		"absent":    {"", Note, "not installed", "apt install"},
		"sees ours": {list(ours), Good, "sees the kernels", ""},
		"elsewhere": {list("/other"), Bad, "from /other", "remove the folder /other"},
		"blind":     {`echo '{"kernelspecs":{}}'`, Bad, "does not see the kernel autoblm-cpu", "--user-dir"},
		"broken":    {"exit 3", Note, "works: exit status 3", "install it anew"},
		"babbling":  {"echo hello", Note, "neither", "install it anew"},
		// Debian has the command kernelspec in a package of its own.
		"Debian":           {debian(p.Jupyter), Good, "sees the kernels", ""},
		"Debian elsewhere": {debian(t.TempDir(), other, p.Jupyter), Bad, "from " + other, "remove the folder " + other},
		"Debian blind":     {debian(t.TempDir()), Bad, "does not see the kernel autoblm-cpu", "--user-dir"},
	} {
		t.Run(name, func(t *testing.T) {
			bin := t.TempDir()
			if test.script != "" {
				if err := os.WriteFile(filepath.Join(bin, "jupyter"), []byte("#!/bin/sh\n"+test.script+"\n"), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			t.Setenv("PATH", bin)
			check(t, p.jupyter(t.Context()), test.level, test.says, test.mend)
		})
	}
}

func TestKernel(t *testing.T) {
	for name, test := range map[string]struct {
		variant    install.Variant
		imports    string
		variables  map[string]string
		argv       []string
		level      Level
		says, mend string
	}{
		"no Go":        {variant: install.CPU, variables: map[string]string{"PATH": "/nonexistent"}, level: Bad, says: "finds no Go", mend: "go.dev/dl"},
		"not primed":   {variant: install.CPU, imports: "gonum.org/v1/gonum/mat", level: Bad, says: "cells do not build without a network", mend: "install"},
		"cells fail":   {variant: install.CPU, level: Bad, says: "a cell fails: unknown command %%", mend: "install"},
		"dies":         {variant: install.CPU, argv: []string{"/bin/sh", "-c", "echo no luck; exit 1"}, level: Bad, says: "no luck", mend: "install"},
		"no compiler":  {variant: install.CUDA, variables: map[string]string{"CC": "/nonexistent/cc"}, level: Note, says: "there is no /nonexistent/cc", mend: "gcc"},
		"CUDA is less": {variant: install.CUDA, variables: map[string]string{"CC": "true"}, level: Note, says: "a cell fails", mend: "install"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := patient(t)
			module := "package env\n\nimport _ \"" + cmp.Or(test.imports, "fmt") + "\"\n"
			if err := os.WriteFile(filepath.Join(p.Home.Module(), "deps.go"), []byte(module), 0o644); err != nil {
				t.Fatal(err)
			}
			spec := kerneltest.Spec()
			spec.Env["GOPROXY"], spec.Env["GOMODCACHE"], spec.Env["GOFLAGS"] = "off", t.TempDir(), "-modcacherw"
			for name, value := range test.variables {
				spec.Env[name] = value
			}
			if test.argv != nil {
				spec.Argv = test.argv
			}
			findings := p.kernel(t.Context(), test.variant, spec)
			check(t, findings[len(findings)-1], test.level, test.says, test.mend)
		})
	}
}

func TestCUDAPlugin(t *testing.T) {
	const jax = "/usr/lib/python3.12/site-packages/jax_plugins/xla_cuda13/xla_cuda_plugin.so"
	plugin, text := probetest.Plugin(), []byte("no library")
	for name, c := range map[string]struct {
		files      map[string][]byte
		backend    string
		level      Level
		says, mend string
	}{
		"none":             {nil, "xla:cuda", Note, "no CUDA plugin", "autoblm backend install cuda"},
		"by name":          {map[string][]byte{"/p/pjrt_c_api_cuda_plugin.so": plugin}, "xla:cuda", Good, "/p/pjrt_c_api_cuda_plugin.so", ""},
		"by name, broken":  {map[string][]byte{"/p/pjrt_c_api_cuda_plugin.so": text}, "xla:cuda", Note, "no shared library", "autoblm backend install cuda"},
		"by path":          {map[string][]byte{jax: plugin}, "xla:" + jax, Good, jax, ""},
		"by path, gone":    {nil, "xla:" + jax, Note, "does not exist", "autoblm backend install cuda"},
		"Jax's by name":    {map[string][]byte{jax: plugin}, "xla:cuda", Note, "Jax", "--cuda-plugin " + jax},
		"only for the CPU": {map[string][]byte{"/p/pjrt_c_api_cpu_plugin.so": plugin}, "xla:cuda", Note, "no CUDA plugin", "autoblm backend install cuda"},
	} {
		t.Run(name, func(t *testing.T) {
			machine := probetest.Machine(map[string]string{probe.PluginPaths: "/p"}, c.files)
			spec := kernelspec.Spec{Env: map[string]string{"GOMLX_BACKEND": c.backend}}
			check(t, cudaPlugin(machine, install.CUDA, spec), c.level, c.says, c.mend)
		})
	}
}

// TestCUDA looks at this machine, with the variables of the kernel before its own.
func TestCUDA(t *testing.T) {
	plugin := filepath.Join(t.TempDir(), "pjrt_c_api_cuda_plugin.so")
	if err := os.WriteFile(plugin, nil, 0o644); err != nil {
		t.Fatal(err)
	}
	spec := kernelspec.Spec{Env: map[string]string{"GOMLX_BACKEND": "xla:cuda", probe.PluginPaths: filepath.Dir(plugin), "CUDA_VISIBLE_DEVICES": "-1"}}
	findings := cuda(t.Context(), install.CUDA, spec)
	if len(findings) != 2 {
		t.Fatalf("findings %v", findings)
	}
	check(t, findings[0], Note, "CUDA_VISIBLE_DEVICES", "use the CPU kernel")
	check(t, findings[1], Note, plugin, "install cuda")
}

// patient is an installation of which only the manifest, an empty module and the
// specs are there.
func patient(t *testing.T) Patient {
	t.Helper()
	p := Patient{
		Home:    install.Home(filepath.Join(t.TempDir(), "home")),
		Jupyter: t.TempDir(),
		Pins:    install.Pins{ToolsMod: []byte("\tgithub.com/janpfeifer/gonb v0.11.5\n\tgolang.org/x/tools v0.48.0\n\tgolang.org/x/tools/gopls v0.23.0\n")},
	}
	for _, folder := range []string{p.Home.Module(), filepath.Dir(p.Home.Program("x"))} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.Home.Module(), "go.mod"), []byte("module autoblm.invalid/cells\n\ngo 1.26\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	writeManifest(t, p.Home, install.Manifest{Library: install.Library{Version: "v1.2.3"}})
	for _, v := range install.Variants() {
		file := v.File(p.Jupyter)
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		spec := kernelspec.Spec{Argv: []string{p.Home.Program("gonb"), "--kernel", "{connection_file}", "-logtostderr=true", "-raw_error=true", "-go_work=" + p.Home.Module()}}
		if err := spec.Write(file); err != nil {
			t.Fatal(err)
		}
	}
	return p
}

func writeManifest(t *testing.T, home install.Home, m install.Manifest) {
	t.Helper()
	content, err := json.Marshal(m)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(string(home), "installed.json"), content, 0o644); err != nil {
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

func check(t *testing.T, f Finding, level Level, says, mend string) {
	t.Helper()
	if f.Level != level || !strings.Contains(f.Says, says) || !strings.Contains(f.Mend, mend) || (mend == "") != (f.Mend == "") && level == Good {
		t.Errorf("%s %s: %q, %q; want %s with %q, %q", f.Level, f.Subject, f.Says, f.Mend, level, says, mend)
	}
}
