package gomlx

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/backend"
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/gomlx/compute"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// Engine trains and classifies on one backend of GoMLX.
type Engine struct {
	name         string
	backend      compute.Backend
	compilations int64 // so far
}

var _ classify.Engine = (*Engine)(nil)

// New opens a backend by its name for [backend.Open], such as "go", which is GoMLX's own.
func New(name string) (*Engine, error) {
	if devices := backend.DevicesOf(name); devices.Count > 1 {
		options := fmt.Sprintf("devices=%d", devices.Count)
		if devices.Shard {
			options += " and shard"
		}
		return nil, fmt.Errorf("classification runs on one device; remove %s from %q", options, name)
	}
	opened, err := backend.Open(name)
	return &Engine{name: name, backend: opened}, err
}

// Name returns "gomlx".
func (e *Engine) Name() string { return "gomlx" }

// Backend returns the name given to [New].
func (e *Engine) Backend() string { return e.name }

// Members returns 0: all members train in one call.
func (e *Engine) Members() int { return 0 }

// Compilations returns the number of graphs compiled so far: for each program one for each shape,
// none for a new structure.
func (e *Engine) Compilations() int64 { return e.compilations }

// Close frees the backend.
func (e *Engine) Close() { e.backend.Finalize() }

// program holds a network with its compiled graphs and their constant inputs.
type program struct {
	*classify.Network
	engine    *Engine
	layers    []*layer
	constants []*tensors.Tensor // of all layers
	compiled  map[string]*graph.Exec
}

// Prepare implements [classify.Engine].
func (e *Engine) Prepare(n *classify.Network) (classify.Program, error) {
	p := &program{Network: n, engine: e, compiled: map[string]*graph.Exec{}}
	for l := range n.Layers {
		layer, constants := newLayer(n, l)
		p.layers, p.constants = append(p.layers, layer), append(p.constants, constants...)
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
	if p.compiled[name] == nil {
		exec, err := graph.NewExec(p.engine.backend, func(inputs []*graph.Node) []*graph.Node {
			p.engine.compilations++
			return build(inputs)
		})
		if err != nil {
			return nil, fmt.Errorf("build the graph %s: %w", name, err)
		}
		p.compiled[name] = exec.WithName(name).SetMaxCache(-1)
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
	outputs, err := p.compiled[name].Call(inputs...)
	if err != nil {
		return nil, fmt.Errorf("run %s: %w", name, err)
	}
	return outputs, nil
}

// finalize frees tensors, except for donated ones, which are free already.
func finalize(all ...*tensors.Tensor) {
	for _, x := range all {
		_ = x.FinalizeAll()
	}
}
