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
	var newMean, newVariance *Node
	if c.training {
		used := Reshape(c.used, -1, 1, 1)
		count := MulScalar(ReduceAllSum(used), float64(states.Shape().Dim(1)))
		average := func(x *Node) *Node { return Div(ReduceAndKeep(Mul(x, used), ReduceSum, 0, 1), count) }
		mean = average(states)
		variance = average(Square(Sub(states, mean)))
		unbiased := Mul(variance, Div(count, MaxScalar(AddScalar(count, -1), 1)))
		moved := func(before, now *Node) *Node {
			all := Add(MulScalar(row(before), 1-n.momentum), MulScalar(now, n.momentum))
			return StopGradient(Squeeze(all, 1))
		}
		newMean, newVariance = moved(n.mean, mean), moved(n.variance, unbiased)
	}
	x := Div(Sub(states, mean), Sqrt(AddScalar(variance, n.epsilon)))
	return Add(Mul(x, row(n.gamma)), row(n.beta)), newMean, newVariance
}
