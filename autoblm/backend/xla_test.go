//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"encoding/json"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe/probetest"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
	"github.com/google/go-cmp/cmp"
)

// compile makes a shared library of a file of C.
func compile(t *testing.T, source, library string) {
	t.Helper()
	module := goXLA(t)
	compiler := os.Getenv("CC")
	if compiler == "" {
		compiler = "cc"
	}
	if err := os.MkdirAll(filepath.Dir(library), 0o755); err != nil {
		t.Fatal(err)
	}
	command := exec.Command(compiler, "-shared", "-fPIC", "-I"+filepath.Join(module, "pjrt"), "-o", library, source)
	if printed, err := command.CombinedOutput(); err != nil {
		t.Skipf("no library can be compiled here: %v: %s", err, printed)
	}
}

// again runs a test of this program in another process, whose standard error it
// returns, too: go-xla reads its variables when it starts, and logs to there.
func again(t *testing.T, test string, variables ...string) (stdout, stderr string) {
	t.Helper()
	command := exec.Command(os.Args[0], "-test.run=^"+test+"$", "-test.v")
	own := slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, probe.PluginPaths+"=") }) // as of whoever runs the tests on a plugin
	command.Env = append(own, append(variables, inChild+"=1")...)
	var out, messages strings.Builder
	command.Stdout, command.Stderr = &out, &messages
	if err := command.Run(); err != nil {
		t.Fatalf("%v: %s%s", err, out.String(), messages.String())
	}
	return out.String(), messages.String()
}

const inChild = "AUTOBLM_TEST_CHILD"

// TestLoadAndOpen: a plugin that can be loaded tells its version; one without a
// device says so when it is opened, with the options that it was given.
func TestLoadAndOpen(t *testing.T) {
	dir := t.TempDir()
	cuda := filepath.Join(dir, "gcpuser", "cuda", "pjrt_c_api_cuda_plugin.so")
	compile(t, filepath.Join("testdata", "plugin.c"), cuda)
	if version, err := loadPlugin(cuda); err != nil || version != "7.11" {
		t.Errorf("version %q, %v, want 7.11, which the plugin says", version, err)
	}
	_, err := Open("xla:" + cuda + ",tf32=false,memory_fraction=0.5")
	if err == nil || !strings.Contains(err.Error(), cuda) || !strings.Contains(err.Error(), "no device for me") || !strings.Contains(err.Error(), "preallocate") || !strings.Contains(err.Error(), "memory_fraction") {
		t.Errorf("opened without a device: %v", err)
	}

	rows := map[string]Backend{}
	f := here()
	env := f.machine.Env
	f.machine.Env = func(name string) (string, bool) {
		if name == probe.PluginPaths {
			return filepath.Dir(cuda), true
		}
		return env(name)
	}
	f.machine.Files = withGPU{f.machine.Files}
	for _, b := range f.list(t.Context()) {
		rows[b.Name] = b
	}
	if b := rows[CUDA]; !b.Usable || b.Plugin != cuda || b.PJRT != "7.11" {
		t.Errorf("listed: %+v", b)
	}
}

// withGPU is this machine's files and a GPU.
type withGPU struct{ fs.FS }

func (f withGPU) ReadDir(name string) ([]fs.DirEntry, error) {
	if name == "dev" {
		return fs.ReadDir(probetest.Machine(nil, map[string][]byte{gpuFile: nil}).Files, name)
	}
	return fs.ReadDir(f.FS, name)
}

