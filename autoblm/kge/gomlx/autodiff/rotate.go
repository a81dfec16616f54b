package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// rotatE has the graphs of [form.RotatE].
type rotatE struct{}

func (rotatE) hop(_ *pass, states *Node, h hop) *Node {
	angles := Mul(h.rows[0], h.sign)
	sin, cos := Sin(angles), Cos(angles)
	x, y := halves(states)
	return Concatenate([]*Node{
		Sub(Mul(cos, x), Mul(sin, y)), Add(Mul(sin, x), Mul(cos, y)),
	}, -1)
}

func (rotatE) scores(_ *pass, states, entities *Node) *Node {
	x, y := halves(differences(states, 0, entities))
	return Neg(ReduceSum(root(Add(Square(x), Square(y))), 3))
}

// halves divides the last axis.
func halves(x *Node) (first, second *Node) {
	half := x.Shape().Dim(-1) / 2
	return Slice(x, AxisRange().Spacer(), AxisRange(0, half)), Slice(x, AxisRange().Spacer(), AxisRange(half))
}

// root returns the square root. Its gradient at 0 is 0.
func root(x *Node) *Node {
	const least = 1e-30
	return Sqrt(MaxScalar(x, least))
}
