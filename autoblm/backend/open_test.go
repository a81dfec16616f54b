package backend

import "testing"

func TestOpenGo(t *testing.T) {
	for _, backend := range []string{"go", "go:ops_sequential"} {
		b, err := Open(backend)
		if err != nil {
			t.Fatal(err)
		}
		b.Finalize()
	}
}

func TestOpenFails(t *testing.T) {
	for backend, want := range map[string]string{
		"":                     "unknown backend",
		"auto":                 "unknown backend",
		"abacus":               "unknown backend",
		"go:abacus":            "abacus",
		"xla:/nowhere/cuda.so": "/nowhere/cuda.so",
	} {
		_, err := Open(backend)
		if err == nil {
			t.Errorf("%q: no error", backend)
			continue
		}
		checkText(t, backend, err.Error(), []string{want})
	}
}