// TestLibraryThatIsNoPlugin: go-xla's own error comes out readable, and nothing
// else does.
func TestLibraryThatIsNoPlugin(t *testing.T) {
	if os.Getenv(inChild) == "" {
		if _, stderr := again(t, t.Name()); stderr != "" {
			t.Errorf("go-xla printed %q beside its error", stderr)
		}
		return
	}
	dir := t.TempDir()
	source := filepath.Join(dir, "none.c")
	if err := os.WriteFile(source, []byte("int another(void) { return 1; }\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	library, text := filepath.Join(dir, "pjrt_c_api_cpu_plugin.so"), filepath.Join(dir, "pjrt_c_api_text_plugin.so")
	compile(t, source, library)
	if err := os.WriteFile(text, []byte("no library"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{library, text} {
		if _, err := loadPlugin(file); err == nil || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
			t.Errorf("loading %s: %v", file, err)
		}
		if _, err := openXLA(probe.Plugin{Name: "cpu", Path: file}, ""); err == nil || !strings.Contains(err.Error(), file) || strings.Contains(err.Error(), "\n") {
			t.Errorf("opening %s: %v", file, err)
		}
		if _, err := Open("xla:" + file); err == nil || !strings.Contains(err.Error(), "absolute path of a PJRT plugin") {
			t.Errorf("opening by name: %v", err)
		}
	}
}

// TestSearchIsThatOfGoXLA: where no file is broken, the plugins found without
// loading are those that go-xla finds by loading.
func TestSearchIsThatOfGoXLA(t *testing.T) {
	if os.Getenv(inChild) != "" {
		if err := json.NewEncoder(os.Stdout).Encode(pjrt.AvailablePlugins()); err != nil {
			t.Fatal(err)
		}
		return
	}
	home, library, chosen := t.TempDir(), t.TempDir(), t.TempDir()
	folder := filepath.Join(home, ".local", "lib", "go-xla")
	if support, err := installer.DefaultHomeLibPath(); err == nil && strings.Contains(support, "Library") {
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
	if err := os.Symlink("pjrt_c_api_cpu_v0.114.0_plugin.so", filepath.Join(folder, "pjrt_c_api_cpu_plugin.so")); err != nil {
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
		stdout, _ := again(t, t.Name(), list...)
		_, stdout, _ = strings.Cut(stdout, "{")
		var theirs map[string]string
		if err := json.NewDecoder(strings.NewReader("{" + stdout)).Decode(&theirs); err != nil {
			t.Fatal(err)
		}
		delete(theirs, "cpu_v0.114.0") // a second name of the same file

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
			if _, there := ours[p.Name]; !there && !p.Jax {
				ours[p.Name] = p.Path
			}
		}
		if diff := cmp.Diff(theirs, ours); diff != "" {
			t.Errorf("%v: %s", variables, diff)
		}
	}
}

// TestInstallerWithoutNetwork: the real installer, behind a proxy that is not
// there, leaves what was installed as it was.
func TestInstallerWithoutNetwork(t *testing.T) {
	if os.Getenv(inChild) == "" {
		home := t.TempDir()
		before := filepath.Join(home, ".local", "lib", "go-xla", "nvidia", "pjrt_c_api_cuda_plugin.so")
		if err := os.MkdirAll(filepath.Dir(before), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(before, []byte("precious"), 0o644); err != nil {
			t.Fatal(err)
		}
		nobody := "http://127.0.0.1:1"
		again(t, t.Name(), "HOME="+home, "XDG_CACHE_HOME="+home, "HTTPS_PROXY="+nobody, "https_proxy="+nobody, "NO_PROXY=", "no_proxy=",
			"PIP_INDEX_URL=")
		if _, err := os.Stat(before); err != nil {
			t.Error("what was installed is gone: ", err)
		}
		return
	}
	release := InstallOptions{SHA256: strings.Repeat("0", 64)}
	if _, err := Install(t.Context(), "cpu", release); err == nil || !strings.Contains(err.Error(), "github.com") || strings.Contains(err.Error(), "\n") {
		t.Errorf("the release: %v", err)
	}
	for _, what := range installable {
		if _, err := Install(t.Context(), what, InstallOptions{}); err == nil || !strings.Contains(err.Error(), "pypi.org") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", what, err)
		}
	}
}

// TestPinnedVersion: the releases are of the version that go-xla was tested with.
func TestPinnedVersion(t *testing.T) {
	for system, r := range pinned().Releases {
		if !strings.Contains(r.URL, "/"+pjrt.DefaultCPUVersion+"/") {
			t.Errorf("%s is %v, which is not of version %s: see the command in folder pin", system, r, pjrt.DefaultCPUVersion)
		}
	}
}

// goXLA is the folder with the sources of go-xla.
func goXLA(t *testing.T) string {
	t.Helper()
	module, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/gomlx/go-xla").Output()
	if err != nil {
		t.Skip("the sources of go-xla are not at hand: ", err)
	}
	return strings.TrimSpace(string(module))
}

// TestCalledPJRT: go-xla was made with the version that we say, and calls nothing but
// PJRT_Buffer_Bitcast that the oldest one compared lacks; the backend of GoMLX does not.
func TestCalledPJRT(t *testing.T) {
	read := func(file string) string {
		content, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(content)
	}
	module := goXLA(t)
	header := read(filepath.Join(module, "pjrt", "pjrt_c_api.h"))
	number := func(name string) string {
		return regexp.MustCompile(`#define ` + name + ` (\d+)`).FindStringSubmatch(header)[1]
	}
	if got := number("PJRT_API_MAJOR") + "." + number("PJRT_API_MINOR"); got != calledPJRT {
		t.Errorf("go-xla was made with %s, not %s", got, calledPJRT)
	}
	there := strings.Fields(read(filepath.Join("testdata", "pjrt-"+comparedPJRT+".txt")))
	missing := map[string]bool{}
	sources, err := filepath.Glob(filepath.Join(module, "pjrt", "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	calls := 0
	for _, file := range sources {
		for _, call := range regexp.MustCompile(`C\.call_(PJRT_\w+)\(`).FindAllStringSubmatch(read(file), -1) {
			calls++
			if !slices.Contains(there, call[1]) {
				missing[call[1]] = true
			}
		}
	}
	if calls < 30 || len(missing) != 1 || !missing["PJRT_Buffer_Bitcast"] {
		t.Errorf("of %d calls the version %s lacks %v", calls, comparedPJRT, missing)
	}
	engine, err := filepath.Glob(filepath.Join(module, "compute", "xla", "*.go"))
	if err != nil || len(engine) == 0 {
		t.Fatalf("%v, %v", engine, err)
	}
	for _, file := range engine {
		if strings.Contains(read(file), ".Bitcast(") {
			t.Errorf("%s calls Bitcast", file)
		}
	}
}
