package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// box has the graphs of [form.Query2box].
type box struct{}

func (box) hop(_ *pass, states *Node, h hop) *Node {
	move, grow := relationRow(h.rows[0], 0), relationRow(h.rows[0], 1)
	return Add(states, Concatenate([]*Node{Mul(move, h.sign), MaxScalar(grow, 0)}, 1))
}

// relationRow returns a row of a table with several rows for each relation, [questions, 1, columns].
func relationRow(rows *Node, i int) *Node { return Slice(rows, AxisRange(), AxisElem(i)) }

func (box) scores(_ *pass, states, entities *Node) *Node {
	const inside = 0.02 // weight of the distance inside a box
	away, half := Abs(differences(states, 0, entities)), InsertAxes(stateRow(states, 1), 2)
	near := Min(away, BroadcastToShape(half, away.Shape()))
	return Neg(ReduceSum(Add(MaxScalar(Sub(away, half), 0), MulScalar(near, inside)), 3))
}
