package gomlx

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/gomlx/gomlx/core/graph"
	"github.com/gomlx/gomlx/core/tensors"
)

// trainingKey is what decides a training program, but for its shapes.
type trainingKey struct {
	recipe
	optimizer      kge.Optimizer
	maxNorm, split bool
}

func (e *Engine) training(key trainingKey) (*graph.Exec, error) {
	return cached(e, e.trainers, key, func() (*graph.Exec, error) {
		rule := updateRules[key.optimizer]
		p := program{recipe: key.recipe, rule: rule, maxNorm: key.maxNorm, split: key.split}
		state := 2 + 2*rule.slots
		return e.program("train-"+key.optimizer.String(), p.graph, state+callInputs, state+1)
	})
}

const (
	// callSteps is the most steps that a call takes.
	callSteps = 64
	// callSeconds is about how long a call may last: as long as a user waits for
	// an interruption to be heard.
	callSeconds = 0.5
)

// population is a set of models in training, all at a time.
type population struct {
	*ranker
	settings kge.Settings
	members  []kge.Member
	program  *graph.Exec
	slots    []*tensors.Tensor // of the entities, then of the relations
	batch    int               // triples in a step
	parts    int               // of a step
	steps    int               // taken so far
	perStep  float64           // seconds of a step in the last call; 0 before the first
}

// NewPopulation implements [kge.Engine].
func (e *Engine) NewPopulation(d *kge.Data, s kge.Settings, members []kge.Member) (kge.Population, error) {
	size := sizes{
		members: len(members), entities: len(d.Entities), relations: len(d.Relations), dim: s.Dim, k: members[0].Structure.K(),
		batch: min(s.Batch, d.Count), slots: updateRules[s.Optimizer].slots, halfScores: e.settings.HalfScores,
	}
	if s.Reciprocal {
		size.relations *= 2
	}
	plan := size.plan(e.settings.Memory)
	if note := size.note(plan, e.settings.Memory); note != "" {
		e.settings.Note(note)
	}
	if plan.members == len(members) {
		return e.newPopulation(d, s, members, size.batch, plan.parts)
	}
	all := &groups{size: plan.members}
	for some := range slices.Chunk(members, plan.members) {
		p, err := e.newPopulation(d, s, some, size.batch, plan.parts)
		if err != nil {
			all.Close()
			return nil, err
		}
		all.populations = append(all.populations, p)
	}
	return all, nil
}

func (e *Engine) newPopulation(d *kge.Data, s kge.Settings, members []kge.Member, batch, parts int) (*population, error) {
	key := trainingKey{optimizer: s.Optimizer, maxNorm: s.MaxNorm > 0, split: parts > 1, recipe: recipe{
		reciprocal: s.Reciprocal, dropout: s.Dropout > 0, smoothing: s.LabelSmoothing > 0, halfScores: e.settings.HalfScores,
		products:           slices.ContainsFunc(members, func(m kge.Member) bool { return m.Products > 0 }),
		relationPrediction: slices.ContainsFunc(members, func(m kge.Member) bool { return m.RelationPrediction > 0 }),
	}}
	program, err := e.training(key)
	if err != nil {
		return nil, err
	}
	parameters := make([]kge.Parameters, len(members))
	for i, m := range members {
		parameters[i] = kge.Initialize(d, s, m)
	}
	placed, err := e.newRanker(parameters)
	if err != nil {
		return nil, err
	}
	p := &population{ranker: placed, settings: s, members: slices.Clone(members), program: program, batch: batch, parts: parts}
	for _, table := range []*tensors.Tensor{placed.entities, placed.relations} {
		for range updateRules[s.Optimizer].slots {
			p.slots = append(p.slots, tensors.FromShape(table.Shape()))
		}
	}
	arguments := p.arguments(nil, make([]float64, len(members)))
	defer finalizeBut(callOperators, arguments)
	if err := e.compile(program, append(p.state(), arguments...)); err != nil {
		p.Close()
		return nil, fmt.Errorf("cannot compile the training step: %w", outOfMemory(err))
	}
	return p, nil
}

