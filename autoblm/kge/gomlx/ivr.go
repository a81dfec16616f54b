package gomlx

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// The roles of rows in a triple.
const (
	headRole = iota
	relationRole
	tailRole
	roles
)

// mixesInto has the operator that mixes a row for each role from rows in the other two.
var mixesInto = [roles]int{headRole: mixHeads, relationRole: mixRelations, tailRole: mixTails}

// intermediates holds the rows of triples whose intermediate variables IVR penalizes, in one or two
// directions D.
type intermediates struct {
	batch
	k         int          // numbers at a position
	rows      [roles]*Node // [S, D, b, d]
	gradients [roles]*Node
	power     *Node // α [S, 1, 1, 1]
	loss      *Node // [S]

	// Of models with cores: gradients as in rowGradients.
	byMatrices, byTensors *Node
}

// penalizeIntermediates returns the penalty IVR of [kge.Weights], [S], and adds its gradient.
func (b batch) penalizeIntermediates(r recipe, in terms, weight *Node, g *rowGradients) *Node {
	directions := b.relation.Shape().Dim(1)
	of := func(x *Node) *Node {
		if x == nil {
			return nil
		}
		return Slice(x, AxisRange(), AxisRange(0, directions))
	}
	perMember := func(which int) *Node { return Reshape(in.weight(which), -1, 1, 1, 1) }
	p := &intermediates{
		batch: b, k: b.operators.Shape().Dim(3), power: perMember(weightIVRPower),
		rows: [roles]*Node{of(b.ends), b.relation, of(b.answers())},
		loss: ZerosLike(in.weight(weightIVRPower)),
	}
	if b.partitions > 0 {
		p.k, p.rows[relationRole] = b.matrixSize(b.dim()), b.coreFactors
		p.byMatrices, p.byTensors = ZerosLike(b.relation), ZerosLike(b.cores.tensors)
	}
	for role, x := range p.rows {
		p.gradients[role] = ZerosLike(x)
	}
	head, tail := of(b.endScales), of(b.answerScales())
	both := head
	if head != nil {
		both = DivScalar(Add(head, tail), 2)
	}
	single := Mul(weight, DivScalar(perMember(weightIVR), directions))
	double := Mul(weight, DivScalar(perMember(weightIVRProducts), directions))
	weights := [roles]*Node{scaled(single, head), scaled(single, b.relationScales), scaled(single, tail)}
	pairs := [roles]*Node{scaled(double, tail), scaled(double, both), scaled(double, head)}

	p.penalizeNorms(weights, pairs)
	penalizeMatrix, penalizeProduct := p.penalizeMatrix, p.penalizeProduct
	if b.partitions > 0 {
		penalizeMatrix, penalizeProduct = p.penalizeCoreMatrix, p.penalizeCoreProduct
	}
	for role := range roles {
		if r.ivr {
			penalizeMatrix(role, weights[role])
		}
		if r.ivrProducts {
			penalizeProduct(role, pairs[role])
		}
	}
	ends := Concatenate([]*Node{p.gradients[headRole], p.gradients[tailRole]}, 1)
	if directions == 2 {
		ends = Add(p.gradients[headRole], swap(p.gradients[tailRole]))
	}
	if b.partitions > 0 {
		g.add(ends, p.byMatrices)
		g.factors = Add(g.factors, p.gradients[relationRole])
		g.tensors = Add(g.tensors, p.byTensors)
		return p.loss
	}
	g.add(ends, p.gradients[relationRole])
	return p.loss
}

// others returns the next two roles.
func others(role int) (int, int) { return (role + 1) % roles, (role + 2) % roles }

// positions returns rows as [S, D, b, d/K, K]. With cores, positions are partitions.
func (p *intermediates) positions(x *Node) *Node {
	shape := x.Shape()
	return Reshape(x, shape.Dim(0), shape.Dim(1), shape.Dim(2), shape.Dim(3)/p.k, p.k)
}

