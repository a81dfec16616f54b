package cpu

import (
	"errors"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
)

// Engine trains and ranks on the cores of this machine. It holds no state
// between calls and is safe for concurrent use.
type Engine struct {
	threads int
	kernels *kernel.Set
}

// mostThreads are those that have something of their own.
const mostThreads = 1024

// New readies the engine for a number of threads, up to 1024; 0 stands for GOMAXPROCS.
func New(threads int) *Engine {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Engine{threads: min(threads, mostThreads), kernels: kernel.Sets()[0]}
}

var _ kge.Engine = (*Engine)(nil)

// Name is "cpu".
func (e *Engine) Name() string { return "cpu" }

// Close implements [kge.Engine]; there is nothing to free.
func (e *Engine) Close() {}

// Backend names the instructions that are used: "avx512", "avx2" or "go".
func (e *Engine) Backend() string { return e.kernels.Name }

// Supports implements [kge.Engine]: all forms, on triples and on paths.
func (e *Engine) Supports(d *kge.Data, s kge.Settings, _ []kge.Member) error {
	if d.BothWays && s.Negatives > 0 {
		return errors.New("triples are learnt among all entities: leave negatives at 0")
	}
	return nil
}
