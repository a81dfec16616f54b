package gomlx

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/adam"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The inputs of a call after the state, in order. A call takes some of the n
// steps whose batches it holds, or one step in n parts.
const (
	callOperators = iota // [S, mixes, K·K, K]
	callTriples          // [n, 3, b]: heads, relations, tails
	callCounts           // [n] int32: how many of the b triples are no padding
	callTake             // scalar int32: how many of the n batches to take
	callStep             // scalar int32: the number of the first step, from 1
	callKeys             // [n, S] uint32: see package dropout
	callRates            // [S]
	callWeights          // [weights, S]
	callShares           // [shares]
	callThreshold        // scalar uint32: see package dropout
	callInputs
	callPlaced = callTriples // the first that is of one call only
)

// The numbers that all members share.
const (
	shareSmoothing = iota
	shareDropout
	shareMaxNorm
	shares
)

// program is a call that trains, but for its shapes. Its state is entities [S, E, d],
// relations [S, R, d], then each of the rule's slots for the entities and for the
// relations; its outputs are the state afterwards and, [S], the losses of all triples
// added up.
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
	carried = loop(in[callTake], carried, in, func(i *Node, carried, in []*Node) []*Node {
		state, losses := carried[:len(state)], carried[len(state)]
		count := at(in[callCounts], i)
		loss, byEntity, byRelation := p.gradients(state, in, i, count, Const(g, int32(0)))
		return append(p.update(state, in, i, byEntity, byRelation), Add(losses, Mul(loss, ConvertDType(count, dtypes.Float32))))
	})
	return carried
}

// inParts takes one step: it adds up the gradients of the parts of its batch,
// which need less room than the whole.
func (p program) inParts(state, in []*Node, nothing *Node) []*Node {
	g := nothing.Graph()
	size := in[callTriples].Shape().Dim(2)
	total := ReduceAllSum(in[callCounts])
	constants := append(append([]*Node{}, in...), state[0], state[1], total)
	carried := loop(in[callTake], []*Node{zeros(g, state[0].Shape().Dimensions...), zeros(g, state[1].Shape().Dimensions...), nothing}, constants, func(i *Node, carried, constants []*Node) []*Node {
		in, state, total := constants[:callInputs], constants[callInputs:], constants[callInputs+2]
		loss, byEntity, byRelation := p.gradients(state, in, i, total, MulScalar(i, size))
		return []*Node{Add(carried[0], byEntity), Add(carried[1], byRelation), Add(carried[2], loss)}
	})
	losses := Mul(carried[2], ConvertDType(total, dtypes.Float32))
	return append(p.update(state, in, Const(g, int32(0)), carried[0], carried[1]), losses)
}

// gradients are those of batch i of the call, whose triples weigh 1/total each;
// first is the number of its first triple in its step.
func (p program) gradients(state, in []*Node, i, total, first *Node) (loss, byEntity, byRelation *Node) {
	ids := at(in[callTriples], i)
	b := gatherBatch(state[0], state[1], in[callOperators], ids, p.reciprocal)
	return lossAndGradients(p.recipe, b, terms{
		triples:   tripleWeights(ids.Shape().Dim(1), at(in[callCounts], i), total),
		weights:   in[callWeights],
		smoothing: share(in, shareSmoothing),
		dropout:   share(in, shareDropout),
		threshold: in[callThreshold],
		keys:      at(in[callKeys], i),
		first:     first,
	})
}

// update is the state after step i of the call.
func (p program) update(state, in []*Node, i, byEntity, byRelation *Node) []*Node {
	rate := Reshape(in[callRates], -1, 1, 1)
	step := ConvertDType(Add(in[callStep], i), dtypes.Float32)
	after := make([]*Node, len(state))
	for first, gradient := range []*Node{byEntity, byRelation} {
		var of []*Node // a table and its slots
		for n := first; n < len(state); n += 2 {
			of = append(of, state[n])
		}
		for n, x := range updateRules[p.optimizer].update(of[0], gradient, of[1:], rate, step) {
			after[first+2*n] = x
		}
	}
	if p.maxNorm {
		entities, longest := after[0], share(in, shareMaxNorm)
		length := ExpandAxes(Sqrt(squares(entities)), 2)
		after[0] = Where(BroadcastToShape(GreaterThan(length, longest), entities.Shape()), Mul(entities, Div(longest, length)), entities)
	}
	return after
}

// updateRule takes one step on a table [S, rows, d], and returns it with its slots: what
// the rule remembers, tables of the same shape that start from 0. rate is [S, 1, 1];
// step counts from 1.
type updateRule struct {
	slots  int
	update func(table, gradient *Node, slots []*Node, rate, step *Node) []*Node
}

var updateRules = map[kge.Optimizer]updateRule{
	kge.Adagrad: {slots: 1, update: func(table, gradient *Node, slots []*Node, rate, _ *Node) []*Node {
		sum := Add(slots[0], Square(gradient))
		// No operation with a scalar: GoMLX keeps one scalar of a value for the whole graph,
		// and the body of a loop, where it may have been made, cannot be seen from outside.
		tiny := Const(sum.Graph(), float32(1e-10))
		return []*Node{Sub(table, Div(Mul(gradient, rate), Add(Sqrt(sum), tiny))), sum}
	}},
	kge.Adam: {slots: 2, update: func(table, gradient *Node, slots []*Node, rate, step *Node) []*Node {
		direction, now := adam.Direction(gradient, adam.Moments{Mean: slots[0], Square: slots[1]}, step, 1e-8)
		return []*Node{Sub(table, Mul(direction, rate)), now.Mean, now.Square}
	}},
}

// zeros begin a sum around a loop.
func zeros(g *Graph, dims ...int) *Node { return BroadcastToDims(Const(g, float32(0)), dims...) }

// at is entry i of x along its first axis.
func at(x, i *Node) *Node { return Gather(x, Reshape(i, 1)) }

// squares is [S, E], the squared lengths of [S, E, d]. It is no reduction, of which
// go-xla lets a program have one kind in one function only: in a loop's body, where
// they all are here, or around it (go-xla v0.4.2).
func squares(x *Node) *Node {
	return Dot(x, x).General([]int{2}, []int{0, 1}, []int{2}, []int{0, 1})
}

// share is one of the numbers that all members share.
func share(in []*Node, which int) *Node {
	return Reshape(Slice(in[callShares], AxisRange(which, which+1)))
}

// loop runs body for i = 0…count-1. body sees the constants too; what it carries
// from one turn to the next keeps its shapes.
//
// All that the body needs goes round as the loop's state: not every backend lets
// a body see the values around it.
func loop(count *Node, carried, constants []*Node, body func(i *Node, carried, constants []*Node) []*Node) []*Node {
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
	turn := NewClosure(g, func(g *Graph) []*Node {
		all := parameters(g)
		next := body(all[0], all[2:2+len(carried)], all[2+len(carried):])
		out := append([]*Node{AddScalar(all[0], 1), all[1]}, next...)
		return append(out, all[2+len(carried):]...)
	})
	return While(condition, turn, state...)[2 : 2+len(carried)]
}
