package gomlx

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// The inputs of a training step after the state, in order.
const (
	stepEntityIDs   = iota // [2, b]: heads, then tails
	stepRelationIDs        // [b]
	stepWeights            // [b]: see lossAndGradients
	stepOperators          // [S, 2, K·K, K]
	stepRate               // [S]
	stepL2                 // [S]
	stepN3                 // [S]
	stepCount              // scalar: the number of this step, from 1
	stepInputs
)

// trainingStep is the graph of one step. The state is entities [S, E, d],
// relations [S, R, d], then the rule's slots for the entities and those for
// the relations; the outputs are the state after the step and the loss [S].
func trainingStep(rule updateRule) func(g *Graph, inputs []*Node) []*Node {
	return func(_ *Graph, inputs []*Node) []*Node {
		state, in := inputs[:len(inputs)-stepInputs], inputs[len(inputs)-stepInputs:]
		entities, relations, slots := state[0], state[1], state[2:]
		b := gatherBatch(entities, relations, in[stepOperators], in[stepEntityIDs], in[stepRelationIDs])
		loss, entityGradient, relationGradient := lossAndGradients(b, relations, in[stepWeights], penalties{in[stepL2], in[stepN3]})
		rate := Reshape(in[stepRate], -1, 1, 1)
		entities, entitySlots := rule.update(entities, entityGradient, slots[:rule.slots], rate, in[stepCount])
		relations, relationSlots := rule.update(relations, relationGradient, slots[rule.slots:], rate, in[stepCount])
		outputs := []*Node{entities, relations}
		outputs = append(outputs, entitySlots...)
		outputs = append(outputs, relationSlots...)
		return append(outputs, loss)
	}
}
