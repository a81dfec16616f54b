//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"cmp"
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
	gocmp "github.com/google/go-cmp/cmp"
)

// compile compiles a C file to a shared library.
func compile(t *testing.T, source, library string) {
	t.Helper()
	headers := filepath.Join(goXLA(t), "pjrt")
	compiler := cmp.Or(os.Getenv("CC"), "cc")
	if err := os.MkdirAll(filepath.Dir(library), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(compiler, "-shared", "-fPIC", "-I"+headers, "-o", library, source)
	if out, err := command.CombinedOutput(); err != nil {
		t.Skipf("cannot compile a library: %v: %s", err, out)
	}
}

// rerun runs a test of this program in another process and returns its output. go-xla
// reads its variables at program start, and logs to standard error.
func rerun(t *testing.T, test string, variables ...string) (stdout, stderr string) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	env := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, probe.PluginPaths+"=")
	})
	command.Env = append(env, append(variables, inChild+"=1")...)
	var out, messages strings.Builder
	command.Stdout, command.Stderr = &out, &messages
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), messages.String())
	}
	return out.String(), messages.String()
}

const inChild = "AUTOBLM_TEST_CHILD"

// TestLoadAndOpen loads a plugin that has a version but no device.
func TestLoadAndOpen(t *testing.T) {
	cuda := filepath.Join(t.TempDir(), "gcpuser", "cuda", "pjrt_c_api_cuda_plugin.so")
	compile(t, filepath.Join("testdata", "plugin.c"), cuda)
	if version, err := loadPlugin(cuda); err != nil || version != "7.11" {
		t.Errorf("version %q, %v, want that of the plugin, 7.11", version, err)
	}
	_, err := Open("xla:" + cuda + ",tf32=false,memory_fraction=0.5")
	if err == nil {
		t.Fatal("a plugin without a device opens")
	}
	for _, part := range []string{cuda, "no device for me", "preallocate", "memory_fraction"} {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("opening without a device: %v, want %q", err, part)
		}
	}

	f := here()
	env := f.machine.Env
	f.machine.Env = func(name string) (string, bool) {
		if name == probe.PluginPaths {
			return filepath.Dir(cuda), true
		}
		return env(name)
	}
	f.machine.Files = withGPU{f.machine.Files}
	b := listByName(t, f)[CUDA]
	if !b.Usable || b.Plugin != cuda || b.PJRT != "7.11" {
		t.Errorf("listed: %+v", b)
	}
}

// withGPU adds a GPU to the files of this machine.
type withGPU struct{ fs.FS }

func (f withGPU) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "dev" {
		machine := probetest.Machine(nil, map[string][]byte{gpuFile: nil})
		return fs.ReadDir(machine.Files, name)
	}
	return fs.ReadDir(f.FS, name)
}

