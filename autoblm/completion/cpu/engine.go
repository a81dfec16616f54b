package cpu

import (
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
)

// Engine trains and ranks on the cores of this machine. It holds no state
// between calls and is safe for concurrent use.
type Engine struct {
	threads int
	kernels *kernel.Set
}

// New readies the engine for a number of threads; 0 stands for GOMAXPROCS.
func New(threads int) *Engine {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Engine{threads: threads, kernels: kernel.Sets()[0]}
}

var _ completion.Engine = (*Engine)(nil)

// Name is "cpu".
func (e *Engine) Name() string { return "cpu" }

// Close implements [completion.Engine]; there is nothing to free.
func (e *Engine) Close() {}

// Backend names the instructions that are used: "avx512", "avx2" or "go".
func (e *Engine) Backend() string { return e.kernels.Name }
