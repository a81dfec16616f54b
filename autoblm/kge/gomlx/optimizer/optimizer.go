// Package optimizer has the optimizers of embeddings as GoMLX graphs, which also work in the body of
// a loop.
package optimizer

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/adam"
	. "github.com/gomlx/gomlx/core/graph"
)

// Rule is an optimizer.
type Rule struct {
	// Slots is the number of tables that the optimizer keeps for each table of a model. They have its
	// shape and start at 0.
	Slots int
	// Update takes one step on a table and returns it with its new slots. The shape of rate
	// broadcasts to that of the table; step starts at 1.
	Update func(table, gradient *Node, slots []*Node, rate, step *Node) []*Node
}

// Rules has all optimizers.
var Rules = map[kge.Optimizer]Rule{
	kge.Adagrad: {Slots: 1, Update: adagrad},
	kge.Adam:    {Slots: 2, Update: adamStep},
}

func adagrad(table, gradient *Node, slots []*Node, rate, _ *Node) []*Node {
	sum := Add(slots[0], Square(gradient))
	// AddScalar would not work: GoMLX caches scalars per graph, and one that was created in the
	// body of a loop is not visible outside.
	epsilon := Const(sum.Graph(), float32(1e-10))
	return []*Node{Sub(table, Div(Mul(gradient, rate), Add(Sqrt(sum), epsilon))), sum}
}

func adamStep(table, gradient *Node, slots []*Node, rate, step *Node) []*Node {
	moments := adam.Moments{Mean: slots[0], Square: slots[1]}
	direction, now := adam.Direction(gradient, moments, step, 1e-8)
	return []*Node{Sub(table, Mul(direction, rate)), now.Mean, now.Square}
}

// ClipNorms scales the rows of a table, along its last axis, whose norm is larger than a scalar.
func ClipNorms(table, largest *Node) *Node {
	rows := table.Shape().Rank() - 1
	batch := make([]int, rows)
	for axis := range batch {
		batch[axis] = axis
	}
	// A reduction would not do: go-xla allows one kind of reduction in only one function of a
	// program, and all others of a training step are in the body of its loop (go-xla v0.4.2).
	squares := Dot(table, table).General([]int{rows}, batch, []int{rows}, batch)
	norm := InsertAxes(Sqrt(squares), -1)
	exceeds := BroadcastToShape(GreaterThan(norm, largest), table.Shape())
	return Where(exceeds, Mul(table, Div(largest, norm)), table)
}
