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

// noXLA is nil: this program has XLA.
var noXLA *probe.Problem

// openXLA opens XLA with a plugin. It names the plugin by its path, for go-xla's
// search by name loads whatever is named like a plugin, and crashes on what is none.
func openXLA(plugin probe.Plugin, options string) (opened compute.Backend, err error) {
	xla.EnableAutoInstall(false) // a plugin is downloaded only when a user asks for it
	config := plugin.Path
	if options != "" {
		config += "," + options
	}
	if plugin.CUDA() && !strings.Contains(options, "shared_buffers") {
		// A path such as /home/gcpuser/... makes go-xla believe that it is on the CPU.
		config += ",shared_buffers=false"
	}
	quietly(func() { opened, err = xla.New(config) })
	return opened, err
}

// loadPlugin loads a plugin and says for which version of the PJRT interface it
// was built, as "0.104".
func loadPlugin(path string) (version string, err error) {
	var plugin *pjrt.Plugin
	quietly(func() { plugin, err = pjrt.GetPlugin(path) })
	if err != nil {
		return "", err
	}
	major, minor := plugin.Version()
	return fmt.Sprintf("%d.%d", major, minor), nil
}

// quietly keeps go-xla from logging errors which it returns, too.
func quietly(work func()) {
	state := klog.CaptureState()
	defer state.Restore()
	klog.LogToStderr(false)
	klog.SetOutput(io.Discard)
	work()
}

// ownFolder is where go-xla installs plugins.
func ownFolder() (string, error) {
	library, err := installer.DefaultHomeLibPath()
	return filepath.Join(library, "go-xla"), err
}
