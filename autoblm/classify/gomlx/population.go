package gomlx

import (
	"cmp"
	"context"
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// population holds models that train in one call of the backend.
type population struct {
	*program
	runs      []classify.Run
	dropout   bool
	steps     int
	state     []*tensors.Tensor // parameters, means, squares
	constants []*tensors.Tensor // sign tensors, weights, l2, rates
}

// NewPopulation implements [classify.Program].
func (p *program) NewPopulation(runs []classify.Run) (classify.Population, error) {
	all := &population{program: p, runs: runs}
	models, rows := len(runs), len(p.Outputs)
	weights, l2, rates := make([]float32, models*rows), make([]float32, models),
		make([]float32, models)
	var signs []float32                              // [S, K, K, K]: T[i,k,j]
	tables := make([][]float32, 3*len(p.Parameters)) // parameters, means, squares
	chunks := max(runs[0].Member.Structure.K(), 1)
	for i, r := range runs {
		all.dropout = all.dropout || r.Member.Dropout > 0
		// other encoders do not use it
		for _, sign := range cmp.Or(r.Member.Structure, structure.Zero(1)).SignTensor() {
			signs = append(signs, float32(sign))
		}
		l2[i], rates[i] = float32(r.Member.L2), float32(r.Member.LearningRate)
		for _, output := range r.Learn {
			weights[i*rows+int(p.Outputs[output])] = 1 / float32(len(r.Learn))
		}
		begin := r.Begin(p.Network)
		all.steps = max(all.steps, begin.Steps) // the same for all active models
		for n, table := range slices.Concat(begin.Tables, begin.Means, begin.Squares) {
			tables[n] = append(tables[n], table...)
		}
	}
	for n, table := range tables {
		dims := append([]int{models}, p.Parameters[n%len(p.Parameters)].Dims...)
		all.state = append(all.state, tensors.FromFlatDataAndDimensions(table, dims...))
	}
	all.constants = []*tensors.Tensor{
		tensors.FromFlatDataAndDimensions(signs, models, chunks, chunks, chunks),
		tensors.FromFlatDataAndDimensions(weights, models, rows),
		tensors.FromFlatDataAndDimensions(l2, models),
		tensors.FromFlatDataAndDimensions(rates, models),
	}
	return all, nil
}

// Step implements [classify.Population]. It trains inactive models too, unless none is active.
// After an interruption, all models are ahead or none is.
func (p *population) Step(ctx context.Context, active []bool) ([]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !slices.Contains(active, true) {
		return make([]float32, len(p.runs)), nil
	}
	p.steps++
	passing := append(p.masks(), tensors.FromScalar(float32(p.steps)))
	defer finalize(passing...)
	name := "classify-step"
	if p.dropout {
		name += "-dropout"
	}
	build := func(inputs []*graph.Node) []*graph.Node { return p.step(inputs, p.dropout) }
	outputs, err := p.call(name, build, p.state,
		slices.Concat(p.constants, p.program.constants, passing)...)
	if err != nil {
		return nil, err
	}
	losses := outputs[len(p.state)]
	p.state = outputs[:len(p.state)]
	defer finalize(losses)
	return tensors.CopyFlatData[float32](losses)
}

// masks returns the dropout masks of all layers for the current step, if there is dropout.
func (p *population) masks() (all []*tensors.Tensor) {
	d := p.Settings.Dim
	for l := 0; p.dropout && l < len(p.layers); l++ {
		nodes := p.Layers[l].Nodes
		size := len(nodes) * d
		mask := make([]float32, len(p.runs)*size)
		for i, r := range p.runs {
			r.Member.DropoutMask(mask[i*size:][:size], nodes, p.steps, l)
		}
		all = append(all, tensors.FromFlatDataAndDimensions(mask, len(p.runs), len(nodes), d))
	}
	return all
}

// Logits implements [classify.Population].
func (p *population) Logits(ctx context.Context, _ []bool) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	inputs := slices.Concat(p.state[:len(p.Parameters)], p.constants[:1], p.program.constants)
	outputs, err := p.call("classify", p.classify, nil, inputs...)
	if err != nil {
		return nil, err
	}
	defer finalize(outputs...)
	logits, err := tensors.CopyFlatData[float32](outputs[0]) // [S, rows, classes]
	if err != nil {
		return nil, err
	}
	all := make([][]float32, len(p.runs))
	for i := range all {
		own := logits[i*len(p.Outputs)*p.Classes:]
		for _, row := range p.Outputs {
			all[i] = append(all[i], own[int(row)*p.Classes:][:p.Classes]...)
		}
	}
	return all, nil
}

// State implements [classify.Population].
func (p *population) State(model int) (classify.State, error) {
	s := classify.State{Steps: p.steps}
	for slot, to := range []*[][]float32{&s.Tables, &s.Means, &s.Squares} {
		for i, about := range p.Parameters {
			numbers, err := tensors.CopyFlatData[float32](p.state[slot*len(p.Parameters)+i])
			if err != nil {
				return s, fmt.Errorf("read the parameters: %w", err)
			}
			*to = append(*to, numbers[model*about.Size():][:about.Size()])
		}
	}
	return s, nil
}

// Close implements [classify.Population].
func (p *population) Close() { finalize(append(p.state, p.constants...)...) }
