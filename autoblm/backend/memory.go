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

// Memory returns the bytes that tables and scores on a backend may use: most of a GPU for
// CUDA, else half of the free memory of the machine.
func Memory(backend string) int64 { return here().memory(context.Background(), backend) }

func (f finder) memory(ctx context.Context, backend string) int64 {
	n, err := parse(backend)
	if err == nil && n.xla && f.onCUDA(ctx, n) {
		for _, gpu := range f.machine.GPUs(ctx) {
			if gpu.Memory > 0 {
				return int64(deviceShare * float64(gpu.Memory))
			}
		}
		return unknownMemory
	}
	if free := memory.Free(f.machine.Files); free > 0 {
		return int64(memoryShare * float64(free))
	}
	return unknownMemory
}

func (f finder) onCUDA(ctx context.Context, n name) bool {
	plugin, problem := f.find(ctx, n.plugin)
	return problem == nil && plugin.CUDA()
}
