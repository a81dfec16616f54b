// Package adam implements the step of Adam (Kingma and Ba, ICLR 2015) for GoMLX graphs.
// GoMLX's own optimizer manages its variables and has a single learning rate. Populations,
// loops and checkpoints need both in the caller's hands.
package adam

import . "github.com/gomlx/gomlx/core/graph"

// Moments holds the moving averages of a table's gradients and of their squares. Both have
// the shape of the table and start at 0.
type Moments struct{ Mean, Square *Node }

// Direction returns the step to subtract from a table at learning rate 1, and the new
// moments. step is a scalar that starts at 1.
func Direction(gradient *Node, before Moments, step *Node, epsilon float64) (*Node, Moments) {
	const beta1, beta2 = 0.9, 0.999
	average := func(mean, now *Node, keep, add float64) *Node {
		return Add(Mul(mean, number(now, keep)), Mul(now, number(now, add)))
	}
	corrected := func(mean *Node, beta float64) *Node { // for the bias of the start at 0
		return Div(mean, Sub(number(step, 1), Pow(number(step, beta), step)))
	}
	now := Moments{
		Mean:   average(before.Mean, gradient, beta1, 1-beta1),
		Square: average(before.Square, Square(gradient), beta2, 1-beta2),
	}
	root := Add(Sqrt(corrected(now.Square, beta2)), number(gradient, epsilon))
	return Div(corrected(now.Mean, beta1), root), now
}

// number returns a constant that is visible in the body of a loop. The constants of GoMLX's
// operations with scalars belong to the outer graph.
func number(like *Node, value float64) *Node { return Const(like.Graph(), float32(value)) }
