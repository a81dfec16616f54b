package gomlx

import (
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Engine trains and classifies on one backend of GoMLX.
type Engine struct {
	name    string
	backend compute.Backend
	// The operations of GoMLX's own backend use one core: there each call has one model, and calls
	// run in parallel on all cores. On other backends one call has all models.
	workers  int
	oneByOne bool

	compilations atomic.Int64 // so far
}

var _ classify.Engine = (*Engine)(nil)

// New opens a backend by its name for [backend.Open], such as "go", which is GoMLX's own.
func New(name string) (*Engine, error) {
	e := &Engine{name: name, workers: 1}
	kind, options, _ := strings.Cut(name, ":")
	if kind == backend.Go {
		e.workers, e.oneByOne = runtime.GOMAXPROCS(0), true
		if options == "" {
			name += ":ops_sequential"
		}
	}
	var err error
	e.backend, err = backend.Open(name)
	return e, err
}

// Name returns "gomlx".
func (e *Engine) Name() string { return "gomlx" }

// Backend returns the name given to [New].
func (e *Engine) Backend() string { return e.name }

// Members returns the number of parallel calls, or 0 for all.
func (e *Engine) Members() int {
	if e.oneByOne {
		return e.workers
	}
	return 0
}

// Compilations returns the number of graphs compiled so far: for each program one for each shape,
// none for a new structure.
func (e *Engine) Compilations() int64 { return e.compilations.Load() }

// Close frees the backend.
func (e *Engine) Close() { e.backend.Finalize() }

// program holds a network with its compiled graphs and their constant inputs.
type program struct {
	*classify.Network
	engine    *Engine
	layers    []*layer
	constants []*tensors.Tensor // of all layers

	mu       sync.Mutex
	compiled map[string]*graph.Exec
}

// Prepare implements [classify.Engine].
func (e *Engine) Prepare(n *classify.Network) (classify.Program, error) {
	p := &program{Network: n, engine: e, compiled: map[string]*graph.Exec{}}
	for l := range n.Layers {
		layer, constants := newLayer(n, l)
		p.layers, p.constants = append(p.layers, layer), append(p.constants, constants...)
	}
	for _, c := range p.constants { // before parallel calls would all do it
		if err := c.ToDevice(e.backend, 0); err != nil {
			p.Close()
			return nil, fmt.Errorf("place the graph on the device: %w", err)
		}
	}
	return p, nil
}

// Close implements [classify.Program].
func (p *program) Close() {
	for _, exec := range p.compiled {
		exec.Finalize()
	}
	finalize(p.constants...)
}

// call runs a graph, which is built once for any number of models and chunks. Donated tensors are
// freed.
func (p *program) call(
	name string, build func(inputs []*graph.Node) []*graph.Node, donate []*tensors.Tensor,
	rest ...*tensors.Tensor,
) ([]*tensors.Tensor, error) {
	exec, err := p.exec(name, build)
	if err != nil {
		return nil, fmt.Errorf("build the graph %s: %w", name, err)
	}
	var inputs []any
	for _, x := range donate {
		donated, err := graph.DonateTensorBuffer(x, p.engine.backend, 0)
		if err != nil {
			return nil, err
		}
		inputs = append(inputs, donated)
	}
	for _, x := range rest {
		inputs = append(inputs, x)
	}
	outputs, err := exec.Call(inputs...)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	return outputs, nil
}

func (p *program) exec(
	name string, build func(inputs []*graph.Node) []*graph.Node,
) (*graph.Exec, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if exec, ready := p.compiled[name]; ready {
		return exec, nil
	}
	counting := func(inputs []*graph.Node) []*graph.Node {
		p.engine.compilations.Add(1)
		return build(inputs)
	}
	exec, err := graph.NewExec(p.engine.backend, counting)
	if err == nil {
		p.compiled[name] = exec.WithName(name).SetMaxCache(-1)
	}
	return exec, err
}

// finalize frees tensors, except for donated ones, which are free already.
func finalize(all ...*tensors.Tensor) {
	for _, x := range all {
		_ = x.FinalizeAll()
	}
}
