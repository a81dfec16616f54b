package backend

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/autoblm/autoblm-go/internal/enum"
)

// The names of backends without a path.
const (
	Auto = "auto"
	Go   = "go"
	CPU  = "xla:cpu"
	CUDA = "xla:cuda"
)

// name is a parsed name of a backend.
type name struct {
	xla bool
	// plugin is the name or absolute path of an XLA plugin, or "" for the best one.
	plugin  string
	options string
}

// Check returns an error if a name is invalid on every machine. "auto" and "" are valid.
func Check(backend string) error {
	if backend == "" || backend == Auto {
		return nil
	}
	_, err := parse(backend)
	return err
}

func parse(backend string) (name, error) {
	kind, rest, _ := strings.Cut(backend, ":")
	if kind == Go {
		return name{options: rest}, nil
	}
	if !slices.Contains(xlaNames, kind) {
		known := []string{Auto, Go, CPU, CUDA, "xla:/path/of/plugin.so"}
		return name{}, enum.Unknown("backend", backend, known)
	}
	plugin, options, _ := strings.Cut(rest, ",")
	if strings.ContainsAny(plugin, `/\`) && !filepath.IsAbs(plugin) {
		fix := "xla:/path/of/plugin.so"
		if path, err := filepath.Abs(plugin); err == nil {
			fix = "xla:" + path
		}
		return name{}, fmt.Errorf("the path of the backend %q is relative; use %s", backend, fix)
	}
	return name{xla: true, plugin: plugin, options: options}, nil
}

// xlaNames lists GoMLX's names of XLA.
var xlaNames = []string{"xla", "stablehlo", "hlo", "shlo"}
