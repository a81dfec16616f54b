// Package adam is the step of Adam (Kingma and Ba, ICLR 2015) in graphs of GoMLX. The
// optimizer that GoMLX brings keeps its variables itself and has one learning rate for
// all; here both are the caller's, as populations, loops and checkpoints need them.
package adam

import . "github.com/gomlx/gomlx/core/graph"

// Moments are the moving means of a table's gradients and of their squares. Both have the
// shape of the table and start from 0.
type Moments struct{ Mean, Square *Node }

// Direction is what a table changes by, against the gradient, at a learning rate of 1.
// step is a scalar that counts from 1.
func Direction(gradient *Node, before Moments, step *Node, epsilon float64) (*Node, Moments) {
	const beta1, beta2 = 0.9, 0.999
	average := func(mean, now *Node, keep, add float64) *Node {
		return Add(Mul(mean, number(now, keep)), Mul(now, number(now, add)))
	}
	corrected := func(mean *Node, beta float64) *Node { // for its start from 0
		return Div(mean, Sub(number(step, 1), Pow(number(step, beta), step)))
	}
	now := Moments{average(before.Mean, gradient, beta1, 1-beta1), average(before.Square, Square(gradient), beta2, 1-beta2)}
	return Div(corrected(now.Mean, beta1), Add(Sqrt(corrected(now.Square, beta2)), number(gradient, epsilon))), now
}

// number is a constant that the body of a loop sees too: those of operations with scalars
// belong to the whole graph.
func number(like *Node, value float64) *Node { return Const(like.Graph(), float32(value)) }
