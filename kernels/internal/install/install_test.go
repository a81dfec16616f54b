package install

import (
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/require"
	"github.com/google/go-cmp/cmp"
)

// TestFindLibrary also runs with the modules of Go switched off in the environment.
func TestFindLibrary(t *testing.T) {
	t.Setenv("GO111MODULE", "off")
	toolchain, err := FindToolchain(t.Context())
	require.NoError(t, err)
	checkout, err := filepath.Abs(filepath.Join("..", "..", ".."))
	require.NoError(t, err)
	want := Library{Checkout: checkout}
	if got, err := FindLibrary(t.Context(), toolchain, "."); err != nil || got != want {
		t.Errorf("inside of a checkout: %v, %v", got, err)
	}
	other := t.TempDir()
	for _, module := range []string{"", "module " + LibraryModule + "/other\n"} {
		if module != "" {
			put(t, filepath.Join(other, "go.mod"), module)
		}
		_, err := FindLibrary(t.Context(), toolchain, other)
		require.Error(t, err, "outside of a checkout")
	}
}

func TestLibraryVersion(t *testing.T) {
	library := debug.Module{Path: LibraryModule, Version: "v1.2.3", Sum: "h1:x"}
	noSum := debug.Module{Path: LibraryModule, Version: "v1.2.4-0.20260101000000-abcdefabcdef"}
	replaced := library
	replaced.Replace = &debug.Module{Path: "../autoblm-go"}
	other := debug.Module{Path: "example.com/mine"}
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"go run of a release": {debug.BuildInfo{Main: library}, "v1.2.3"},
		"in a checkout":       {debug.BuildInfo{Main: noSum}, ""},
		"in a module that requires it": {
			debug.BuildInfo{Main: other, Deps: []*debug.Module{&library}}, "v1.2.3",
		},
		"in a module that replaces it": {
			debug.BuildInfo{Main: other, Deps: []*debug.Module{&replaced}}, "",
		},
		"in an unrelated program": {debug.BuildInfo{Main: other}, ""},
	} {
		if got := libraryVersion(&test.info); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestPinnedVersions(t *testing.T) {
	p := Pins{ToolsMod: []byte(`require golang.org/x/tools v0.48.0

require (
	github.com/janpfeifer/gonb v0.11.5 // indirect
	golang.org/x/tools/gopls v0.23.0
)
tool (
	golang.org/x/tools/gopls
)
`)}
	for i, want := range []string{"v0.11.5", "v0.48.0", "v0.23.0"} {
		if got, err := p.Version(Tools[i]); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", Tools[i].Name, got, err, want)
		}
	}
	if _, err := (Pins{}).Version(Tools[0]); err == nil {
		t.Error("empty pins have a version")
	}
}

func TestSpec(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/opt/go/bin::/bin")
	t.Setenv(probe.PluginPaths, "/plugins")
	home := Home("/h")
	toolchain := Toolchain{Root: "/opt/go", ModuleCache: "/mod", BuildCache: "/build"}
	cpu, cuda := CPU.spec(home, toolchain, ""), CUDA.spec(home, toolchain, "")
	if got, want := cpu.Env["PATH"], "/h/bin:/opt/go/bin:/usr/bin:/bin"; got != want {
		t.Errorf("PATH %s, want %s", got, want)
	}
	for name, want := range map[string]string{
		"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOMODCACHE": "/mod", "GOCACHE": "/build",
		"GO111MODULE": "on",
	} {
		if cpu.Env[name] != want || cuda.Env[name] != want {
			t.Errorf("%s: %q and %q, want %q", name, cpu.Env[name], cuda.Env[name], want)
		}
	}
	if !strings.Contains(cpu.Env["GOFLAGS"], "noxla") ||
		strings.Contains(cuda.Env["GOFLAGS"], "noxla") {
		t.Error("only the CPU kernel should have the tag noxla")
	}
	for name, want := range map[string]string{
		"GOMLX_NO_AUTO_INSTALL": "1", "GOMLX_BACKEND": "xla:cuda", probe.PluginPaths: "/plugins",
	} {
		if cuda.Env[name] != want {
			t.Errorf("CUDA: %s is %q, want %q", name, cuda.Env[name], want)
		}
	}
	for _, name := range []string{"GOMLX_BACKEND", "AUTOBLM_BACKEND"} {
		got := CUDA.spec(home, toolchain, "/p/xla_cuda_plugin.so").Env[name]
		if got != "xla:/p/xla_cuda_plugin.so" {
			t.Errorf("with a plugin: %s is %s", name, got)
		}
	}
	if cpu.Env["GOMLX_BACKEND"] != "go" || cpu.Env["AUTOBLM_BACKEND"] != "auto" {
		t.Errorf("CPU: backends %q and %q", cpu.Env["GOMLX_BACKEND"], cpu.Env["AUTOBLM_BACKEND"])
	}
	if !home.Starts(cpu) || Home("/other").Starts(cpu) {
		t.Error("a spec should start its own home and no other")
	}
	file := filepath.Join(t.TempDir(), "kernel.json")
	require.NoError(t, cpu.Write(file))
	if got, err := ReadSpec(file); err != nil || cmp.Diff(cpu, got) != "" {
		t.Errorf("written and read: %v, %s", err, cmp.Diff(cpu, got))
	}
	put(t, file, "{")
	_, err := ReadSpec(file)
	require.Error(t, err, file)
}

// TestJupyterFolder follows the table of
// https://docs.jupyter.org/en/latest/use/jupyter-directories.html.
func TestJupyterFolder(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("other folders")
	}
	for _, test := range []struct{ own, data, want string }{
		{"", "", "/home/u/.local/share/jupyter"},
		{"", "/data", "/data/jupyter"},
		{"/j", "/data", "/j"},
	} {
		t.Setenv("HOME", "/home/u")
		t.Setenv("XDG_DATA_HOME", test.data)
		t.Setenv("JUPYTER_DATA_DIR", test.own)
		if got, err := JupyterFolder(); err != nil || got != test.want {
			t.Errorf("%v: %q, %v", test, got, err)
		}
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	require.NoError(t, os.WriteFile(path, []byte(content), 0o644))
}
