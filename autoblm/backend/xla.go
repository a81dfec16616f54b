//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/installer"
	"github.com/gomlx/go-xla/pjrt"
	"k8s.io/klog/v2"
)

// noXLA is nil because this program has XLA.
var noXLA *probe.Problem

// openXLA opens XLA with a plugin. XLA on the CPU makes as many devices as asked for; other plugins
// have those of the machine. openXLA passes the path of the plugin, because go-xla's
// search by name loads each file with a plugin's name and crashes if it is not a plugin.
func openXLA(
	plugin probe.Plugin, options string, devices int,
) (opened compute.Backend, err error) {
	xla.EnableAutoInstall(false) // only Install downloads plugins
	config := plugin.Path
	if options != "" {
		config += "," + options
	}
	if plugin.CUDA() && !strings.Contains(options, "shared_buffers") {
		// go-xla takes a path that contains "cpu", such as /home/gcpuser/..., for the CPU.
		config += ",shared_buffers=false"
	}
	create := pjrt.NamedValuesMap{}
	if devices > 1 && plugin.CPU() {
		create["cpu_device_count"] = int64(devices)
	}
	withoutLog(func() { opened, err = xla.NewWithOptions(config, create) })
	return opened, err
}

// loadPlugin loads a plugin and returns its version of the PJRT interface, such as "0.104".
func loadPlugin(path string) (version string, err error) {
	var plugin *pjrt.Plugin
	withoutLog(func() { plugin, err = pjrt.GetPlugin(path) })
	if err != nil {
		return "", err
	}
	major, minor := plugin.Version()
	return fmt.Sprintf("%d.%d", major, minor), nil
}

// withoutLog keeps go-xla from logging the errors that it returns.
func withoutLog(f func()) {
	state := klog.CaptureState()
	defer state.Restore()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	f()
}

// defaultFolder returns go-xla's folder of plugins.
func defaultFolder() (string, error) {
	library, err := installer.DefaultHomeLibPath()
	return filepath.Join(library, "go-xla"), err
}
