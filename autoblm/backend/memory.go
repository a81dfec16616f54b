package backend

import (
	"context"

	"github.com/autoblm/autoblm-go/internal/memory"
)

const (
	// memoryShare is what of the free memory a program may plan with: the rest is
	// for what it does not plan, and for others.
	memoryShare = 0.5
	// deviceShare is the same of a GPU, which is mostly for one alone, and of which
	// XLA reserves three quarters.
	deviceShare = 0.6
	// unknownMemory is assumed where nothing tells.
	unknownMemory = 4 << 30
)

// Memory is how many bytes of tables and scores a backend should be asked to hold
// at most: most of a GPU for CUDA, else half of what the machine has free.
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