func (p *population) state() []*tensors.Tensor {
	return append([]*tensors.Tensor{p.entities, p.relations}, p.slots...)
}

// rows is how many triples a batch of a call has.
func (p *population) rows() int { return (p.batch + p.parts - 1) / p.parts }

// room is how many batches a call has.
func (p *population) room() int {
	if p.parts > 1 {
		return p.parts
	}
	return callSteps
}

// arguments are the inputs of a call that takes the given batches, after the state.
func (p *population) arguments(batches [][]kge.Example, rates []float64) []*tensors.Tensor {
	room, rows, members := p.room(), p.rows(), len(p.members)
	ids, counts, keys := make([]int32, room*3*rows), make([]int32, room), make([]uint32, room*members)
	for i, batch := range batches {
		fillIDs(ids[i*3*rows:], triplesOf(batch), rows)
		counts[i] = int32(len(batch))
		for m, member := range p.members {
			step := p.steps + 1
			if p.parts == 1 {
				step += i
			}
			keys[i*members+m] = dropout.Key(member.Seed, step)
		}
	}
	narrow := func(values []float64) *tensors.Tensor {
		x := make([]float32, len(values))
		for i, v := range values {
			x[i] = float32(v)
		}
		return tensors.FromFlatDataAndDimensions(x, len(x))
	}
	arguments := make([]*tensors.Tensor, callInputs)
	arguments[callTriples] = tensors.FromFlatDataAndDimensions(ids, room, 3, rows)
	arguments[callCounts] = tensors.FromFlatDataAndDimensions(counts, room)
	arguments[callTake] = tensors.FromScalar(int32(len(batches)))
	arguments[callStep] = tensors.FromScalar(int32(p.steps + 1))
	arguments[callKeys] = tensors.FromFlatDataAndDimensions(keys, room, members)
	arguments[callOperators] = p.operators
	arguments[callRates] = narrow(rates)
	arguments[callWeights] = p.weights()
	arguments[callShares] = narrow([]float64{shareSmoothing: p.settings.LabelSmoothing, shareDropout: p.settings.Dropout, shareMaxNorm: p.settings.MaxNorm})
	arguments[callThreshold] = tensors.FromScalar(dropout.Threshold(p.settings.Dropout))
	return arguments
}

// weights is [weights, S].
func (p *population) weights() *tensors.Tensor {
	members := len(p.members)
	values := make([]float32, weights*members)
	for i, m := range p.members {
		for which, weight := range map[int]float64{
			weightL2: m.L2, weightN3: m.N3, weightRelationL2: m.RelationL2, weightEntityL2: m.EntityL2,
			weightProducts: m.Products, weightRelationPrediction: m.RelationPrediction,
		} {
			values[which*members+i] = float32(weight)
		}
	}
	return tensors.FromFlatDataAndDimensions(values, weights, members)
}

// triplesOf are the triples of examples, which have one hop along a relation.
func triplesOf(examples []kge.Example) []datasets.Triple {
	triples := make([]datasets.Triple, len(examples))
	for i, x := range examples {
		triples[i] = datasets.Triple{Head: x.Anchor, Relation: x.Path[0] / 2, Tail: x.Target}
	}
	return triples
}

// fillIDs writes triples as heads, relations and tails, size numbers each.
func fillIDs(to []int32, triples []datasets.Triple, size int) {
	for i, t := range triples {
		to[i], to[size+i], to[2*size+i] = t.Head, t.Relation, t.Tail
	}
}

// Epoch implements [kge.Population]. The first call takes one step, to see
// how long that lasts.
func (p *population) Epoch(ctx context.Context, all [][]kge.Example, rates []float64) (kge.Epoch, error) {
	epoch := kge.Epoch{Loss: make([]float64, len(p.members))}
	examples := slices.Concat(all...)
	for done := 0; done < len(examples); {
		if err := ctx.Err(); err != nil {
			return epoch, err
		}
		batches, taken := p.next(examples[done:])
		steps := len(batches)
		if p.parts > 1 {
			steps = 1
		}
		began := time.Now()
		losses, err := p.call(batches, rates)
		if err != nil {
			return epoch, err
		}
		p.steps += steps
		p.perStep = time.Since(began).Seconds() / float64(steps)
		epoch.StepSeconds = append(epoch.StepSeconds, slices.Repeat([]float64{p.perStep}, steps)...)
		for i, l := range losses {
			epoch.Loss[i] += float64(l) / float64(len(examples))
		}
		done += taken
	}
	return epoch, nil
}

