//go:build !cgo || noxla || !((linux && (amd64 || arm64)) || (darwin && arm64))

package backend

import (
	"strings"
	"testing"
)

// TestBuiltWithoutXLA: the program says so, and how to build another.
func TestBuiltWithoutXLA(t *testing.T) {
	said := map[string]string{}
	for _, b := range List(t.Context()) {
		said["row "+b.Name] = b.Reason + ": " + b.Fix
	}
	delete(said, "row go")
	for _, backend := range []string{"xla:cpu", "xla:cuda", "xla:/any/plugin.so"} {
		_, err := Choose(backend)
		_, opened := Open(backend)
		if err == nil || opened == nil {
			t.Fatalf("%s: %v, %v", backend, err, opened)
		}
		said["choice of "+backend], said["opened "+backend] = err.Error(), opened.Error()
	}
	_, err := Install(t.Context(), "cpu", InstallOptions{})
	if err == nil {
		t.Fatal("a plugin was installed that the program cannot use")
	}
	said["install"] = err.Error()
	for what, text := range said {
		if !strings.Contains(text, "built without XLA") || !strings.Contains(text, "CGO_ENABLED=1") {
			t.Errorf("%s: %q", what, text)
		}
	}
}
