package gomlx

import (
	"slices"

	. "github.com/gomlx/gomlx/core/graph"
)

// The functions of this file penalize intermediate variables whose tensors are cores W[c,i,j], for
// coordinates c of relations, i of heads and j of tails.

// penalizeCoreMatrix penalizes W×x for the rows x in a role.
func (p *intermediates) penalizeCoreMatrix(role int, weight *Node) {
	if role == relationRole {
		squared := ReduceSum(Square(p.perPartition(p.relation)), 4)
		norm, slope := p.raise(DivScalar(squared, p.k))
		p.add(Mul(norm, weight))
		p.byMatrices = Add(p.byMatrices,
			p.timesPartitions(MulScalar(Mul(slope, weight), 2/float64(p.k)), p.relation))
		return
	}
	x := p.positions(p.rows[role])
	shape := x.Shape()
	members, triples, partitions := shape.Dim(0), shape.Dim(1)*shape.Dim(2), shape.Dim(3)
	flat := Reshape(x, members, triples, partitions, p.k)
	tensors := Reshape(p.cores.tensors, members, partitions, p.k, p.k, p.k)
	axis := 3 // of the coordinates of heads
	if role == tailRole {
		axis = 4
	}
	// [S, K, n, C, C]
	matrices := Dot(flat, tensors).General([]int{3}, []int{0, 2}, []int{axis}, []int{0, 1})
	squared := DivScalar(ReduceSum(Square(matrices), 3, 4), p.k)
	squared = TransposeAllAxes(squared, 0, 2, 1)
	norm, slope := p.raise(Reshape(squared, shape.Dimensions[:4]...))
	p.add(Mul(norm, weight))
	factors := Reshape(MulScalar(Mul(slope, weight), 2/float64(p.k)), members, triples, partitions)
	factors = Reshape(TransposeAllAxes(factors, 0, 2, 1), members, partitions, triples, 1, 1)
	byMatrices := Mul(matrices, factors)
	others := slices.DeleteFunc([]int{2, 3, 4}, func(a int) bool { return a == axis })
	byRows := Dot(byMatrices, tensors).General([]int{3, 4}, []int{0, 1}, others, []int{0, 1})
	p.addGradient(role, ReshapeWithShape(TransposeAllAxes(byRows, 0, 2, 1, 3), p.rows[role].Shape()))
	// [S, K, C, C, C], with the coordinate of the row first
	byTensors := Dot(flat, byMatrices).General([]int{1}, []int{0, 2}, []int{2}, []int{0, 1})
	if role == tailRole {
		byTensors = TransposeAllAxes(byTensors, 0, 1, 3, 4, 2)
	} else {
		byTensors = TransposeAllAxes(byTensors, 0, 1, 3, 2, 4)
	}
	p.byTensors = Add(p.byTensors, ReshapeWithShape(byTensors, p.byTensors.Shape()))
}

// perPartition returns matrices [S, D, b, C·d] as [S, D, b, K, C·C].
func (p *intermediates) perPartition(x *Node) *Node {
	shape := x.Shape()
	return Reshape(x, shape.Dim(0), shape.Dim(1), shape.Dim(2), p.partitions, p.k*p.k)
}

// timesPartitions multiplies matrices with a number for each of them.
func (p *intermediates) timesPartitions(factor, x *Node) *Node {
	factor = Reshape(factor, slices.Concat(factor.Shape().Dimensions, []int{1})...)
	return ReshapeWithShape(Mul(p.perPartition(x), factor), x.Shape())
}

// penalizeCoreProduct penalizes the query in a role, the product of W with the rows in both others.
func (p *intermediates) penalizeCoreProduct(role int, weight *Node) {
	head, tail := p.rows[headRole], p.rows[tailRole]
	directions := head.Shape().Dim(1)
	mix := func(x, y *Node, operator int) *Node {
		return p.mix(x, y, slices.Repeat([]int{operator}, directions)...)
	}
	penalty := func(mixed *Node) (gradient *Node) {
		norm, slope := p.norm(mixed)
		p.add(Mul(norm, weight))
		return p.times(Mul(slope, weight), mixed)
	}
	switch role {
	case tailRole:
		gradient := penalty(mix(head, p.relation, mixTails))
		p.addGradient(headRole, mix(gradient, p.relation, mixHeads))
		p.byMatrices = Add(p.byMatrices, mix(head, gradient, mixRelations))
	case headRole:
		gradient := penalty(mix(tail, p.relation, mixHeads))
		p.addGradient(tailRole, mix(gradient, p.relation, mixTails))
		p.byMatrices = Add(p.byMatrices, mix(gradient, tail, mixRelations))
	case relationRole:
		flat := func(x *Node) *Node { return Reshape(x, p.members(), -1, x.Shape().Dim(3)) }
		products := flat(mix(head, tail, mixRelations))
		gradient := penalty(ReshapeWithShape(p.cores.rowsOf(products), head.Shape()))
		matrices := ReshapeWithShape(p.cores.matricesOf(flat(gradient)), p.relation.Shape())
		p.addGradient(headRole, mix(tail, matrices, mixHeads))
		p.addGradient(tailRole, mix(head, matrices, mixTails))
		p.byTensors = Add(p.byTensors, p.cores.tensorsOf(flat(gradient), products))
	}
}
