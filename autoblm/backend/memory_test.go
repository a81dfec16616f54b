package backend

import (
	"context"
	"testing"
	"testing/fstest"
)

func TestMemory(t *testing.T) {
	withGPU := func(f finder) finder {
		f.machine.RunSMI = func(context.Context, ...string) ([]byte, error) {
			return []byte("NVIDIA H200, 143771, 570.86.15\n"), nil
		}
		return f
	}
	bytes := 143771.0 * (1 << 20)
	ofH200 := int64(deviceShare * bytes)
	meminfo := []byte("MemTotal:       24576000 kB\nMemFree:          100 kB\nMemAvailable:   20000000 kB\n")
	for name, c := range map[string]struct {
		finder  finder
		backend string
		want    int64
	}{
		"GoMLX's own":               {machine(nil), "go", 10_000_000 << 10},
		"XLA on the CPU":            {withGPU(machine(nil, gpuFile, cpuFile)), "xla:cpu", 10_000_000 << 10},
		"CUDA":                      {withGPU(machine(nil, gpuFile, cudaFile)), "xla:cuda,tf32=false", ofH200},
		"CUDA by path":              {withGPU(machine(nil, gpuFile, jaxFile)), "xla:" + jaxFile, ofH200},
		"CUDA, nothing tells":       {machine(nil, gpuFile, cudaFile), "xla:cuda", unknownMemory},
		"no plugin after all":       {withGPU(machine(nil, gpuFile)), "xla:cuda", 10_000_000 << 10},
		"a name that means nothing": {machine(nil), "abacus", 10_000_000 << 10},
	} {
		if c.backend == "go" {
			if got := c.finder.memory(t.Context(), c.backend); got != unknownMemory {
				t.Errorf("%s, where the system does not tell: %d bytes, want %d", name, got, int64(unknownMemory))
			}
		}
		c.finder.machine.Files.(fstest.MapFS)["proc/meminfo"] = &fstest.MapFile{Data: meminfo}
		if got := c.finder.memory(t.Context(), c.backend); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}
