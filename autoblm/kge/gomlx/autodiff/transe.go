package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// transE has the graphs of [form.TransE].
type transE struct{}

func (transE) hop(_ *pass, states *Node, h hop) *Node {
	return Add(states, Mul(h.rows[0], h.sign))
}

func (transE) scores(_ *pass, states, entities *Node) *Node {
	return Neg(ReduceSum(Abs(differences(states, 0, entities)), 3))
}

// differences returns entities minus a row of states, [blocks, questions, n, d].
func differences(states *Node, row int, entities *Node) *Node {
	return Sub(InsertAxes(entities, 1), InsertAxes(stateRow(states, row), 2))
}

// stateRow returns a row of states, [blocks, questions, d].
func stateRow(states *Node, row int) *Node {
	return Squeeze(Slice(states, AxisRange(), AxisRange(), AxisRange(row, row+1)), 2)
}
