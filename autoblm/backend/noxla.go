//go:build !cgo || noxla || !((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
	"github.com/gomlx/compute"
)

// noXLA is the reason why this program has no XLA.
var noXLA = &probe.Problem{
	Reason: "this program was built without XLA",
	Fix: "build it on Linux, or on macOS on arm64, with cgo (a C compiler, CGO_ENABLED=1) " +
		"and without the tag noxla",
}

func defaultFolder() (string, error) { return "", noXLA }

func openXLA(probe.Plugin, string, int) (compute.Backend, error) { return nil, noXLA }

func loadPlugin(string) (string, error) { return "", noXLA }
