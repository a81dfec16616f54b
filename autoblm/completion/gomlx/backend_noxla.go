//go:build !cgo || noxla || !((linux && (amd64 || arm64)) || (darwin && arm64))

package gomlx

import (
	"errors"

	"github.com/gomlx/compute"
)

func openXLA(string) (compute.Backend, error) {
	return nil, errors.New("this program was built without XLA: build it with cgo (a C compiler, CGO_ENABLED=1) and without the tag noxla")
}
