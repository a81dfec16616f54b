package install

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/google/go-cmp/cmp"
)

func TestFindLibrary(t *testing.T) {
	checkout := t.TempDir()
	put(t, filepath.Join(checkout, "go.mod"), "// A comment.\nmodule "+LibraryModule+"\n\ngo 1.26\n")
	inside := filepath.Join(checkout, "kernels", "internal")
	if err := os.MkdirAll(inside, 0o755); err != nil {
		t.Fatal(err)
	}
	want := Library{Checkout: checkout}
	if got, err := FindLibrary(inside); err != nil || got != want {
		t.Errorf("inside of a checkout: %v, %v", got, err)
	}
	if got, err := AtCheckout(checkout); err != nil || got != want {
		t.Errorf("at a checkout: %v, %v", got, err)
	}
	other := t.TempDir()
	put(t, filepath.Join(other, "go.mod"), "module "+LibraryModule+"/other\n")
	here, err := AtCheckout(filepath.Join("..", "..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	if got, err := FindLibrary(other); err != nil || got != here {
		t.Errorf("in another module: %v, %v; this program was built in %v", got, err, here)
	}
	t.Chdir(other)
	if got, want := Command(), "go run -C "+here.Checkout+" ./kernels"; got != want {
		t.Errorf("from another module one runs %q, want %q", got, want)
	}
	t.Chdir(here.Checkout)
	if got := Command(); got != "go run ./kernels" {
		t.Errorf("in a checkout one runs %q", got)
	}
	if got, err := AtCheckout(inside); err == nil {
		t.Errorf("%v is no checkout", got)
	}
}

func TestReleased(t *testing.T) {
	library := debug.Module{Path: LibraryModule, Version: "v1.2.3", Sum: "h1:x"}
	unsummed := debug.Module{Path: LibraryModule, Version: "v1.2.4-0.20260101000000-abcdefabcdef"}
	replaced := library
	replaced.Replace = &debug.Module{Path: "../autoblm-go"}
	other := debug.Module{Path: "example.com/mine"}
	for name, test := range map[string]struct {
		info debug.BuildInfo
		want string
	}{
		"go run of a release":           {debug.BuildInfo{Main: library}, "v1.2.3"},
		"in a checkout":                 {debug.BuildInfo{Main: unsummed}, ""},
		"in a module that requires it":  {debug.BuildInfo{Main: other, Deps: []*debug.Module{&library}}, "v1.2.3"},
		"in a module that replaces it":  {debug.BuildInfo{Main: other, Deps: []*debug.Module{&replaced}}, ""},
		"in a program of another's own": {debug.BuildInfo{Main: other}, ""},
	} {
		if got := released(&test.info); got != test.want {
			t.Errorf("%s: %q, want %q", name, got, test.want)
		}
	}
}

func TestPinnedVersions(t *testing.T) {
	p := Pins{ToolsMod: []byte("require golang.org/x/tools v0.48.0\n\nrequire (\n\tgithub.com/janpfeifer/gonb v0.11.5 // indirect\n\tgolang.org/x/tools/gopls v0.23.0\n)\ntool (\n\tgolang.org/x/tools/gopls\n)\n")}
	for i, want := range []string{"v0.11.5", "v0.48.0", "v0.23.0"} {
		if got, err := p.Version(Tools[i]); err != nil || got != want {
			t.Errorf("%s: %s, %v; want %s", Tools[i].Name, got, err, want)
		}
	}
	if _, err := (Pins{}).Version(Tools[0]); err == nil {
		t.Error("no pins, but a version")
	}
}

func TestImports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "my[home]")
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Join(dir, "a.go"), string(imports("env", []string{"fmt", "example.com/a b"})))
	put(t, filepath.Join(dir, "b.go"), "package env\n\nimport x \"os\"\n\nvar y = x.Args\n")
	got, err := importable(dir)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"fmt", "example.com/a b", "os"}, got); diff != "" {
		t.Error(diff)
	}
	if _, err := importable(t.TempDir()); err == nil {
		t.Error("an empty folder has imports")
	}
}

