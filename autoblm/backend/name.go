package backend

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
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
	for option := range strings.SplitSeq(options, ",") {
		if err := checkOption(option); err != nil {
			return name{}, fmt.Errorf("the backend %q: %w", backend, err)
		}
	}
	return name{xla: true, plugin: plugin, options: options}, nil
}

// xlaNames lists GoMLX's names of XLA.
var xlaNames = []string{"xla", "stablehlo", "hlo", "shlo"}

// xlaOptions has a check for the value of each option of go-xla's package compute/xla,
// which would print its own report of an unknown option.
var xlaOptions = map[string]func(value string) error{
	"tf32":                checkBool,
	"shared_buffers":      checkBool,
	"preallocate":         checkBool,
	"use_tfrt_gpu_client": checkBool,
	"memory_fraction":     checkFraction,
	"allocator":           func(string) error { return nil },
	"visible_devices":     checkNumbers,
}

// checkOption checks an option such as "tf32=false", "tf32" or "notf32".
func checkOption(option string) error {
	key, value, _ := strings.Cut(option, "=")
	check, known := xlaOptions[key]
	if !known && value == "" {
		check, known = xlaOptions[strings.TrimPrefix(key, "no")]
	}
	switch {
	case option == "":
		return nil
	case !known:
		return enum.Unknown("option", key, slices.Sorted(maps.Keys(xlaOptions)))
	}
	if err := check(value); err != nil {
		return fmt.Errorf("the option %q: %w", option, err)
	}
	return nil
}

func checkBool(value string) error {
	if _, err := strconv.ParseBool(value); err != nil && value != "" {
		return fmt.Errorf("the value must be true or false")
	}
	return nil
}

func checkFraction(value string) error {
	if x, err := strconv.ParseFloat(value, 32); err != nil || !(x > 0 && x <= 1) {
		return fmt.Errorf("the value must be above 0 and at most 1")
	}
	return nil
}

func checkNumbers(value string) error {
	separators := func(r rune) bool { return r == ';' || r == ':' || r == ' ' }
	for number := range strings.FieldsFuncSeq(value, separators) {
		if _, err := strconv.ParseInt(number, 10, 64); err != nil {
			return fmt.Errorf("the value must be numbers separated by semicolons, as in 0;1")
		}
	}
	return nil
}
