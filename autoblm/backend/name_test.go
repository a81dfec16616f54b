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
		"abacus":                         "use auto, go, xla:cpu, xla:cuda or xla:/path/of/plugin.so",
		"cuda":                           "unknown backend",
		"xla:plugins/cuda.so":            "use xla:" + here,
		"xla:./cuda.so,tf32=false":       "is relative",
		"go:devices=2":                   "the backend go has no devices",
		"go,devices=2":                   "the backend go has no devices",
		"xla:cuda,devices=two":           "two is not a number of devices",
		"xla:cuda,devices=0,devices=2":   "0 is not a number of devices",
		"xla:cuda,devices=two,devices=2": "two is not a number of devices",
		"xla,devices=2,shard":            "use xla:cuda,devices=2,shard or xla:cpu,devices=2,shard",
		"xla:cuda,devices=0":             "0 is not a number of devices",
		"xla:cuda,shard":                 "add devices=2",
	} {
		err := Check(backend)
		if err == nil {
			t.Errorf("%q: no error", backend)
			continue
		}
		checkText(t, backend, err.Error(), []string{want, backend})
	}
}

func TestDevicesOf(t *testing.T) {
	for backend, want := range map[string]Devices{
		"go":                                {Count: 1},
		"xla:cuda":                          {Count: 1},
		"xla:cuda,devices=4,tf32=false":     {Count: 4},
		"xla:cpu,shard,devices=2":           {Count: 2, Shard: true},
		"xla:/opt/x.so,devices=1,allocator": {Count: 1},
	} {
		if got := DevicesOf(backend); got != want {
			t.Errorf("%q: %+v, want %+v", backend, got, want)
		}
	}
	n, err := parse("xla:cuda,tf32=false,devices=4,shard,preallocate")
	if err != nil || n.options != "tf32=false,preallocate" {
		t.Errorf("options for go-xla: %q, %v", n.options, err)
	}
}
