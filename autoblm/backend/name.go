package backend

import (
	"errors"
	"fmt"
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
	options string // for go-xla or GoMLX's own backend
	devices Devices
}

// Devices says how many devices of one process a backend uses, and how.
type Devices struct {
	// Count is 1, or the value of the option devices.
	Count int
	// Shard is true with the option shard: models are spread over the devices even if they fit
	// into the memory of one.
	Shard bool
}

// DevicesOf returns the devices of a valid backend.
func DevicesOf(backend string) Devices {
	n, err := parse(backend)
	if err != nil {
		return Devices{Count: 1}
	}
	return n.devices
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
	if isGo, _, _ := strings.Cut(kind, ","); isGo == Go && strings.Contains(backend, "devices=") {
		return name{}, fmt.Errorf("backend %q: the backend go has no devices; use %s or %s",
			backend, CPU, CUDA)
	}
	if kind == Go {
		return name{options: rest, devices: Devices{Count: 1}}, nil
	}
	if !slices.Contains(xlaNames, kind) {
		known := []string{Auto, Go, CPU, CUDA, "xla:/path/of/plugin.so"}
		if of, options, found := strings.Cut(kind, ","); found && slices.Contains(xlaNames, of) {
			return name{}, fmt.Errorf("backend %q lacks a plugin before its options; use xla:cuda,%s "+
				"or xla:cpu,%s", backend, options, options)
		}
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
	options, devices, err := cutDevices(options)
	if err != nil {
		return name{}, fmt.Errorf("backend %q: %w", backend, err)
	}
	return name{xla: true, plugin: plugin, options: options, devices: devices}, nil
}

// cutDevices removes the options devices and shard, which go-xla does not know.
func cutDevices(options string) (rest string, devices Devices, err error) {
	devices.Count = 1
	others := slices.DeleteFunc(strings.Split(options, ","), func(option string) bool {
		if option == "shard" {
			devices.Shard = true
			return true
		}
		count, found := strings.CutPrefix(option, "devices=")
		if found && err == nil {
			if devices.Count, err = strconv.Atoi(count); err != nil || devices.Count < 1 {
				err = fmt.Errorf("%s is not a number of devices; use devices=2 or more", count)
			}
		}
		return found
	})
	if err == nil && devices.Shard && devices.Count == 1 {
		err = errors.New("shard needs several devices; add devices=2 or more")
	}
	return strings.Join(others, ","), devices, err
}

// xlaNames lists GoMLX's names of XLA.
var xlaNames = []string{"xla", "stablehlo", "hlo", "shlo"}
