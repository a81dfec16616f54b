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
	if t.HasC() { // the kernels share what is compiled when both have C, or both have not
		variables["CGO_ENABLED"] = "1"
	}
	if v.NeedsC {
		variables["GOMLX_BACKEND"] = "xla:" + cmp.Or(plugin, "cuda")
		variables["GOMLX_NO_AUTO_INSTALL"] = "1"
		if paths := os.Getenv(PluginPaths); paths != "" {
			variables[PluginPaths] = paths
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

// PluginPaths is the variable with the folders in which XLA looks for plugins.
const PluginPaths = "PJRT_PLUGIN_LIBRARY_PATH"

// FindCUDAPlugin is the plugin that XLA takes in a kernel with these variables, or
// empty. It looks where go-xla looks.
func FindCUDAPlugin(variables map[string]string) string {
	if file := strings.TrimPrefix(variables["GOMLX_BACKEND"], "xla:"); filepath.IsAbs(file) {
		if _, err := os.Stat(file); err != nil {
			return ""
		}
		return file
	}
	folders := filepath.SplitList(cmp.Or(variables[PluginPaths], os.Getenv(PluginPaths)))
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
