package backend

import (
	"path/filepath"
	"testing"
)

func TestCheck(t *testing.T) {
	here, err := filepath.Abs("plugins/cuda.so")
	if err != nil {
		t.Fatal(err)
	}
	for _, backend := range []string{
		"", "auto", "go", "go:ops_sequential", "xla", "xla:cpu", "xla:cuda", "xla:tpu",
		"stablehlo:cpu", "xla:/opt/x.so", "xla:cuda tf32", "xla:cuda,notf32",
		"xla:cuda,tf32=false,preallocate=false,memory_fraction=0.5",
		"xla:cuda,tf32,visible_devices=0;1,allocator=platform,",
	} {
		if err := Check(backend); err != nil {
			t.Errorf("%q: %v", backend, err)
		}
	}
	for backend, want := range map[string]string{
		"abacus":                   "use auto, go, xla:cpu, xla:cuda or xla:/path/of/plugin.so",
		"cuda":                     "unknown backend",
		"xla:plugins/cuda.so":      "use xla:" + here,
		"xla:./cuda.so,tf32=false": "is relative",
	} {
		err := Check(backend)
		if err == nil {
			t.Errorf("%q: no error", backend)
			continue
		}
		checkText(t, backend, err.Error(), []string{want, backend})
	}
}
