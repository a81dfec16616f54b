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

// The names that need no path.
const (
	Auto = "auto"
	Go   = "go"
	CPU  = "xla:cpu"
	CUDA = "xla:cuda"
)

// name is the name of a backend in its parts.
type name struct {
	xla bool
	// plugin of XLA: its name, its absolute path, or "" for the best one.
	plugin string
	// options without the comma before them.
	options string
}

// Check says what is wrong with a name by itself, whatever is found here. "auto"
// and "" are right.
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
	if !slices.Contains(namesOfXLA, kind) {
		return name{}, enum.Unknown("backend", backend, []string{Auto, Go, CPU, CUDA, "xla:/path/of/plugin.so"})
	}
	plugin, options, _ := strings.Cut(rest, ",")
	if strings.ContainsAny(plugin, `/\`) && !filepath.IsAbs(plugin) {
		mend := "xla:/path/of/plugin.so"
		if path, err := filepath.Abs(plugin); err == nil {
			mend = "xla:" + path
		}
		return name{}, fmt.Errorf("the backend %q has no absolute path: write %s", backend, mend)
	}
	for option := range strings.SplitSeq(options, ",") {
		if err := checkOption(option); err != nil {
			return name{}, fmt.Errorf("the backend %q: %w", backend, err)
		}
	}
	return name{xla: true, plugin: plugin, options: options}, nil
}

// namesOfXLA are all that GoMLX has for it.
var namesOfXLA = []string{"xla", "stablehlo", "hlo", "shlo"}

// optionsOfXLA are those of go-xla's package compute/xla, which would print a
// report of its own about one that it does not know.
var optionsOfXLA = map[string]func(value string) error{
	"tf32":                isTrueOrFalse,
	"shared_buffers":      isTrueOrFalse,
	"preallocate":         isTrueOrFalse,
	"use_tfrt_gpu_client": isTrueOrFalse,
	"memory_fraction":     isShare,
	"allocator":           isAnything,
	"visible_devices":     areNumbers,
}

// checkOption checks one option, as "tf32=false", "tf32" or "notf32".
func checkOption(option string) error {
	key, value, _ := strings.Cut(option, "=")
	check, known := optionsOfXLA[key]
	if !known && value == "" {
		check, known = optionsOfXLA[strings.TrimPrefix(key, "no")]
	}
	switch {
	case option == "":
		return nil
	case !known:
		return enum.Unknown("option", key, slices.Sorted(maps.Keys(optionsOfXLA)))
	}
	if err := check(value); err != nil {
		return fmt.Errorf("the option %q: %w", option, err)
	}
	return nil
}

func isTrueOrFalse(value string) error {
	if _, err := strconv.ParseBool(value); err != nil && value != "" {
		return fmt.Errorf("write true or false after the =")
	}
	return nil
}

func isShare(value string) error {
	if share, err := strconv.ParseFloat(value, 32); err != nil || !(share > 0 && share <= 1) {
		return fmt.Errorf("write a number above 0 and up to 1 after the =")
	}
	return nil
}

func areNumbers(value string) error {
	for number := range strings.FieldsFuncSeq(value, func(r rune) bool { return r == ';' || r == ':' || r == ' ' }) {
		if _, err := strconv.ParseInt(number, 10, 64); err != nil {
			return fmt.Errorf("write numbers with ; between them after the =, as 0;1")
		}
	}
	return nil
}

func isAnything(string) error { return nil }
