package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// pairRE has the graphs of [form.PairRE].
type pairRE struct{}

func (pairRE) hop(_ *pass, states *Node, h hop) *Node {
	forHeads, forTails := relationRow(h.rows[0], 0), relationRow(h.rows[0], 1)
	itself := func(x *Node) func() *Node { return func() *Node { return x } }
	ofHead := h.choose(itself(forHeads), itself(forTails))
	ofTail := h.choose(itself(forTails), itself(forHeads))
	x, w := Slice(states, AxisRange(), AxisElem(0)), ofTail
	if h.isFirst {
		x = unit(x)
	} else {
		w = Mul(Slice(states, AxisRange(), AxisElem(1)), ofTail)
	}
	return Concatenate([]*Node{Mul(x, ofHead), w}, 1)
}

// unit divides the rows of x, along its last axis, by their norms.
func unit(x *Node) *Node {
	const least = form.LeastNorm * form.LeastNorm
	return Div(x, Sqrt(MaxScalar(ReduceAndKeep(Square(x), ReduceSum, -1), least)))
}

func (pairRE) scores(_ *pass, states, entities *Node) *Node {
	x, w := InsertAxes(stateRow(states, 0), 2), InsertAxes(stateRow(states, 1), 2)
	return Neg(ReduceSum(Abs(Sub(x, Mul(w, InsertAxes(unit(entities), 1)))), 3))
}
