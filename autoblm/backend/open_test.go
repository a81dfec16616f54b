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

func TestTooFewDevices(t *testing.T) {
	for present, want := range map[int]string{
		0: "it has no devices; use another backend",
		1: "devices=2, but it has only 1 device; use at most devices=1",
	} {
		if err := tooFewDevices(present, 2); err.Error() != want {
			t.Errorf("%v, want %s", err, want)
		}
	}
}
