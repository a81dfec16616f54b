package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// bilinear has the graphs of [form.Bilinear] and, if it moves states, of [form.Translated].
type bilinear struct {
	products
	moves bool
}

func (f bilinear) hop(c *pass, states *Node, h hop) *Node {
	forward := func() *Node {
		if f.moves {
			states := Add(states, h.rows[1])
			return c.mix(states, h.rows[0], 0)
		}
		return c.mix(states, h.rows[0], 0)
	}
	return h.choose(forward, func() *Node { return c.mix(states, h.rows[0], 1) })
}

// mix multiplies states with the matrices that a structure gives for rows of relations, or with
// their transposes. All are [questions, 1, d].
func (c *pass) mix(states, relations *Node, transposed int) *Node {
	k, questions := c.operators.Shape().Dim(2), states.Shape().Dim(0)
	outer := Mul(Reshape(states, questions, k, 1, -1), Reshape(relations, questions, 1, k, -1))
	outer = Reshape(outer, questions, k*k, -1)
	operator := Squeeze(Slice(c.operators, AxisElem(transposed)), 0)
	mixed := Dot(outer, operator).General([]int{1}, nil, []int{0}, nil) // [questions, d/K, K]
	return ReshapeWithShape(TransposeAllAxes(mixed, 0, 2, 1), states.Shape())
}
