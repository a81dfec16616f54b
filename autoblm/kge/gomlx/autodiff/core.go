package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// core has the graphs of [form.Core].
type core struct{ products }

func (core) hop(c *pass, states *Node, h hop) *Node {
	shape, partitions := states.Shape(), c.form.Partitions()
	questions, size := shape.Dim(0), shape.Dim(2)/partitions
	matrices := coreMatrices(c, h)
	x := Reshape(states, questions, partitions, size)
	product := func(axis int) *Node {
		mixed := Dot(x, matrices).General([]int{2}, []int{1, 0}, []int{axis}, []int{0, 1})
		return ReshapeWithShape(TransposeAllAxes(mixed, 1, 0, 2), shape)
	}
	return h.choose(func() *Node { return product(2) }, func() *Node { return product(3) })
}

// coreMatrices returns the matrices of the relations of a hop, [K, questions, C, C].
func coreMatrices(c *pass, h hop) *Node {
	partitions, questions := c.form.Partitions(), h.rows[0].Shape().Dim(0)
	size := c.dim / partitions
	relations := Reshape(h.rows[0], questions, partitions, size)
	tensors := Reshape(c.globals[0], partitions, size, size*size)
	matrices := Dot(relations, tensors).General([]int{2}, []int{1}, []int{1}, []int{0})
	return Reshape(matrices, partitions, questions, size, size)
}
