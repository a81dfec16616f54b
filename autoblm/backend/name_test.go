package backend

import (
	"path/filepath"
	"strings"
	"testing"
)

func TestCheck(t *testing.T) {
	here, err := filepath.Abs("plugins/cuda.so")
	if err != nil {
		t.Fatal(err)
	}
	for backend, says := range map[string]string{
		"": "", "auto": "", "go": "", "go:ops_sequential": "", "xla": "", "xla:cpu": "", "xla:cuda": "", "xla:tpu": "", "stablehlo:cpu": "", "xla:/opt/x.so": "",
		"xla:cuda,tf32=false,preallocate=false,memory_fraction=0.5": "", "xla:cuda,notf32": "", "xla:cuda,tf32,visible_devices=0;1,allocator=platform,": "",
		"abacus":                        "use auto, go, xla:cpu, xla:cuda or xla:/path/of/plugin.so",
		"cuda":                          "unknown backend",
		"xla:plugins/cuda.so":           "use xla:" + here,
		"xla:./cuda.so,tf32=false":      "is relative",
		"xla:cuda,tf32=maybe":           "true or false",
		"xla:cuda,tf33=false":           "use allocator,",
		"xla:cuda,noallocator=platform": "unknown option",
		"xla:cuda,memory_fraction=NaN":  "at most 1",
		"xla:cuda,memory_fraction=2":    "at most 1",
		"xla:cuda,visible_devices=a":    "0;1",
		"xla:cuda tf32":                 "",
	} {
		err := Check(backend)
		if (err == nil) != (says == "") || err != nil && (!strings.Contains(err.Error(), says) || !strings.Contains(err.Error(), backend)) {
			t.Errorf("%q: %v, which should say %q", backend, err, says)
		}
	}
}
