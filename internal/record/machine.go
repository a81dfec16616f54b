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

// Machine tells of the machine, as "linux/amd64, 16 cores of an Intel Xeon, NVIDIA
// H200 (140 GiB)", with the GPUs that took part.
func Machine(gpus []probe.GPU) string {
	text := fmt.Sprintf("%s/%s, %s", runtime.GOOS, runtime.GOARCH, format.Count(runtime.NumCPU(), "core"))
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

// processor is the model of the processor, as " of an X", or "".
func processor(cpuinfo string) string {
	for line := range strings.Lines(cpuinfo) {
		if name, value, _ := strings.Cut(line, ":"); strings.TrimSpace(name) == "model name" {
			return " of " + strings.TrimSpace(value)
		}
	}
	return ""
}

// modules are those whose versions count, by the names that they get.
var modules = map[string]string{
	"github.com/gomlx/gomlx":   "gomlx",
	"github.com/gomlx/compute": "compute",
	"github.com/gomlx/go-xla":  "go-xla",
}

// Versions are of what took part, by name: this program, Go, GoMLX, and, where the
// backend is not GoMLX's own, its plugin and the driver of the GPUs. Name is the
// backend's, or "" where there was none.
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
			all["plugin"] = strings.TrimSpace(fmt.Sprintf("%s, PJRT %s", cmp.Or(b.Version, path.Base(b.Plugin)), b.PJRT))
		}
	}
	return all
}

var folders = regexp.MustCompile(`(^|[\s:=,'"])/[^\s,]*/`)

// HidePaths leaves of absolute paths in a text only their ends: what comes before is
// of no use on another machine.
func HidePaths(text string) string { return folders.ReplaceAllString(text, "$1…/") }
