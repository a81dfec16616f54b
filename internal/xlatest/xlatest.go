// Package xlatest gives tests XLA on the CPU, where a plugin of it is at hand.
package xlatest

import (
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/backend"
)

// CPU is the name of the backend XLA on the CPU, of which the plugin is found as any
// program finds it. Without one the test is skipped; one that is found and cannot be
// loaded fails whatever opens it.
func CPU(t testing.TB) string {
	t.Helper()
	choice, err := backend.Choose(backend.CPU)
	if err != nil {
		t.Skipf("no XLA: %v", err)
	}
	return choice.Backend
}
