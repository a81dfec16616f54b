// Package xlatest gives tests XLA, where a plugin of it is at hand.
package xlatest

import (
	"cmp"
	"os"
	"path"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/backend/probe"
)

// variable names what tests run on in the place of XLA on the CPU, as
// "xla:cuda,tf32=false": tests hold sums to what float32 needs.
const variable = "AUTOBLM_TEST_XLA"

// Backend is the name of the backend that tests run XLA on: the CPU, unless the environment
// has another. Its plugin is found as any program finds it. Without one the test is skipped;
// one that is found and cannot be loaded fails whatever opens it.
func Backend(t testing.TB) string {
	t.Helper()
	choice, err := backend.Choose(cmp.Or(os.Getenv(variable), backend.CPU))
	if err != nil {
		t.Skipf("no XLA: %v", err)
	}
	return choice.Backend
}

// NeedSameBits skips a test of what gives the same bits twice where the backend does not: on
// a GPU the sums of scattered gradients have no fixed order.
func NeedSameBits(t testing.TB, backend string) {
	t.Helper()
	plugin, _, _ := strings.Cut(backend, ",")
	if probe.IsCUDA(path.Base(plugin)) {
		t.Skip("a GPU adds in no fixed order")
	}
}
