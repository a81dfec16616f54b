// Package xlatest gives tests access to XLA if a plugin is installed.
package xlatest

import (
	"cmp"
	"fmt"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// variable is the environment variable that names a backend for tests other than XLA on the CPU,
// such as "xla:cuda,tf32=false". Tests need the precision of float32.
const variable = "AUTOBLM_TEST_XLA"

// Backend returns the name of the XLA backend for tests: the CPU, unless the environment names
// another. It skips the test without a plugin. A plugin that cannot be loaded fails the test that
// opens it.
func Backend(t testing.TB) string {
	t.Helper()
	choice, err := backend.Choose(cmp.Or(os.Getenv(variable), backend.CPU))
	if err != nil {
		t.Skipf("no XLA: %v", err)
	}
	return choice.Backend
}

// Devices returns the name of the backend of [Backend] with a number of devices. It skips the test
// if they are GPUs and the machine has fewer.
func Devices(t testing.TB, n int) string {
	t.Helper()
	name := Backend(t)
	if isGPU(name) && len(probe.This().GPUs(t.Context())) < n {
		t.Skipf("fewer than %d GPUs", n)
	}
	return fmt.Sprintf("%s,devices=%d", name, n)
}

// NeedSameBits skips a test if the backend does not reproduce bits. A GPU sums scattered gradients
// in no fixed order.
func NeedSameBits(t testing.TB, backend string) {
	t.Helper()
	if isGPU(backend) {
		t.Skip("a GPU adds in no fixed order")
	}
}

func isGPU(backend string) bool {
	plugin, _, _ := strings.Cut(backend, ",")
	return probe.IsCUDA(path.Base(plugin))
}
