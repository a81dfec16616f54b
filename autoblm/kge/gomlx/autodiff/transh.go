package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// transH has the graphs of [form.TransH].
type transH struct{}

func (transH) hop(_ *pass, states *Node, h hop) *Node {
	x := Slice(states, AxisRange(), AxisElem(0))
	translation, normal := relationRow(h.rows[0], 0), relationRow(h.rows[0], 1)
	normal = Div(normal, root(ReduceAndKeep(Square(normal), ReduceSum, 2)))
	projected := Sub(x, Mul(normal, ReduceAndKeep(Mul(x, normal), ReduceSum, 2)))
	return Concatenate([]*Node{Add(projected, Mul(translation, h.sign)), normal}, 1)
}

// scores returns -|p - y|², where y = x - (wᵀx)w is the projection of an entity x. It expands into
// scalar products, so that no table of differences is needed.
func (transH) scores(_ *pass, states, entities *Node) *Node {
	p, w := stateRow(states, 0), stateRow(states, 1)
	dot := func(x, y *Node) *Node { return ReduceAndKeep(Mul(x, y), ReduceSum, 2) }
	along := inner(w, entities)
	squared := InsertAxes(ReduceSum(Square(entities), 2), 1)
	squared = Add(squared, Mul(Square(along), AddScalar(dot(w, w), -2))) // |y|²
	crossed := Sub(inner(p, entities), Mul(along, dot(p, w)))            // pᵀy
	return Sub(MulScalar(crossed, 2), Add(squared, dot(p, p)))
}
