package surrogate

import (
	"github.com/autoblm/autoblm-go/internal/adam"
	"github.com/gomlx/gomlx/core/graph"
)

// The state of a descent, in order. The last four change with each step; the
// others are included because a loop can only read its state.
const (
	stateInputs   = iota // [n, F]
	stateScores          // [n]
	stateShares          // [n]: of the examples in the mean, and 0 for padding
	stateRate            // scalar
	stateDecay           // scalar
	stateSteps           // int32: how many to take
	stateTaken           // int32: how many were taken
	stateTable           // [H, F+1]
	stateMean            // [H, F+1]: moving mean of the gradient
	stateVariance        // [H, F+1]: moving mean of its square
	stateSize
)

// descend returns the graph of a whole fit: steps of AdamW (Loshchilov and Hutter,
// ICLR 2019) over all examples, in one loop. It returns the table.
func descend(g *graph.Graph, initial []*graph.Node) []*graph.Node {
	state := func(g *graph.Graph) []*graph.Node {
		nodes := make([]*graph.Node, stateSize)
		for i, x := range initial {
			nodes[i] = graph.Parameter(g, "", x.Shape())
		}
		return nodes
	}
	more := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		s := state(g)
		return []*graph.Node{graph.LessThan(s[stateTaken], s[stateSteps])}
	})
	step := graph.NewClosure(g, func(g *graph.Graph) []*graph.Node {
		s := state(g)
		l := pass(s[stateTable], s[stateInputs])
		adamW(s, l.gradient(s[stateInputs], s[stateScores], s[stateShares]))
		return s
	})
	return graph.While(more, step, initial...)[stateTable : stateTable+1]
}

// gradient returns the gradient of Σ share·(output - score)² with respect to the table. It
// is written out because GoMLX cannot differentiate inside the body of a loop.
func (l layers) gradient(inputs, scores, shares *graph.Node) *graph.Node {
	slope := graph.Mul(graph.Sub(l.outputs, scores), graph.MulScalar(shares, 2)) // [n]
	toWeights := contract(l.after, 1, slope, 0)
	zero := graph.ScalarZero(slope.Graph(), slope.DType())
	active := graph.ConvertDType(graph.GreaterThan(l.before, zero), slope.DType())
	outer := graph.Mul(graph.Reshape(l.weights, -1, 1), graph.Reshape(slope, 1, -1))
	toUnits := graph.Mul(active, outer)
	return graph.Concatenate([]*graph.Node{
		contract(toUnits, 1, inputs, 0),
		graph.Reshape(toWeights, -1, 1),
	}, 1)
}

// adamW takes one step.
func adamW(s []*graph.Node, gradient *graph.Node) {
	s[stateTaken] = graph.AddScalar(s[stateTaken], 1)
	count := graph.ConvertDType(s[stateTaken], gradient.DType())
	before := adam.Moments{Mean: s[stateMean], Square: s[stateVariance]}
	direction, now := adam.Direction(gradient, before, count, 1e-7)
	s[stateMean], s[stateVariance] = now.Mean, now.Square
	decay := graph.Mul(s[stateTable], s[stateDecay])
	s[stateTable] = graph.Sub(s[stateTable], graph.Mul(graph.Add(direction, decay), s[stateRate]))
}
