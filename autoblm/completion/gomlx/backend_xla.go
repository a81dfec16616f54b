//go:build cgo && !noxla && ((linux && (amd64 || arm64)) || (darwin && arm64))

package gomlx

import (
	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
)

func openXLA(config string) (compute.Backend, error) {
	xla.EnableAutoInstall(false) // a plugin is downloaded only when a user asks for it
	return xla.New(config)
}
