package gomlx

import (
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/gomlx/compute"
	"github.com/gomlx/compute/gobackend"
	"github.com/gomlx/gomlx/core/graph"
)

// Engine runs populations on one GoMLX backend. It keeps its compiled programs,
// so make one and use it for everything.
type Engine struct {
	backend      compute.Backend
	name         string
	steps        map[completion.Optimizer]*graph.Exec
	ranks        *graph.Exec
	compilations atomic.Int64
}

// New opens a backend: "go" is GoMLX's own, which needs nothing; "xla:cpu",
// "xla:cuda" and "xla:" with the absolute path of a PJRT plugin need a build
// with cgo and that plugin, which is never downloaded. "auto" is "go".
func New(backend string) (*Engine, error) {
	if backend == "auto" {
		backend = gobackend.BackendName
	}
	var opened compute.Backend
	var err error
	switch kind, config, _ := strings.Cut(backend, ":"); kind {
	case gobackend.BackendName:
		opened, err = gobackend.New(config)
	case "xla":
		opened, err = openXLA(config)
	default:
		return nil, fmt.Errorf("unknown backend %q: use go, xla:cpu, xla:cuda or xla:/path/of/plugin.so", backend)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot open the backend %q: %w", backend, err)
	}
	e := &Engine{backend: opened, name: backend, steps: map[completion.Optimizer]*graph.Exec{}}
	for optimizer, rule := range updateRules {
		if e.steps[optimizer], err = e.program("step-"+optimizer.String(), trainingStep(rule), 2+2*rule.slots+stepInputs, 3+2*rule.slots); err != nil {
			return nil, err
		}
	}
	if e.ranks, err = e.program("rank", countRanks, rankInputs, 3); err != nil {
		return nil, err
	}
	return e, nil
}

// program readies a graph function for any number of shapes, and counts its compilations.
func (e *Engine) program(name string, build func(g *graph.Graph, inputs []*graph.Node) []*graph.Node, inputs, outputs int) (*graph.Exec, error) {
	counting := func(g *graph.Graph, nodes []*graph.Node) []*graph.Node {
		e.compilations.Add(1)
		return build(g, nodes)
	}
	exec, err := graph.NewExecCanonical(e.backend, counting, inputs, outputs, false, false, true)
	if err != nil {
		return nil, err
	}
	return exec.WithName(name).SetMaxCache(-1), nil
}

// Name is "gomlx".
func (e *Engine) Name() string { return "gomlx" }

// Backend is the name that the engine was opened with, "auto" resolved.
func (e *Engine) Backend() string { return e.name }

// Close implements [completion.Engine].
func (e *Engine) Close() {
	e.ranks.Finalize()
	for _, step := range e.steps {
		step.Finalize()
	}
	e.backend.Finalize()
}

// Compilations counts the programs compiled so far: one for each new shape,
// none for a new structure.
func (e *Engine) Compilations() int { return int(e.compilations.Load()) }
