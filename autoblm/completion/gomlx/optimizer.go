package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	. "github.com/gomlx/gomlx/core/graph"
)

// updateRule takes one step on a table [S, rows, d]. slots are what the rule
// remembers, tables of the same shape that start from 0; rate is [S, 1, 1];
// step counts from 1.
type updateRule struct {
	slots  int
	update func(table, gradient *Node, slots []*Node, rate, step *Node) (*Node, []*Node)
}

var updateRules = map[completion.Optimizer]updateRule{
	completion.Adagrad: {slots: 1, update: adagrad},
	completion.Adam:    {slots: 2, update: adam},
}

func adagrad(table, gradient *Node, slots []*Node, rate, _ *Node) (*Node, []*Node) {
	const epsilon = 1e-10
	sum := Add(slots[0], Square(gradient))
	change := Div(Mul(gradient, rate), AddScalar(Sqrt(sum), epsilon))
	return Sub(table, change), []*Node{sum}
}

func adam(table, gradient *Node, slots []*Node, rate, step *Node) (*Node, []*Node) {
	const beta1, beta2, epsilon = 0.9, 0.999, 1e-8
	mean := Add(MulScalar(slots[0], beta1), MulScalar(gradient, 1-beta1))
	square := Add(MulScalar(slots[1], beta2), MulScalar(Square(gradient), 1-beta2))
	corrected := func(moving *Node, beta float64) *Node {
		return Div(moving, OneMinus(Pow(ConstAs(step, beta), step)))
	}
	change := Div(Mul(corrected(mean, beta1), rate), AddScalar(Sqrt(corrected(square, beta2)), epsilon))
	return Sub(table, change), []*Node{mean, square}
}
