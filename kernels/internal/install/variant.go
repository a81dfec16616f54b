package install

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// Variant is one of the kernels.
type Variant struct {
	Name    string // folder of the kernel spec
	Title   string // name in Jupyter
	NeedsC  bool   // cells need a C compiler
	GoFlags string
}

// The kernels. Cells link three times as fast without XLA. The flag -w omits debug symbols.
var (
	CPU = Variant{
		Name: "autoblm-cpu", Title: "AutoBLM (Go, CPU)",
		GoFlags: "-buildvcs=false -tags=noxla -ldflags=-w",
	}
	CUDA = Variant{
		Name: "autoblm-cuda", Title: "AutoBLM (Go, CUDA)",
		GoFlags: "-buildvcs=false -ldflags=-w", NeedsC: true,
	}
)

// File returns the path of the kernel spec in Jupyter's data folder.
func (v Variant) File(jupyter string) string {
	return filepath.Join(jupyter, "kernels", v.Name, "kernel.json")
}

// Variants returns the kernels for this operating system.
func Variants() []Variant {
	if runtime.GOOS == "linux" {
		return []Variant{CPU, CUDA}
	}
	return []Variant{CPU}
}

// spec returns the kernel spec. It sets all paths and variables, because Jupyter can
// start from any folder with any environment.
func (v Variant) spec(home Home, t Toolchain, plugin string) Spec {
	path := []string{home.programs(), t.binaries()}
	for dir := range strings.SplitSeq(os.Getenv("PATH"), string(os.PathListSeparator)) {
		if dir != "" && !slices.Contains(path, dir) {
			path = append(path, dir)
		}
	}
	variables := map[string]string{
		"PATH":        strings.Join(path, string(os.PathListSeparator)),
		"GOMODCACHE":  t.ModuleCache,
		"GOCACHE":     t.BuildCache,
		"GOTOOLCHAIN": "local",
		"GO111MODULE": "on",
		"GOWORK":      "",
		"GOPROXY":     "off",
		"GOFLAGS":     v.GoFlags,
		"CGO_ENABLED": "0",
		// Cells that use GoMLX directly run on its own backend; the library chooses freely.
		"GOMLX_BACKEND":   "go",
		"AUTOBLM_BACKEND": "auto",
	}
	if t.HasC() { // with the same setting the kernels share compiled packages
		variables["CGO_ENABLED"] = "1"
	}
	if v.NeedsC {
		variables["GOMLX_BACKEND"] = "xla:" + cmp.Or(plugin, "cuda")
		variables["AUTOBLM_BACKEND"] = variables["GOMLX_BACKEND"]
		variables["GOMLX_NO_AUTO_INSTALL"] = "1"
		if paths := os.Getenv(probe.PluginPaths); paths != "" {
			variables[probe.PluginPaths] = paths
		}
	}
	return Spec{
		Argv:          argv(home),
		DisplayName:   v.Title,
		Language:      "go",
		InterruptMode: "message",
		Env:           variables,
	}
}

// argv returns the command that starts a kernel.
func argv(home Home) []string {
	return []string{
		home.Program("gonb"), "--kernel", "{connection_file}",
		"-logtostderr=true",
		"-raw_error=true", // reports errors as text instead of HTML
		"-go_work=" + home.Module(),
	}
}

// Starts reports whether a spec starts a kernel of this home.
func (h Home) Starts(spec Spec) bool { return slices.Equal(spec.Argv, argv(h)) }
