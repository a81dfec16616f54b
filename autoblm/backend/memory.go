package backend

import (
	"context"

	"github.com/autoblm/autoblm-go/internal/memory"
)

const (
	// memoryShare is the share of free memory for tables and scores. The rest is for
	// other parts of the program and other programs.
	memoryShare = 0.5
	// deviceShare is the share of a GPU's memory. XLA reserves three quarters of it.
	deviceShare = 0.6
	// unknownMemory is the assumed memory in bytes if the size is unknown.
	unknownMemory = 4 << 30
)

// Memory returns the bytes that tables and scores may use on each device of a backend: most of a
// GPU for CUDA, else half of the free memory of the machine, which its devices share.
func Memory(backend string) int64 { return here().memory(context.Background(), backend) }

func (f finder) memory(ctx context.Context, backend string) int64 {
	n, err := parse(backend)
	if err == nil && n.xla && f.onCUDA(ctx, n) {
		if smallest := f.smallestGPU(ctx, n.devices.Count); smallest > 0 {
			return int64(deviceShare * float64(smallest))
		}
		return unknownMemory
	}
	devices := int64(max(1, n.devices.Count))
	if free := memory.Free(f.machine.Files); free > 0 {
		return int64(memoryShare*float64(free)) / devices
	}
	return unknownMemory / devices
}

// smallestGPU returns the memory of the smallest of the first GPUs, 0 if unknown.
func (f finder) smallestGPU(ctx context.Context, count int) int64 {
	var smallest int64
	for i, gpu := range f.machine.GPUs(ctx) {
		if i < count && gpu.Memory > 0 && (smallest == 0 || gpu.Memory < smallest) {
			smallest = gpu.Memory
		}
	}
	return smallest
}

func (f finder) onCUDA(ctx context.Context, n name) bool {
	plugin, problem := f.find(ctx, n.plugin)
	return problem == nil && plugin.CUDA()
}