// next are the batches of the next call, and how many examples they have. All batches of
// an epoch but the last are full.
func (p *population) next(examples []kge.Example) (batches [][]kge.Example, taken int) {
	most := p.batch // of a step
	if p.parts == 1 {
		steps := 1
		if p.perStep > 0 {
			steps = int(callSeconds / p.perStep)
		}
		most *= max(1, min(steps, callSteps))
	}
	taken = min(most, len(examples))
	return slices.Collect(slices.Chunk(examples[:taken], p.rows())), taken
}

// call takes steps and returns each member's losses of all triples added up.
func (p *population) call(batches [][]kge.Example, rates []float64) ([]float32, error) {
	var arguments []any
	for _, t := range p.state() { // the call writes the next state over this one
		donated, err := graph.DonateTensorBuffer(t, p.engine.backend, 0)
		if err != nil {
			return nil, err
		}
		arguments = append(arguments, donated)
	}
	rest := p.arguments(batches, rates)
	for _, t := range rest {
		arguments = append(arguments, t)
	}
	defer finalizeBut(callOperators, rest)
	outputs, err := p.program.Call(arguments...)
	if err != nil {
		return nil, fmt.Errorf("a training step failed: %w", outOfMemory(err))
	}
	last := len(outputs) - 1
	p.entities, p.relations, p.slots = outputs[0], outputs[1], outputs[2:last]
	losses, err := tensors.CopyFlatData[float32](outputs[last])
	return losses, errors.Join(err, outputs[last].FinalizeAll())
}

// outOfMemory adds the mend to an error that says that the device is full.
func outOfMemory(err error) error {
	if strings.Contains(err.Error(), "RESOURCE_EXHAUSTED") || strings.Contains(strings.ToLower(err.Error()), "out of memory") {
		return fmt.Errorf("%w: the device has less memory free than was thought; allow less of it, or take smaller batches, dimensions or populations", err)
	}
	return err
}

// Parameters implements [kge.Population].
func (p *population) Parameters(member int) (kge.Parameters, error) {
	m := p.members[member]
	entities, err := p.memberTable(p.entities, member, m.Structure)
	if err != nil {
		return kge.Parameters{}, err
	}
	relations, err := p.memberTable(p.relations, member, m.Structure)
	return kge.Parameters{Structure: m.Structure, Dim: p.dim, Reciprocal: p.reciprocal, Tables: kge.Tables{Entities: entities, Relations: relations}}, err
}

func (p *population) memberTable(stacked *tensors.Tensor, member int, s structure.Structure) ([]float32, error) {
	size := stacked.Shape().Dim(1) * stacked.Shape().Dim(2)
	table := make([]float32, size)
	err := tensors.ConstFlatData(stacked, func(all []float32) {
		deinterleave(table, all[member*size:][:size], p.dim, s.K())
	})
	return table, err
}

// SetStructure implements [kge.Population]. The operators are an input of
// the programs, so nothing is compiled again.
func (p *population) SetStructure(member int, s structure.Structure) error {
	if err := kge.Replaceable(p.members[member].Structure, s); err != nil {
		return err
	}
	p.members[member].Structure = s
	finalize(p.operators)
	p.operators = operatorTensor(p.structures())
	return nil
}

func (p *population) structures() []structure.Structure {
	all := make([]structure.Structure, len(p.members))
	for i, m := range p.members {
		all[i] = m.Structure
	}
	return all
}

// Close implements [kge.Ranker].
func (p *population) Close() {
	finalize(p.slots...)
	p.ranker.Close()
}
