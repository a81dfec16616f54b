package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// normalized holds rows after batch normalization, and what its gradient needs.
type normalized struct {
	rows    *Node // γx + β [S, 2, b, d]
	x       *Node // (row - μ)/√(σ² + ε)
	slope   *Node // γ/√(σ² + ε) [S, 1, 1, d]
	used    *Node // 1 for triples, and 0 for padding [1, 1, b, 1]
	count   *Node // rows that are not padding
	mean    *Node // μ [S, 1, d]
	average *Node // the variance σ² without bias [S, 1, d]
}

// perCoordinate returns a row of the table of batch normalization as [S, 1, 1, d]. side is 0 for states
// before a hop, and 1 for states after it.
func (c cores) perCoordinate(row, side int) *Node {
	of := Slice(c.norms, AxisRange(), AxisRange(row+side, row+side+1))
	return Reshape(of, of.Shape().Dim(0), 1, 1, -1)
}

// normalize normalizes rows [S, 2, b, d] by the mean and variance of all that are not padding.
func (b batch) normalize(rows *Node, side int, in terms) (n normalized) {
	dtype := rows.DType()
	n.used = ConvertDType(GreaterThan(in.triples, ScalarZero(rows.Graph(), dtype)), dtype)
	n.used = Reshape(n.used, 1, 1, -1, 1)
	n.count = MulScalar(ReduceAllSum(n.used), 2)
	mean := Div(n.sum(Mul(rows, n.used)), n.count)
	centered := Sub(rows, mean)
	variance := Div(n.sum(Mul(Square(centered), n.used)), n.count)
	inverse := Div(ScalarOne(rows.Graph(), dtype), Sqrt(AddScalar(variance, form.NormEpsilon)))
	gamma := b.cores.perCoordinate(form.NormGamma, side)
	n.x, n.slope = Mul(centered, inverse), Mul(gamma, inverse)
	n.rows = Add(Mul(n.x, gamma), b.cores.perCoordinate(form.NormBeta, side))
	n.mean = Squeeze(mean, 1)
	n.average = Squeeze(Mul(variance, Div(n.count, MaxScalar(AddScalar(n.count, -1), 1))), 1)
	return n
}

// sum sums over a batch, [S, 1, 1, d].
func (normalized) sum(x *Node) *Node { return ReduceAndKeep(x, ReduceSum, 1, 2) }

// back returns the gradients of the rows before the normalization, and of γ and β [S, 1, d], given
// those of the rows after it. The gradients of padding are 0, and stay so.
func (n normalized) back(gradient *Node) (byRows, byGamma, byBeta *Node) {
	byGamma, byBeta = n.sum(Mul(gradient, n.x)), n.sum(gradient)
	common := Div(Add(Mul(n.x, byGamma), byBeta), n.count)
	byRows = Mul(Sub(gradient, Mul(common, n.used)), n.slope)
	return byRows, Squeeze(byGamma, 1), Squeeze(byBeta, 1)
}

// averaged returns the moving averages after a step that normalized heads and queries, [S, 4, d].
func (c cores) averaged(heads, queries normalized) *Node {
	old := Slice(c.norms, AxisRange(), AxisRange(form.NormMean))
	batch := Concatenate([]*Node{heads.mean, queries.mean, heads.average, queries.average}, 1)
	return Add(MulScalar(old, 1-form.NormMomentum), MulScalar(batch, form.NormMomentum))
}

// withAverages returns a table of relations with other moving averages.
func withAverages(table, averages *Node) *Node {
	learned := table.Shape().Dim(1) - averages.Shape().Dim(1)
	return Concatenate([]*Node{Slice(table, AxisRange(), AxisRange(0, learned)), averages}, 1)
}

// normalizedMatrices returns the matrices of relations with the normalization by moving averages
// before and after a hop, and then the row that a hop adds: [S, R, C·d + d] from [S, R, C·d].
func (c cores) normalizedMatrices(matrices *Node) *Node {
	shape := c.rows.Shape()
	members, relations, k, size := shape.Dim(0), shape.Dim(1), shape.Dim(2), shape.Dim(3)
	affine := func(side int) (factor, offset *Node) { // [S, 1, 1, d]
		variance := c.perCoordinate(form.NormVariance, side)
		variance = AddScalar(MaxScalar(variance, 0), form.NormEpsilon)
		factor = Div(c.perCoordinate(form.NormGamma, side), Sqrt(variance))
		offset = Sub(c.perCoordinate(form.NormBeta, side),
			Mul(factor, c.perCoordinate(form.NormMean, side)))
		return factor, offset
	}
	before, beforeOffset := affine(0)
	after, afterOffset := affine(1)
	m := Reshape(matrices, members, relations, k, size, size)
	column := func(x *Node) *Node { return Reshape(x, members, 1, k, size, 1) }
	row := func(x *Node) *Node { return Reshape(x, members, 1, k, 1, size) }
	offsets := ReduceAndKeep(Mul(m, column(beforeOffset)), ReduceSum, 3)
	offsets = Add(Mul(offsets, row(after)), row(afterOffset))
	m = Mul(Mul(m, column(before)), row(after))
	return Concatenate([]*Node{
		Reshape(m, members, relations, -1), Reshape(offsets, members, relations, -1),
	}, 2)
}
