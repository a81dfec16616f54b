package gomlx

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
	"golang.org/x/sync/errgroup"
)

// population holds models in groups. Each group is one call of the backend.
type population struct {
	*program
	groups []*group
	models int                 // of a group, except for the last
	report func(share float64) // of a step; may be nil
}

// OnProgress implements [progress.Reporter].
func (p *population) OnProgress(report func(share float64)) { p.report = report }

// NewPopulation implements [classify.Program].
func (p *program) NewPopulation(runs []classify.Run) (classify.Population, error) {
	all := &population{program: p, models: len(runs)}
	if p.engine.oneByOne {
		all.models = 1
	}
	for some := range slices.Chunk(runs, all.models) {
		all.groups = append(all.groups, p.newGroup(some))
	}
	return all, nil
}

// each calls do for each group with an active model, in parallel, and passes each model's share of
// the result to to.
func (p *population) each(
	ctx context.Context, active []bool, do func(g *group) ([]float32, error), to func(model int,
		numbers []float32),
) error {
	var workers errgroup.Group
	workers.SetLimit(p.engine.workers)
	for i, g := range p.groups {
		first := i * p.models
		if !slices.Contains(active[first:][:len(g.runs)], true) {
			continue
		}
		workers.Go(func() error {
			if err := ctx.Err(); err != nil {
				return err
			}
			numbers, err := do(g)
			if err != nil {
				return err
			}
			size := len(numbers) / len(g.runs)
			for n := range g.runs {
				to(first+n, numbers[n*size:][:size])
			}
			return nil
		})
	}
	return workers.Wait()
}

// Step implements [classify.Population].
func (p *population) Step(ctx context.Context, active []bool) ([]float32, error) {
	losses := make([]float32, len(active))
	var done atomic.Int64
	step := func(g *group) ([]float32, error) {
		losses, err := g.step()
		if p.report != nil && err == nil {
			p.report(float64(done.Add(int64(len(g.runs)))) / float64(len(active)))
		}
		return losses, err
	}
	return losses, p.each(ctx, active, step, func(model int, loss []float32) {
		losses[model] = loss[0]
	})
}

// Logits implements [classify.Population].
func (p *population) Logits(ctx context.Context, active []bool) ([][]float32, error) {
	all := make([][]float32, len(active))
	return all, p.each(ctx, active, (*group).logits, func(model int, logits []float32) {
		for _, row := range p.Outputs {
			all[model] = append(all[model], logits[int(row)*p.Classes:][:p.Classes]...)
		}
	})
}

// State implements [classify.Population].
func (p *population) State(model int) (classify.State, error) {
	g := p.groups[model/p.models]
	s := classify.State{Steps: g.steps}
	for slot, to := range []*[][]float32{&s.Tables, &s.Means, &s.Squares} {
		for i, about := range p.Parameters {
			numbers, err := tensors.CopyFlatData[float32](g.state[slot*len(p.Parameters)+i])
			if err != nil {
				return s, fmt.Errorf("read the parameters: %w", err)
			}
			*to = append(*to, numbers[model%p.models*about.Size():][:about.Size()])
		}
	}
	return s, nil
}

// Close implements [classify.Population].
func (p *population) Close() {
	for _, g := range p.groups {
		finalize(append(g.state, g.constants...)...)
	}
}

// group holds models that train in one call.
type group struct {
	*program
	runs      []classify.Run
	dropout   bool
	steps     int
	state     []*tensors.Tensor // parameters, means, squares
	constants []*tensors.Tensor // sign tensors, weights, l2, rates
}

func (p *program) newGroup(runs []classify.Run) *group {
	g := &group{program: p, runs: runs}
	models, rows := len(runs), len(p.Outputs)
	weights, l2, rates := make([]float32, models*rows), make([]float32, models),
		make([]float32, models)
	var signs []float32                              // [S, K, K, K]: T[i,k,j]
	tables := make([][]float32, 3*len(p.Parameters)) // parameters, means, squares
	chunks := max(runs[0].Member.Structure.K(), 1)
	for i, r := range runs {
		g.dropout = g.dropout || r.Member.Dropout > 0
		// other encoders do not use it
		for _, sign := range cmp.Or(r.Member.Structure, structure.Zero(1)).SignTensor() {
			signs = append(signs, float32(sign))
		}
		l2[i], rates[i] = float32(r.Member.L2), float32(r.Member.LearningRate)
		for _, output := range r.Learn {
			weights[i*rows+int(p.Outputs[output])] = 1 / float32(len(r.Learn))
		}
		begin := r.Begin(p.Network)
		g.steps = max(g.steps, begin.Steps) // the same for all active models
		for n, table := range slices.Concat(begin.Tables, begin.Means, begin.Squares) {
			tables[n] = append(tables[n], table...)
		}
	}
	for n, table := range tables {
		about := p.Parameters[n%len(p.Parameters)]
		g.state = append(g.state, tensors.FromFlatDataAndDimensions(table,
			append([]int{models}, about.Dims...)...))
	}
	g.constants = []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(signs, models, chunks, chunks, chunks),
		tensors.FromFlatDataAndDimensions(weights, models, rows),
		tensors.FromFlatDataAndDimensions(l2, models),
		tensors.FromFlatDataAndDimensions(rates, models),
	}
	return g
}

// step trains for an epoch and returns the losses.
func (g *group) step() ([]float32, error) {
	g.steps++
	passing := append(g.masks(), tensors.FromScalar(float32(g.steps)))
	defer finalize(passing...)
	name := "classify-step"
	if g.dropout {
		name += "-dropout"
	}
	build := func(inputs []*graph.Node) []*graph.Node { return g.program.step(inputs, g.dropout) }
	outputs, err := g.call(name, build, g.state,
		slices.Concat(g.constants, g.program.constants, passing)...)
	if err != nil {
		return nil, err
	}
	losses := outputs[len(g.state)]
	g.state = outputs[:len(g.state)]
	defer finalize(losses)
	return tensors.CopyFlatData[float32](losses)
}

// masks returns the dropout masks of all layers for the current step, if there is dropout.
func (g *group) masks() (all []*tensors.Tensor) {
	d := g.Settings.Dim
	for l := 0; g.dropout && l < len(g.layers); l++ {
		nodes := g.Layers[l].Nodes
		size := len(nodes) * d
		mask := make([]float32, len(g.runs)*size)
		for i, r := range g.runs {
			r.Member.DropoutMask(mask[i*size:][:size], nodes, g.steps, l)
		}
		all = append(all, tensors.FromFlatDataAndDimensions(mask, len(g.runs), len(nodes), d))
	}
	return all
}

// logits returns [S, rows, classes].
func (g *group) logits() ([]float32, error) {
	inputs := slices.Concat(g.state[:len(g.Parameters)], g.constants[:1], g.program.constants)
	outputs, err := g.call("classify", g.program.classify, nil, inputs...)
	if err != nil {
		return nil, err
	}
	defer finalize(outputs...)
	return tensors.CopyFlatData[float32](outputs[0])
}
