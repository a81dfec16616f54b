package record

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/autoblm/autoblm-go/internal/format"
	"github.com/dustin/go-humanize"
)

// Machine describes the machine with its GPUs, such as "linux/amd64, 16 cores of Intel Xeon, NVIDIA
// H200 (140 GiB)".
func Machine(gpus []probe.GPU) string {
	cores := format.Count(runtime.NumCPU(), "core")
	text := fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, cores)
	if information, err := os.ReadFile("/proc/cpuinfo"); err == nil {
		text += processor(string(information))
	}
	for _, g := range gpus {
		text += ", " + g.Name
		if g.Memory > 0 {
			text += fmt.Sprintf(" (%s)", humanize.IBytes(uint64(g.Memory)))
		}
	}
	return text
}

// processor returns the model of the processor, such as " of X", or "".
func processor(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return " of " + strings.TrimSpace(value)
		}
	}
	return ""
}

// modules are the short names of modules whose versions are recorded.
var modules = map[string]string{
	"github.com/gomlx/gomlx":   "gomlx",
	"github.com/gomlx/compute": "compute",
	"github.com/gomlx/go-xla":  "go-xla",
}

// Versions returns versions by name: of this program, Go and GoMLX, of the GPU driver, and of the
// plugin of a GoMLX backend. name is the name of the backend, or "".
func Versions(ctx context.Context, name string, gpus []probe.GPU) map[string]string {
	all := map[string]string{"go": runtime.Version()}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, m := range info.Deps {
			if short := modules[m.Path]; short != "" {
				all[short] = m.Version
			}
		}
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				all["autoblm"] = s.Value
			}
		}
	}
	if len(gpus) > 0 && gpus[0].Driver != "" {
		all["driver"] = gpus[0].Driver
	}
	if name == "" || name == backend.Go {
		return all
	}
	wanted, _, _ := strings.Cut(name, ",")
	for _, b := range backend.List(ctx) {
		if b.Usable && (b.Name == wanted || "xla:"+b.Plugin == wanted) {
			version := cmp.Or(b.Version, path.Base(b.Plugin))
			all["plugin"] = strings.TrimSpace(fmt.Sprintf("%s, PJRT %s", version, b.PJRT))
		}
	}
	return all
}

var folders = regexp.MustCompile(`(^|[\s:=,'"])/[^\s,]*/`)

// HidePaths shortens absolute paths in a text to their last element, because folders differ between
// machines.
func HidePaths(text string) string { return folders.ReplaceAllString(text, "$1…/") }
