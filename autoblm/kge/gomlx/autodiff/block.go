package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// block has the graphs of [form.Block] and [form.GQE].
type block struct{ products }

func (block) hop(_ *pass, states *Node, h hop) *Node {
	shape, numbers := states.Shape(), h.rows[0].Shape().Size()/states.Shape().Dim(0)
	questions, d := shape.Dim(0), shape.Dim(2)
	size := numbers / d
	matrices := Reshape(h.rows[0], questions, size, size, -1) // R_ij[p]
	// Products of vectors with matrices [size, size] at each position, over axis i or j.
	product := func(axis int) *Node {
		x := Reshape(states, questions, size, -1)
		mixed := Dot(x, matrices).General([]int{1}, []int{0, 2}, []int{axis}, []int{0, 3})
		return ReshapeWithShape(TransposeAllAxes(mixed, 0, 2, 1), shape)
	}
	return h.choose(func() *Node { return product(1) }, func() *Node { return product(2) })
}
