package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/internal/adam"
	. "github.com/gomlx/gomlx/core/graph"
)

// updateRule takes one step on a table [S, rows, d]. slots are what the rule
// remembers, tables of the same shape that start from 0; rate is [S, 1, 1];
// step counts from 1.
type updateRule struct {
	slots  int
	update func(table, gradient *Node, slots []*Node, rate, step *Node) (*Node, []*Node)
}

var updateRules = map[kge.Optimizer]updateRule{
	kge.Adagrad: {slots: 1, update: adagrad},
	kge.Adam:    {slots: 2, update: adamUpdate},
}

func adagrad(table, gradient *Node, slots []*Node, rate, _ *Node) (*Node, []*Node) {
	sum := Add(slots[0], Square(gradient))
	change := Div(Mul(gradient, rate), Add(Sqrt(sum), number(sum, 1e-10)))
	return Sub(table, change), []*Node{sum}
}

func adamUpdate(table, gradient *Node, slots []*Node, rate, step *Node) (*Node, []*Node) {
	direction, now := adam.Direction(gradient, adam.Moments{Mean: slots[0], Square: slots[1]}, step, 1e-8)
	return Sub(table, Mul(direction, rate)), []*Node{now.Mean, now.Square}
}

// number is a constant of the function that is being built. Operations with
// scalars would not do: GoMLX keeps one scalar of a value for the whole graph, and
// the body of a loop, where it may have been made, cannot be seen from outside.
func number(like *Node, value float64) *Node { return Const(like.Graph(), float32(value)) }
