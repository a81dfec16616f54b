package cpu

import (
	"errors"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
)

// Engine trains and ranks on the cores of this machine. It holds no state
// between calls and is safe for concurrent use.
type Engine struct {
	threads int
	kernels *kernel.Set
	units   []*kernel.BF16Set // the fastest first
}

// mostThreads are those that have something of their own.
const mostThreads = 1024

// New readies the engine for a number of threads, up to 1024; 0 stands for GOMAXPROCS.
func New(threads int) *Engine {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Engine{threads: min(threads, mostThreads), kernels: kernel.Sets()[0], units: kernel.BF16Sets()}
}

var _ kge.Engine = (*Engine)(nil)

// Name is "cpu".
func (e *Engine) Name() string { return "cpu" }

// Close implements [kge.Engine]; there is nothing to free.
func (e *Engine) Close() {}

// Backend names the instructions that are used, "avx512", "avx2" or "go", and in bfloat16
// also the unit that multiplies, as "avx512+amx": "amx", "avx512-bf16" or "go". Units add up
// in different orders.
func (e *Engine) Backend(p kge.Precision) string {
	if u := e.unit(p); u != nil {
		return e.kernels.Name + "+" + u.Name
	}
	return e.kernels.Name
}

// Precision implements [kge.Engine]. Products of bfloat16 numbers need a matrix unit or the
// instructions of AVX512-BF16, by which some processors are slower than in float32.
func (e *Engine) Precision(asked kge.Precision, f form.Form, entities, dim int) (kge.Precision, error) {
	var lacking error
	if e.units[0].Name == kernel.PortableBF16().Name {
		lacking = errors.New("this processor has no fast products of bfloat16 numbers")
	}
	return asked.Resolve(f, entities, dim, lacking, e.units[0].Faster)
}

// unit multiplies in a precision: nil is for float32.
func (e *Engine) unit(p kge.Precision) *kernel.BF16Set {
	if p == kge.Bfloat16 {
		return e.units[0]
	}
	return nil
}

// Supports implements [kge.Engine]: all forms, on triples and on paths.
func (e *Engine) Supports(d *kge.Data, s kge.Settings, members []kge.Member) error {
	if err := checkForm(members[0].Form); err != nil {
		return err
	}
	if d.BothDirections && s.Negatives > 0 {
		return errors.New("triples are learnt among all entities: leave negatives at 0")
	}
	return nil
}
