package install

import (
	"cmp"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

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
		"PATH":          strings.Join(path, string(os.PathListSeparator)),
		"GOMODCACHE":    t.ModuleCache,
		"GOCACHE":       t.BuildCache,
		"GOTOOLCHAIN":   "local",
		"GOWORK":        "",
		"GOPROXY":       "off",
		"GOFLAGS":       v.GoFlags,
		"CGO_ENABLED":   "0",
		"GOMLX_BACKEND": "go",
	}
	if v.NeedsC {
		variables["CGO_ENABLED"] = "1"
		variables["GOMLX_BACKEND"] = "xla:" + cmp.Or(plugin, "cuda")
		variables["GOMLX_NO_AUTO_INSTALL"] = "1"
		if paths := os.Getenv(PluginPaths); paths != "" {
			variables[PluginPaths] = paths
		}
	}
	return kernelspec.Spec{
		Argv: []string{
			home.Program("gonb"), "--kernel", kernelspec.ConnectionFile,
			"-logtostderr=true",
			"-raw_error=true", // errors as text, not as HTML
			"-go_work=" + home.Module(),
		},
		DisplayName:   v.Title,
		Language:      "go",
		InterruptMode: kernelspec.InterruptByMessage,
		Env:           variables,
	}
}

// PluginPaths is the variable with the folders in which XLA looks for plugins.
const PluginPaths = "PJRT_PLUGIN_LIBRARY_PATH"

// FindCUDAPlugin is the plugin that XLA would take, or empty: it looks in the
// folders that go-xla looks in.
func FindCUDAPlugin() string {
	folders := filepath.SplitList(os.Getenv(PluginPaths))
	if len(folders) == 0 {
		if home, err := os.UserHomeDir(); err == nil {
			folders = append(folders, filepath.Join(home, ".local", "lib", "go-xla"))
		}
		folders = append(folders, "/usr/local/lib/go-xla")
		for _, f := range slices.Clone(folders) {
			folders = append(folders, filepath.Join(f, "nvidia"))
		}
	}
	for _, folder := range folders {
		for _, pattern := range []string{"pjrt_c_api_*cuda*_plugin.so", "pjrt[-_]plugin[-_]*cuda*.so"} {
			if found, _ := filepath.Glob(filepath.Join(folder, pattern)); len(found) > 0 {
				return found[0]
			}
		}
	}
	return ""
}
