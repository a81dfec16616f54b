//go:build !cgo || noxla || !((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"strings"
	"testing"
)

// TestBuiltWithoutXLA checks that all functions report the missing XLA and its fix.
func TestBuiltWithoutXLA(t *testing.T) {
	texts := map[string]string{}
	for _, b := range List(t.Context()) {
		if b.Name != Go {
			texts["list "+b.Name] = b.Reason + "; " + b.Fix
		}
	}
	for _, backend := range []string{"xla:cpu", "xla:cuda", "xla:/any/plugin.so"} {
		_, chooseErr := Choose(backend)
		_, openErr := Open(backend)
		if chooseErr == nil || openErr == nil {
			t.Fatalf("%s: errors %v, %v", backend, chooseErr, openErr)
		}
		texts["choose "+backend], texts["open "+backend] = chooseErr.Error(), openErr.Error()
	}
	_, err := Install(t.Context(), "cpu", nil)
	if err == nil {
		t.Fatal("Install installs a plugin that the program cannot use")
	}
	texts["install"] = err.Error()
	for name, text := range texts {
		if !strings.Contains(text, "built without XLA") || !strings.Contains(text, "CGO_ENABLED=1") {
			t.Errorf("%s: %q", name, text)
		}
	}
}