// TestNotAPlugin checks the errors of go-xla, and that it logs nothing.
func TestNotAPlugin(t *testing.T) {
	if os.Getenv(inChild) == "" {
		if _, stderr := rerun(t, t.Name()); stderr != "" {
			t.Errorf("go-xla logs %q", stderr)
		}
		return
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "none.c")
	if err := os.WriteFile(source, []byte("int another(void) { return 1; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	library := filepath.Join(dir, "pjrt_c_api_cpu_plugin.so")
	text := filepath.Join(dir, "pjrt_c_api_text_plugin.so")
	compile(t, source, library)
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{library, text} {
		_, loadErr := loadPlugin(file)
		_, openErr := openXLA(probe.Plugin{Name: "cpu", Path: file}, "", 1)
		for _, err := range []error{loadErr, openErr} {
			if err == nil {
				t.Fatalf("%s passes for a plugin", file)
			}
			checkText(t, file, err.Error(), []string{file})
		}
		_, err := Open("xla:" + file)
		if err == nil || !strings.Contains(err.Error(), "absolute path of a PJRT plugin") {
			t.Errorf("opening %s by path: %v", file, err)
		}
	}
}

// TestPluginsAgreeWithGoXLA checks that the plugins found without loading are those that
// go-xla finds by loading, if all files are plugins.
func TestPluginsAgreeWithGoXLA(t *testing.T) {
	if os.Getenv(inChild) != "" {
		if err := json.NewEncoder(os.Stdout).Encode(pjrt.AvailablePlugins()); err != nil {
			t.Fatal(err)
		}
		return
	}
	home, library, chosen := t.TempDir(), t.TempDir(), t.TempDir()
	folder := filepath.Join(home, ".local", "lib", "go-xla")
	support, err := installer.DefaultHomeLibPath()
	if err == nil && strings.Contains(support, "Library") {
		folder = filepath.Join(home, "Library", "Application Support", "go-xla")
	}
	for _, file := range []string{
		filepath.Join(folder, "pjrt_c_api_cpu_v0.114.0_plugin.so"),
		filepath.Join(folder, "pjrt-plugin-one.so"),
		filepath.Join(library, "pjrt_plugin_two.so"),
		filepath.Join(library, "pjrt-plugin-one.so"),
		filepath.Join(chosen, "pjrt_c_api_three_plugin.so"),
	} {
		compile(t, filepath.Join("testdata", "plugin.c"), file)
	}
	link := filepath.Join(folder, "pjrt_c_api_cpu_plugin.so")
	if err := os.Symlink("pjrt_c_api_cpu_v0.114.0_plugin.so", link); err != nil {
		t.Fatal(err)
	}
	for _, variables := range []map[string]string{
		{"HOME": home, "LD_LIBRARY_PATH": library},
		{"HOME": home, "PJRT_PLUGIN_LIBRARY_PATH": chosen},
		{"HOME": home, "PJRT_PLUGIN_LIBRARY_PATH": library + ":" + folder},
		{"HOME": home, "PJRT_PLUGIN_LIBRARY_PATH": ""},
	} {
		var list []string
		for name, value := range variables {
			list = append(list, name+"="+value)
		}
		stdout, _ := rerun(t, t.Name(), list...)
		_, stdout, _ = strings.Cut(stdout, "{")
		var theirs map[string]string
		if err := json.NewDecoder(strings.NewReader("{" + stdout)).Decode(&theirs); err != nil {
			t.Fatal(err)
		}
		delete(theirs, "cpu_v0.114.0") // another name of the same file

		m := probe.This()
		env := m.Env
		m.Env = func(name string) (string, bool) {
			if value, set := variables[name]; set || name == probe.PluginPaths {
				return value, set
			}
			return env(name)
		}
		ours := map[string]string{}
		for _, p := range m.Plugins() {
			if _, there := ours[p.Name]; !there {
				ours[p.Name] = p.Path
			}
		}
		if diff := gocmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%v: %s", variables, diff)
		}
	}
}

// TestInstallWithoutNetwork checks that Install keeps installed plugins if a proxy is
// unreachable.
func TestInstallWithoutNetwork(t *testing.T) {
	if os.Getenv(inChild) == "" {
		home := t.TempDir()
		before := filepath.Join(home, ".local", "lib", "go-xla", "nvidia", "pjrt_c_api_cuda_plugin.so")
		if err := os.MkdirAll(filepath.Dir(before), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(before, []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
		const nobody = "http://127.0.0.1:1"
		rerun(t, t.Name(), "HOME="+home, "XDG_CACHE_HOME="+home, "HTTPS_PROXY="+nobody,
			"https_proxy="+nobody, "NO_PROXY=", "no_proxy=", "PIP_INDEX_URL=")
		if _, err := os.Stat(before); err != nil {
			t.Error("the installed plugin is gone: ", err)
		}
		return
	}
	for _, plugin := range []string{"cpu", "cuda12", "cuda13"} {
		if len(here().wheels(plugin)) == 0 {
			continue
		}
		_, err := Install(t.Context(), plugin, nil)
		if err == nil {
			t.Fatalf("%s: installed without a network", plugin)
		}
		checkText(t, plugin, err.Error(), []string{"pypi.org", "download failed", "HTTPS_PROXY"})
	}
}

// goXLA returns the folder with the source code of go-xla.
func goXLA(t *testing.T) string {
	t.Helper()
	list := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla")
	module, err := list.Output()
	if err != nil {
		t.Skip("the source code of go-xla is missing: ", err)
	}
	return strings.TrimSpace(string(module))
}

// TestOpenDevices checks that XLA on the CPU makes as many devices as asked for, and the error if
// there are fewer.
func TestOpenDevices(t *testing.T) {
	if _, err := Choose(CPU); err != nil {
		t.Skipf("no XLA: %v", err)
	}
	b, err := Open(CPU + ",devices=3")
	if err != nil {
		t.Fatal(err)
	}
	if got := b.NumDevices(); got != 3 {
		t.Errorf("%d devices, want 3", got)
	}
	b.Finalize()

	plugin, _ := here().find(t.Context(), "cpu")
	other := filepath.Join(t.TempDir(), "pjrt_c_api_other_plugin.so") // its devices are not made
	if err := os.Symlink(plugin.Path, other); err != nil {
		t.Fatal(err)
	}
	_, err = Open("xla:" + other + ",devices=999")
	if err == nil || !strings.Contains(err.Error(), "devices=999, but it has only") {
		t.Errorf("too many devices: %v", err)
	}
}