func TestSpec(t *testing.T) {
	t.Setenv("PATH", "/usr/bin:/opt/go/bin::/bin")
	t.Setenv(probe.PluginPaths, "/plugins")
	home, toolchain := Home("/h"), Toolchain{Root: "/opt/go", ModuleCache: "/mod", BuildCache: "/build"}
	cpu, cuda := CPU.spec(home, toolchain, ""), CUDA.spec(home, toolchain, "")
	if got, want := cpu.Env["PATH"], "/h/bin:/opt/go/bin:/usr/bin:/bin"; got != want {
		t.Errorf("PATH %s, want %s", got, want)
	}
	for name, want := range map[string]string{"GOPROXY": "off", "GOTOOLCHAIN": "local", "GOMODCACHE": "/mod", "GOCACHE": "/build"} {
		if cpu.Env[name] != want || cuda.Env[name] != want {
			t.Errorf("%s: %q and %q, want %q", name, cpu.Env[name], cuda.Env[name], want)
		}
	}
	if !strings.Contains(cpu.Env["GOFLAGS"], "noxla") || strings.Contains(cuda.Env["GOFLAGS"], "noxla") {
		t.Error("the tag noxla is for the CPU kernel only")
	}
	if cuda.Env["GOMLX_NO_AUTO_INSTALL"] == "" || cuda.Env["GOMLX_BACKEND"] != "xla:cuda" || cuda.Env[probe.PluginPaths] != "/plugins" {
		t.Errorf("variables %v", cuda.Env)
	}
	for _, name := range []string{"GOMLX_BACKEND", "AUTOBLM_BACKEND"} {
		if got := CUDA.spec(home, toolchain, "/p/xla_cuda_plugin.so").Env[name]; got != "xla:/p/xla_cuda_plugin.so" {
			t.Errorf("%s is %s", name, got)
		}
	}
	if cpu.Env["GOMLX_BACKEND"] != "go" || cpu.Env["AUTOBLM_BACKEND"] != "auto" {
		t.Errorf("on the CPU, GoMLX runs on %q and the library on %q", cpu.Env["GOMLX_BACKEND"], cpu.Env["AUTOBLM_BACKEND"])
	}
	if !home.Starts(cpu) || Home("/other").Starts(cpu) {
		t.Error("a spec starts its own home, and no other")
	}
}

func TestUninstallLeavesTheRest(t *testing.T) {
	base := t.TempDir()
	home, jupyter := Home(filepath.Join(base, "data", "kernels")), filepath.Join(base, "jupyter")
	i := installation{Settings: Settings{Home: home, Jupyter: jupyter}}
	if err := os.Mkdir(jupyter, 0o755); err != nil { // was there before
		t.Fatal(err)
	}
	for _, folder := range []string{string(home), home.programs(), home.tools()} {
		if err := i.folder(folder); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := i.specs(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(home.Module(), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{home.Program("gonb"), filepath.Join(home.tools(), "go.mod"), filepath.Join(home.Module(), "deps.go")} {
		put(t, file, "x")
	}
	mine := []string{filepath.Join(jupyter, "kernels", "mine", "kernel.json"), CPU.File(jupyter), home.Program("mine")}
	for _, file := range mine { // of the CPU kernel, somebody has made another
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		put(t, file, `{"argv":["/mine"]}`)
	}
	if err := Uninstall(home, func(string) {}); err != nil {
		t.Fatal(err)
	}
	var left []string
	err := filepath.WalkDir(base, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			left = append(left, path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	slices.Sort(mine)
	slices.Sort(left)
	if diff := cmp.Diff(mine, left); diff != "" {
		t.Errorf("what is left (-want +got):\n%s", diff)
	}
	if err := os.Remove(home.Program("mine")); err != nil {
		t.Fatal(err)
	}
	if err := Uninstall(home, func(string) {}); err == nil || !strings.Contains(err.Error(), "nothing is installed") {
		t.Errorf("uninstalled twice: %v", err)
	}
}

func TestUninstallRemovesItsFolders(t *testing.T) {
	base := t.TempDir()
	home := Home(filepath.Join(base, "data", "kernels"))
	i := installation{Settings: Settings{Home: home, Jupyter: filepath.Join(base, "share", "jupyter")}}
	if err := i.folder(string(home)); err != nil {
		t.Fatal(err)
	}
	for range 2 { // installed again, it still knows what it made
		if _, err := i.specs(t.Context()); err != nil {
			t.Fatal(err)
		}
		var err error
		if i.manifest, err = previous(home); err != nil {
			t.Fatal(err)
		}
	}
	if err := Uninstall(home, func(string) {}); err != nil {
		t.Fatal(err)
	}
	if left, err := os.ReadDir(base); err != nil || len(left) > 0 {
		t.Errorf("left %v, %v", left, err)
	}
}

func TestManifests(t *testing.T) {
	home := Home(t.TempDir())
	if _, err := ReadManifest(home); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	put(t, home.manifest(), "{")
	if _, err := previous(home); err == nil || !strings.Contains(err.Error(), home.manifest()) {
		t.Errorf("error %v", err)
	}
}

func put(t *testing.T, path, content string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}
