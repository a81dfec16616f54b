package cpu

import (
	"context"
	"runtime"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"golang.org/x/sync/errgroup"
)

// Engine trains and classifies on the CPU cores of this machine. It holds no state between calls.
type Engine struct {
	threads int
	kernels *kernel.Set
}

var _ classify.Engine = (*Engine)(nil)

// New returns an engine with a number of threads; 0 stands for GOMAXPROCS.
func New(threads int) *Engine {
	if threads < 1 {
		threads = runtime.GOMAXPROCS(0)
	}
	return &Engine{threads: threads, kernels: kernel.Sets()[0]}
}

// Name returns [kge.NativeEngine].
func (e *Engine) Name() string { return kge.NativeEngine }

// Backend returns the instruction set in use: "avx512", "avx2" or "go".
func (e *Engine) Backend() string { return e.kernels.Name }

// Members returns the number of threads: each member has several models, which keep all busy.
func (e *Engine) Members() int { return e.threads }

// Close implements [classify.Engine]; there is nothing to free.
func (e *Engine) Close() {}

// program holds what all models of a network share.
type program struct {
	*classify.Network
	engine  *Engine
	lists   []*lists          // of each layer
	places  map[parameter]int // indices of parameters
	targets []int32           // class of each row of the last layer
}

type parameter struct {
	name  string
	layer int
}

// Prepare implements [classify.Engine].
func (e *Engine) Prepare(n *classify.Network) (classify.Program, error) {
	p := &program{Network: n, engine: e, places: map[parameter]int{},
		targets: make([]int32, len(n.Outputs))}
	for l := range n.Layers {
		p.lists = append(p.lists, newLists(n, l))
	}
	for i, about := range n.Parameters {
		p.places[parameter{about.Name, about.Layer}] = i
	}
	for i, row := range n.Outputs {
		p.targets[row] = n.Targets[i]
	}
	return p, nil
}

// Close implements [classify.Program]; there is nothing to free.
func (p *program) Close() {}

// NewPopulation implements [classify.Program].
func (p *program) NewPopulation(runs []classify.Run) (classify.Population, error) {
	all := &population{threads: p.engine.threads}
	for _, r := range runs {
		all.models = append(all.models, p.newModel(r))
	}
	return all, nil
}

// population holds models in training.
type population struct {
	models  []*model
	threads int
}

// each calls do for each active model, in parallel.
func (p *population) each(ctx context.Context, active []bool, do func(i int, m *model)) error {
	var workers errgroup.Group
	workers.SetLimit(p.threads)
	for i, m := range p.models {
		if active[i] {
			workers.Go(func() error {
				if err := ctx.Err(); err != nil {
					return err
				}
				do(i, m)
				return nil
			})
		}
	}
	return workers.Wait()
}

// Step implements [classify.Population].
func (p *population) Step(ctx context.Context, active []bool) ([]float32, error) {
	losses := make([]float32, len(p.models))
	return losses, p.each(ctx, active, func(i int, m *model) { losses[i] = m.step() })
}

// Logits implements [classify.Population].
func (p *population) Logits(ctx context.Context, active []bool) ([][]float32, error) {
	all := make([][]float32, len(p.models))
	return all, p.each(ctx, active, func(i int, m *model) {
		logits := m.forward(false)
		for _, row := range m.Outputs {
			all[i] = append(all[i], logits.row(int(row))...)
		}
	})
}

// State implements [classify.Population].
func (p *population) State(model int) (classify.State, error) {
	m := p.models[model]
	s := classify.State{Steps: m.steps}
	for i := range m.parameters {
		s.Tables = append(s.Tables, m.parameters[i].compact())
		s.Means = append(s.Means, m.means[i].compact())
		s.Squares = append(s.Squares, m.squares[i].compact())
	}
	return s, nil
}

// Close implements [classify.Population]; there is nothing to free.
func (p *population) Close() {}
