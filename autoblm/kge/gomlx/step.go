package gomlx

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/optimizer"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The inputs of a call after the state, in order. A call has room for n batches: it takes up
// to n steps, or one step in n parts.
const (
	callOperators      = iota // [S, mixes, K·K, K]
	callEntityScales          // [S·E, 1]: factors of penalties, see [kge.PenaltyScales]
	callRelationScales        // [S·R, 1]
	callTriples               // [n, 3, b]: heads, relations, tails
	callCounts                // [n] int32: triples of a batch without padding
	callBatches               // scalar int32: batches to process
	callStep                  // scalar int32: number of the first step, from 1
	callKeys                  // [n, S] uint32: see package dropout
	callInputKeys             // [n, S] uint32: of the dropout of inputs
	callRates                 // [S]
	callWeights               // [weights, S]
	callScalars               // [scalars]
	callThreshold             // scalar uint32: see package dropout
	callInputThreshold        // scalar uint32: of the dropout of inputs
	callInputs
	callFirstFresh = callTriples // the first input that is new in each call
)

// The numbers that are common to all members.
const (
	scalarDropout = iota
	scalarInputDropout
	scalarMaxNorm
	scalars
)

// program is a training call for any shapes. Its state is entities [S, E, d], relations
// [S, R, d], and each optimizer slot for entities and for relations. Its outputs are the new
// state and the summed losses of all triples, [S].
type program struct {
	recipe
	optimizer kge.Optimizer
	maxNorm   bool
	split     bool // the batches of a call are the parts of one step
}

func (p program) graph(g *Graph, inputs []*Node) []*Node {
	state, in := inputs[:len(inputs)-callInputs], inputs[len(inputs)-callInputs:]
	nothing := zeros(g, state[0].Shape().Dim(0))
	if p.split {
		return p.inParts(state, in, nothing)
	}
	carried := append(append([]*Node{}, state...), nothing)
	carried = loop(in[callBatches], carried, in, func(i *Node, carried, in []*Node) []*Node {
		state, losses := carried[:len(state)], carried[len(state)]
		count := at(in[callCounts], i)
		result := p.gradients(state, in, i, count, Const(g, int32(0)))
		losses = Add(losses, Mul(result.loss, ConvertDType(count, dtypes.Float32)))
		after := p.update(state, in, i, result.byEntity, result.byRelation)
		if p.norm {
			after[1] = withAverages(after[1], result.averages)
		}
		return append(after, losses)
	})
	return carried
}

// inParts takes one step. It sums the gradients of the parts of its batch, which need less
// memory than the whole.
func (p program) inParts(state, in []*Node, nothing *Node) []*Node {
	g := nothing.Graph()
	size := in[callTriples].Shape().Dim(2)
	total := ReduceAllSum(in[callCounts])
	constants := append(append([]*Node{}, in...), state[0], state[1], total)
	sums := []*Node{
		zeros(g, state[0].Shape().Dimensions...), zeros(g, state[1].Shape().Dimensions...), nothing,
	}
	addPart := func(i *Node, carried, constants []*Node) []*Node {
		in, state, total := constants[:callInputs], constants[callInputs:], constants[callInputs+2]
		part := p.gradients(state, in, i, total, MulScalar(i, size))
		return []*Node{
			Add(carried[0], part.byEntity), Add(carried[1], part.byRelation), Add(carried[2], part.loss),
		}
	}
	carried := loop(in[callBatches], sums, constants, addPart)
	losses := Mul(carried[2], ConvertDType(total, dtypes.Float32))
	return append(p.update(state, in, Const(g, int32(0)), carried[0], carried[1]), losses)
}

// gradients returns the loss and gradients of batch i of the call. Each triple has weight
// 1/total; first is the number of the batch's first triple in its step.
func (p program) gradients(state, in []*Node, i, total, first *Node) results {
	ids := at(in[callTriples], i)
	b := gatherBatch(state[0], state[1], in[callOperators], ids, p.shape)
	if p.scaled {
		b.scale(in[callEntityScales], in[callRelationScales])
	}
	return lossAndGradients(p.recipe, b, terms{
		triples: tripleWeights(ids.Shape().Dim(1), at(in[callCounts], i), total),
		weights: in[callWeights],
		queries: drop{scalar(in, scalarDropout), in[callThreshold], at(in[callKeys], i)},
		inputs:  drop{scalar(in, scalarInputDropout), in[callInputThreshold], at(in[callInputKeys], i)},
		first:   first,
	})
}

// update returns the state after step i of the call.
func (p program) update(state, in []*Node, i, byEntity, byRelation *Node) []*Node {
	rate := Reshape(in[callRates], -1, 1, 1)
	step := ConvertDType(Add(in[callStep], i), dtypes.Float32)
	after := make([]*Node, len(state))
	for first, gradient := range []*Node{byEntity, byRelation} {
		var tables []*Node // a table and its slots
		for n := first; n < len(state); n += 2 {
			tables = append(tables, state[n])
		}
		update := optimizer.Rules[p.optimizer].Update
		for n, x := range update(tables[0], gradient, tables[1:], rate, step) {
			after[first+2*n] = x
		}
	}
	if p.maxNorm {
		after[0] = optimizer.ClipNorms(after[0], scalar(in, scalarMaxNorm))
	}
	return after
}

// zeros returns the start of a sum over a loop.
func zeros(g *Graph, dims ...int) *Node { return BroadcastToDims(Const(g, float32(0)), dims...) }

// at returns entry i of x along its first axis.
func at(x, i *Node) *Node { return Gather(x, Reshape(i, 1)) }

// scalar returns one of the numbers that are common to all members.
func scalar(in []*Node, which int) *Node {
	return Reshape(Slice(in[callScalars], AxisRange(which, which+1)))
}

// loop runs body for i = 0…count-1. The carried values keep their shapes.
//
// Constants are part of the loop's state, because not every backend lets a body use values
// from outside.
func loop(
	count *Node, carried, constants []*Node,
	body func(i *Node, carried, constants []*Node) []*Node,
) []*Node {
	g := count.Graph()
	state := append([]*Node{Const(g, int32(0)), count}, carried...)
	state = append(state, constants...)
	parameters := func(g *Graph) []*Node {
		all := make([]*Node, len(state))
		for n, x := range state {
			all[n] = Parameter(g, fmt.Sprint("state", n), x.Shape())
		}
		return all
	}
	condition := NewClosure(g, func(g *Graph) []*Node {
		all := parameters(g)
		return []*Node{LessThan(all[0], all[1])}
	})
	iteration := NewClosure(g, func(g *Graph) []*Node {
		all := parameters(g)
		next := body(all[0], all[2:2+len(carried)], all[2+len(carried):])
		out := append([]*Node{AddScalar(all[0], 1), all[1]}, next...)
		return append(out, all[2+len(carried):]...)
	})
	return While(condition, iteration, state...)[2 : 2+len(carried)]
}
