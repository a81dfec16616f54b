package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// batchNorm is batch normalization with its numbers: rows of a table, [d] each.
type batchNorm struct {
	gamma, beta, mean, variance *Node
	epsilon, momentum           float64
}

// apply normalizes the coordinates of states [questions, rows, d]. In a training step it takes the
// mean and the variance of all questions that are not padding, and also returns the new moving
// averages, [1, d] each. All rows of the states count as states of their own.
func (n batchNorm) apply(c *pass, states *Node) (normalized, mean, variance *Node) {
	row := func(x *Node) *Node { return Reshape(x, 1, 1, -1) }
	mean, variance = row(n.mean), MaxScalar(row(n.variance), 0)
	center := mean
	var newMean, newVariance *Node
	if c.training {
		used := Reshape(c.used, -1, 1, 1)
		count := MulScalar(ReduceAllSum(used), float64(states.Shape().Dim(1)))
		average := func(x *Node) *Node { return Div(ReduceAndKeep(Mul(x, used), ReduceSum, 0, 1), count) }
		mean = average(states)
		// The gradient of the variance with respect to the mean is 0, so that it needs no sum.
		center = StopGradient(mean)
		variance = average(Square(Sub(states, center)))
		unbiased := Mul(variance, Div(count, MaxScalar(AddScalar(count, -1), 1)))
		moved := func(before, now *Node) *Node {
			all := Add(MulScalar(row(before), 1-n.momentum), MulScalar(now, n.momentum))
			return StopGradient(Squeeze(all, 1))
		}
		newMean, newVariance = moved(n.mean, mean), moved(n.variance, unbiased)
	}
	factor := Div(row(n.gamma), Sqrt(AddScalar(variance, n.epsilon)))
	// The difference is 0. It has the gradient of the mean, without another sum over all states.
	offset := Sub(row(n.beta), Mul(Sub(mean, center), factor))
	return Add(Mul(Sub(states, center), factor), offset), newMean, newVariance
}
