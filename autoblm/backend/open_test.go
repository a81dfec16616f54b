package backend

import (
	"strings"
	"testing"
)

func TestOpenGo(t *testing.T) {
	for _, backend := range []string{"go", "go:ops_sequential"} {
		b, err := Open(backend)
		if err != nil {
			t.Fatal(err)
		}
		b.Finalize()
	}
}

func TestOpenInVain(t *testing.T) {
	for backend, says := range map[string]string{
		"":                     "unknown backend",
		"auto":                 "unknown backend",
		"abacus":               "unknown backend",
		"go:abacus":            "abacus",
		"xla:/nowhere/cuda.so": "/nowhere/cuda.so",
	} {
		_, err := Open(backend)
		if err == nil || !strings.Contains(err.Error(), says) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v, which should say %q in one line", backend, err, says)
		}
	}
}
