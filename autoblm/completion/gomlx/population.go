package gomlx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/compute/shapes"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// population is a set of models in training.
type population struct {
	*ranker
	members []completion.Member
	step    *graph.Exec
	slots   []*tensors.Tensor // of the entities, then of the relations
	batch   int
	steps   int // taken so far
}

// NewPopulation implements [completion.Engine].
func (e *Engine) NewPopulation(g *datasets.Graph, s completion.Settings, members []completion.Member) (completion.Population, error) {
	parameters := make([]completion.Parameters, len(members))
	for i, m := range members {
		parameters[i] = completion.InitialParameters(m.Structure, len(g.Entities), len(g.Relations), s.Dim, s.InitScale, m.Seed)
	}
	placed, err := e.newRanker(parameters)
	if err != nil {
		return nil, err
	}
	rule := updateRules[s.Optimizer]
	p := &population{ranker: placed, members: slices.Clone(members), step: e.steps[s.Optimizer], batch: min(s.Batch, len(g.Train))}
	for _, table := range []*tensors.Tensor{placed.entities, placed.relations} {
		for range rule.slots {
			p.slots = append(p.slots, tensors.FromShape(table.Shape()))
		}
	}
	var inputs []shapes.Shape
	for _, t := range append(p.state(), p.stepArguments(nil, 1)...) {
		inputs = append(inputs, t.Shape())
	}
	if _, err := p.step.Compile(inputs...); err != nil {
		p.Close()
		return nil, fmt.Errorf("cannot compile the training step: %w", err)
	}
	return p, nil
}

func (p *population) state() []*tensors.Tensor {
	return append([]*tensors.Tensor{p.entities, p.relations}, p.slots...)
}

// stepArguments are the inputs of a step after the state, for at most p.batch triples.
func (p *population) stepArguments(triples []datasets.Triple, scale float64) []*tensors.Tensor {
	weights := make([]float32, p.batch)
	for i := range triples {
		weights[i] = 1 / float32(len(triples))
	}
	perMember := func(value func(m completion.Member) float64) *tensors.Tensor {
		values := make([]float32, len(p.members))
		for i, m := range p.members {
			values[i] = float32(value(m))
		}
		return tensors.FromFlatDataAndDimensions(values, len(values))
	}
	arguments := make([]*tensors.Tensor, stepInputs)
	arguments[stepEntityIDs], arguments[stepRelationIDs] = batchIDs(triples, p.batch)
	arguments[stepWeights] = tensors.FromFlatDataAndDimensions(weights, p.batch)
	arguments[stepOperators] = p.operators
	arguments[stepRate] = perMember(func(m completion.Member) float64 { return m.LearningRate * scale })
	arguments[stepL2] = perMember(func(m completion.Member) float64 { return m.L2 })
	arguments[stepN3] = perMember(func(m completion.Member) float64 { return m.N3 })
	arguments[stepCount] = tensors.FromScalar(float32(p.steps + 1))
	return arguments
}

// batchIDs are the ids of the triples, padded with id 0 to the given size.
func batchIDs(triples []datasets.Triple, size int) (entities, relations *tensors.Tensor) {
	ends, kinds := make([]int32, 2*size), make([]int32, size)
	for i, t := range triples {
		ends[i], ends[size+i], kinds[i] = t.Head, t.Tail, t.Relation
	}
	return tensors.FromFlatDataAndDimensions(ends, 2, size), tensors.FromFlatDataAndDimensions(kinds, size)
}

// Epoch implements [completion.Population].
func (p *population) Epoch(ctx context.Context, triples []datasets.Triple, scale float64) (completion.Epoch, error) {
	epoch := completion.Epoch{Loss: make([]float64, len(p.members))}
	for start := 0; start < len(triples); start += p.batch {
		if err := ctx.Err(); err != nil {
			return epoch, err
		}
		chunk := triples[start:min(start+p.batch, len(triples))]
		began := time.Now()
		loss, err := p.takeStep(chunk, scale)
		if err != nil {
			return epoch, err
		}
		epoch.StepSeconds = append(epoch.StepSeconds, time.Since(began).Seconds())
		for i, l := range loss {
			epoch.Loss[i] += float64(l) * float64(len(chunk)) / float64(len(triples))
		}
	}
	return epoch, nil
}

func (p *population) takeStep(triples []datasets.Triple, scale float64) ([]float32, error) {
	var arguments []any
	for _, t := range p.state() { // the step writes the next state over this one
		donated, err := graph.DonateTensorBuffer(t, p.engine.backend, 0)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, donated)
	}
	rest := p.stepArguments(triples, scale)
	for _, t := range rest {
		arguments = append(arguments, t)
	}
	outputs, err := p.step.Call(arguments...)
	if err != nil {
		return nil, fmt.Errorf("a training step failed: %w", err)
	}
	p.steps++
	p.entities, p.relations, p.slots = outputs[0], outputs[1], outputs[2:len(outputs)-1]
	loss, err := tensors.CopyFlatData[float32](outputs[len(outputs)-1])
	for i, t := range rest {
		if i != stepOperators {
			err = errors.Join(err, t.FinalizeAll())
		}
	}
	return loss, errors.Join(err, outputs[len(outputs)-1].FinalizeAll())
}

// Parameters implements [completion.Population].
func (p *population) Parameters(member int) (completion.Parameters, error) {
	m := p.members[member]
	entities, err := p.memberTable(p.entities, member, m.Structure)
	if err != nil {
		return completion.Parameters{}, err
	}
	relations, err := p.memberTable(p.relations, member, m.Structure)
	return completion.Parameters{Structure: m.Structure, Dim: p.dim, Entities: entities, Relations: relations}, err
}

func (p *population) memberTable(stacked *tensors.Tensor, member int, s structure.Structure) ([]float32, error) {
	size := stacked.Shape().Dim(1) * stacked.Shape().Dim(2)
	table := make([]float32, size)
	err := tensors.ConstFlatData(stacked, func(all []float32) {
		deinterleave(table, all[member*size:][:size], p.dim, s.K())
	})
	return table, err
}

// SetStructure implements [completion.Population]. The operators are an input of
// the programs, so nothing is compiled again.
func (p *population) SetStructure(member int, s structure.Structure) error {
	if err := completion.Replaceable(p.members[member].Structure, s); err != nil {
		return err
	}
	p.members[member].Structure = s
	structures := make([]structure.Structure, len(p.members))
	for i, m := range p.members {
		structures[i] = m.Structure
	}
	finalize(p.operators)
	p.operators = operatorTensor(structures)
	return nil
}

// Close implements [completion.Ranker].
func (p *population) Close() {
	finalize(p.slots...)
	p.ranker.Close()
}
