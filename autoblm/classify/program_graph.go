package classify

import . "github.com/gomlx/gomlx/core/graph"

// adam has the constants of Kingma and Ba (ICLR 2015).
const (
	adamMean    = 0.9
	adamSquare  = 0.999
	adamEpsilon = 1e-8
)

// step is a program that trains for one epoch. Its inputs are the parameters, the
// moving means of their gradients and those of the gradients' squares, the sign
// tensors, the constants, the mask of each layer if there is dropout, and
//
//	weights [S, rows]  of the last layer's rows in the loss
//	l2      [S]
//	rates   [S]        the learning rate, corrected for the start of the means at 0
//	epsilon            Adam's, corrected likewise
//
// Its outputs are the parameters and the means afterwards, and the losses [S].
func (m *model) step(nodes []*Node, dropout bool) []*Node {
	in := &inputs{nodes}
	parameters, means, squares := in.take(len(m.parameters)), in.take(len(m.parameters)), in.take(len(m.parameters))
	n := m.place(parameters, in)
	var masks []*Node
	if dropout {
		masks = in.take(m.settings.Layers)
	}
	weights, l2, rates, epsilon := in.next(), in.next(), in.next(), in.next()
	loss, gradients := n.lossAndGradients(masks, weights)
	var newValues, newMeans, newSquares []*Node
	for i, about := range m.parameters {
		value, gradient := parameters[i], gradients[i]
		if about.name == entity {
			gradient = Add(gradient, Mul(value, perMember(l2, value)))
		}
		mean := Add(means[i], MulScalar(Sub(gradient, means[i]), 1-adamMean))
		square := Add(squares[i], MulScalar(Sub(Square(gradient), squares[i]), 1-adamSquare))
		change := Div(Mul(mean, perMember(rates, value)), Add(Sqrt(square), epsilon))
		newValues, newMeans, newSquares = append(newValues, Sub(value, change)), append(newMeans, mean), append(newSquares, square)
	}
	outputs := append(newValues, newMeans...)
	return append(append(outputs, newSquares...), loss)
}

// logits is a program that classifies. Its inputs are the parameters, the sign
// tensors and the constants, its output is [S, rows, classes].
func (m *model) logits(nodes []*Node) []*Node {
	in := &inputs{nodes}
	n := m.place(in.take(len(m.parameters)), in)
	states := n.forward(nil)
	return []*Node{n.values.head(states[len(states)-1].after)}
}

// take hands out the next n inputs.
func (in *inputs) take(n int) []*Node {
	first := in.rest[:n]
	in.rest = in.rest[n:]
	return first
}

// perMember shapes [S] so that it multiplies a table [S, …].
func perMember(x, table *Node) *Node {
	dims := make([]int, table.Rank())
	for i := range dims {
		dims[i] = 1
	}
	dims[0] = x.Shape().Dim(0)
	return Reshape(x, dims...)
}