// raise returns ‖x‖^α and its derivative by ‖x‖², for squared norms [S, D, b, d/K].
func (p *intermediates) raise(squared *Node) (norm, slope *Node) {
	exponent := DivScalar(p.power, 2)
	below := Pow(squared, AddScalar(exponent, -1))
	return Mul(squared, below), Mul(below, exponent)
}

// norm returns ‖x‖^α and its derivative by ‖x‖² at all positions, [S, D, b, d/K].
func (p *intermediates) norm(x *Node) (norm, slope *Node) {
	return p.raise(ReduceSum(Square(p.positions(x)), 4))
}

// times returns rows multiplied with twice a number for each position: the gradient of squared norms.
func (p *intermediates) times(slope, x *Node) *Node {
	twice := Reshape(MulScalar(slope, 2), slices.Concat(slope.Shape().Dimensions, []int{1})...)
	return ReshapeWithShape(Mul(p.positions(x), twice), x.Shape())
}

func (p *intermediates) add(loss *Node) { p.loss = Add(p.loss, overBatch(loss)) }

func (p *intermediates) addGradient(role int, gradient *Node) {
	p.gradients[role] = Add(p.gradients[role], gradient)
}

// penalizeNorms penalizes the norms of rows, and their products in pairs. pairs has the weights by
// the role that is not in the pair.
func (p *intermediates) penalizeNorms(weights, pairs [roles]*Node) {
	var norms, slopes [roles]*Node
	for role, x := range p.rows {
		norms[role], slopes[role] = p.norm(x)
	}
	for role, x := range p.rows {
		y, z := others(role)
		p.add(Mul(norms[role], weights[role]))
		p.add(Mul(Mul(norms[role], norms[y]), pairs[z]))
		ofPairs := Add(Mul(norms[y], pairs[z]), Mul(norms[z], pairs[y]))
		p.addGradient(role, p.times(Mul(slopes[role], Add(ofPairs, weights[role])), x))
	}
}

// penalizeMatrix penalizes W×x for the rows x in a role.
func (p *intermediates) penalizeMatrix(role int, weight *Node) {
	x, k := p.positions(p.rows[role]), p.k
	operator := Reshape(Slice(p.operators, AxisRange(), AxisRange(mixesInto[role], mixesInto[role]+1)),
		p.members(), k*k, k)
	flat := Reshape(x, p.members(), -1, k)
	matrix := Dot(flat, operator).General([]int{2}, []int{0}, []int{2}, []int{0}) // [S, ., K·K]
	squared := DivScalar(ReduceSum(Square(matrix), 2), k)
	norm, slope := p.raise(Reshape(squared, x.Shape().Dimensions[:4]...))
	p.add(Mul(norm, weight))
	slope = Reshape(MulScalar(Mul(slope, weight), 2/float64(k)), p.members(), -1, 1)
	gradient := Dot(Mul(matrix, slope), operator).General([]int{2}, []int{0}, []int{1}, []int{0})
	p.addGradient(role, ReshapeWithShape(gradient, p.rows[role].Shape()))
}

// penalizeProduct penalizes the query in a role, the product of W with the rows in both others.
func (p *intermediates) penalizeProduct(role int, weight *Node) {
	y, z := others(role)
	mixed := p.product(role, p.rows[y], p.rows[z])
	norm, slope := p.norm(mixed)
	p.add(Mul(norm, weight))
	gradient := p.times(Mul(slope, weight), mixed)
	p.addGradient(y, p.product(y, p.rows[z], gradient))
	p.addGradient(z, p.product(z, gradient, p.rows[y]))
}

// product returns the product of W with rows in the next two roles after role.
func (p *intermediates) product(role int, next, last *Node) *Node {
	operators := slices.Repeat([]int{mixesInto[role]}, next.Shape().Dim(1))
	if role == tailRole {
		return p.mix(next, last, operators...)
	}
	return p.mix(last, next, operators...)
}
