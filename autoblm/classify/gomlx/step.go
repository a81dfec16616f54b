package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/internal/adam"
	. "github.com/gomlx/gomlx/core/graph"
)

// step builds a graph that trains for one epoch with Adam. Its inputs are the parameters, the
// moving means of their gradients and of the gradients' squares, and
//
//	signs              [S, K, K, K]
//	weights            [S, rows]: of the last layer's rows in the loss
//	l2, learning rates [S]
//	the constants of all layers, and their masks with dropout
//	the number of this step, from 1
//
// Its outputs are the new parameters and means, and the losses [S].
func (p *program) step(nodes []*Node, dropout bool) []*Node {
	in := &inputs{nodes}
	parameters, means, squares := in.several(len(p.Parameters)), in.several(len(p.Parameters)),
		in.several(len(p.Parameters))
	signs, weights, l2, rates := in.next(), in.next(), in.next(), in.next()
	n := p.place(parameters, signs, in)
	var masks []*Node
	if dropout {
		masks = in.several(len(p.layers))
	}
	count := in.next()
	loss := p.crossEntropy(n.logits(masks), weights)
	outputs := make([]*Node, 3*len(parameters))
	for i, gradient := range Gradient(ReduceAllSum(loss), parameters...) {
		value := parameters[i]
		if p.Parameters[i].Name == classify.EntityEmbeddings {
			gradient = Add(gradient, Mul(value, perModel(l2, value)))
		}
		direction, now := adam.Direction(gradient, adam.Moments{Mean: means[i], Square: squares[i]},
			count, 1e-8)
		outputs[i] = Sub(value, Mul(direction, perModel(rates, value)))
		outputs[len(parameters)+i], outputs[2*len(parameters)+i] = now.Mean, now.Square
	}
	return append(outputs, loss)
}

// classify builds a graph that classifies. Its inputs are the parameters, the sign tensors and the
// constants, its output is [S, rows, classes].
func (p *program) classify(nodes []*Node) []*Node {
	in := &inputs{nodes}
	parameters, signs := in.several(len(p.Parameters)), in.next()
	return []*Node{p.place(parameters, signs, in).logits(nil)}
}

// perModel reshapes [S] to multiply a table [S, …].
func perModel(x, table *Node) *Node {
	dims := make([]int, table.Rank())
	for i := range dims {
		dims[i] = 1
	}
	dims[0] = x.Shape().Dim(0)
	return Reshape(x, dims...)
}
