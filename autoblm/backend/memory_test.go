package backend

import (
	"context"
	"testing"
	"testing/fstest"
)

func TestMemory(t *testing.T) {
	withSMI := func(f finder) finder {
		f.machine.RunSMI = func(context.Context, ...string) ([]byte, error) {
			return []byte("NVIDIA H200, 143771, 570.86.15\nNVIDIA T4, 15360, 570.86.15\n"), nil
		}
		return f
	}
	bytes := 143771.0 * (1 << 20)
	h200, ram := int64(deviceShare*bytes), int64(10_000_000<<10)
	t4Bytes := 15360.0 * (1 << 20)
	t4 := int64(deviceShare * t4Bytes)
	meminfo := []byte("MemTotal: 24576000 kB\nMemFree: 100 kB\nMemAvailable: 20000000 kB\n")
	for name, c := range map[string]struct {
		finder  finder
		backend string
		want    int64
	}{
		"go":             {machine(nil), "go", ram},
		"XLA on the CPU": {withSMI(machine(nil, gpuFile, cpuFile)), "xla:cpu", ram},
		"CUDA":           {withSMI(machine(nil, gpuFile, cudaFile)), "xla:cuda,tf32=false", h200},
		"two GPUs":       {withSMI(machine(nil, gpuFile, cudaFile)), "xla:cuda,devices=2", t4},
		"four CPUs":      {withSMI(machine(nil, gpuFile, cpuFile)), "xla:cpu,devices=4", ram / 4},
		"CUDA by path":   {withSMI(machine(nil, gpuFile, secondFile)), "xla:" + secondFile, h200},
		"unknown GPU":    {machine(nil, gpuFile, cudaFile), "xla:cuda", unknownMemory},
		"no plugin":      {withSMI(machine(nil, gpuFile)), "xla:cuda", ram},
		"invalid name":   {machine(nil), "abacus", ram},
	} {
		if c.backend == "go" {
			if got := c.finder.memory(t.Context(), c.backend); got != unknownMemory {
				t.Errorf("%s without meminfo: %d bytes, want %d", name, got, int64(unknownMemory))
			}
		}
		c.finder.machine.Files.(fstest.MapFS)["proc/meminfo"] = &fstest.MapFile{Data: meminfo}
		if got := c.finder.memory(t.Context(), c.backend); got != c.want {
			t.Errorf("%s: %d bytes, want %d", name, got, c.want)
		}
	}
}
