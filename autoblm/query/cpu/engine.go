package cpu

import (
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/query"
)

// Engine trains and scores on the cores of this machine. It holds no state
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

var _ query.Engine = (*Engine)(nil)

// Name is "cpu".
func (e *Engine) Name() string { return "cpu" }
