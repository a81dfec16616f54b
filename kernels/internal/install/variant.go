package install

import (
	"cmp"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/kernels/internal/kernelspec"
)

// Variant is one of the kernels.
type Variant struct {
	Name    string // of the folder of its spec
	Title   string // what Jupyter shows
	NeedsC  bool   // its cells are compiled with C
	GoFlags string
}

// The kernels. Without XLA a cell links in a third of the time; "-w" leaves out
// what only a debugger reads.
var (
	CPU  = Variant{Name: "autoblm-cpu", Title: "AutoBLM (Go, CPU)", GoFlags: "-buildvcs=false -tags=noxla -ldflags=-w"}
	CUDA = Variant{Name: "autoblm-cuda", Title: "AutoBLM (Go, CUDA)", NeedsC: true, GoFlags: "-buildvcs=false -ldflags=-w"}
)

// File is where its spec lies in Jupyter's folder.
func (v Variant) File(jupyter string) string { return kernelspec.File(jupyter, v.Name) }

// Variants are the kernels for this system.
func Variants() []Variant {
	if runtime.GOOS == "linux" {
		return []Variant{CPU, CUDA}
	}
	return []Variant{CPU}
}

// spec is the spec of a kernel. Jupyter may be started from anywhere, with any
// settings, so the spec says where everything is.
func (v Variant) spec(home Home, t Toolchain, plugin string) kernelspec.Spec {
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
		"GOWORK":      "",
		"GOPROXY":     "off",
		"GOFLAGS":     v.GoFlags,
		"CGO_ENABLED": "0",
		// What GoMLX runs on by itself; the library is free to choose.
		"GOMLX_BACKEND":   "go",
		"AUTOBLM_BACKEND": "auto",
	}
	if t.HasC() { // the kernels share what is compiled when both have C, or both have not
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
	return kernelspec.Spec{
		Argv:          argv(home),
		DisplayName:   v.Title,
		Language:      "go",
		InterruptMode: kernelspec.InterruptByMessage,
		Env:           variables,
	}
}

// argv is the command that starts a kernel.
func argv(home Home) []string {
	return []string{
		home.Program("gonb"), "--kernel", kernelspec.ConnectionFile,
		"-logtostderr=true",
		"-raw_error=true", // errors as text, not as HTML
		"-go_work=" + home.Module(),
	}
}

// Starts says whether a spec starts a kernel of this home.
func (h Home) Starts(spec kernelspec.Spec) bool { return slices.Equal(spec.Argv, argv(h)) }
