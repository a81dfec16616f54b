//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package gomlx

import (
	"fmt"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

func openXLA(config string) (compute.Backend, error) {
	xla.EnableAutoInstall(false) // a plugin is downloaded only when a user asks for it
	backend, err := xla.New(config)
	if err != nil {
		return nil, fmt.Errorf("%w: name an installed PJRT plugin by its absolute path, as xla:/opt/plugins/pjrt_c_api_cpu_plugin.so", err)
	}
	return backend, nil
}
