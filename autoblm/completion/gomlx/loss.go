package gomlx

import (
	. "github.com/gomlx/gomlx/core/graph"
)

// penalties are the weights of the regularizers, [S] each.
type penalties struct{ l2, n3 *Node }

// lossAndGradients returns each member's loss [S], the sum over the batch of
// weight · (cross entropy for the tail + the same for the head) plus the
// penalties, and its gradients by the entities [S, E, d] and the relations
// [S, R, d]. weights is [b]: 1/n for the n triples of the batch, 0 for padding.
//
// The softmax over all entities is by far the largest piece, and its gradient
// is written out: with p = exp(s - max s) and z = Σp, both products of the
// backward pass take p itself and carry weight/z on the thin side, so that no
// further pass over [S, 2·b, E] is needed. The rest is left to automatic
// differentiation, which meets the written part as a constant.
func lossAndGradients(b batch, relations, weights *Node, penalty penalties) (loss, entityGradient, relationGradient *Node) {
	members, count, d := b.entities.Shape().Dim(0), b.entities.Shape().Dim(1), b.entities.Shape().Dim(2)
	size := b.relation.Shape().Dim(1)
	queries := b.queries()
	rowWeights := BroadcastToDims(Reshape(Concatenate([]*Node{weights, weights}, 0), 1, 2*size), members, 2*size) // [S, 2·b]

	fixed := StopGradient(queries)
	raw := scores(fixed, b.entities)
	highest := ReduceAndKeep(raw, ReduceMax, 2)
	unnormalized := Exp(Sub(raw, highest))
	total := ReduceAndKeep(unnormalized, ReduceSum, 2)
	scale := Div(Reshape(rowWeights, members, 2*size, 1), total)
	byQuery := Mul(Dot(unnormalized, b.entities).General([]int{2}, []int{0}, []int{1}, []int{0}), scale)
	byEntity := Dot(TransposeAllAxes(Mul(fixed, scale), 0, 2, 1), unnormalized).General([]int{2}, []int{0}, []int{1}, []int{0})
	byEntity = TransposeAllAxes(byEntity, 0, 2, 1) // [S, E, d]

	logTotal := Reshape(Add(Log(total), highest), members, 2*size)
	truth := ReduceSum(Mul(queries, b.answers()), 2)
	regularization := b.regularization(weights, penalty)
	loss = Add(ReduceSum(Mul(Sub(logTotal, truth), rowWeights), 1), regularization)

	// Its gradient by what was gathered is that of the loss, save for byEntity.
	surrogate := Sub(ReduceAllSum(Mul(queries, StopGradient(byQuery))), ReduceAllSum(Mul(truth, rowWeights)))
	surrogate = Add(surrogate, ReduceAllSum(regularization))
	gathered := Gradient(surrogate, b.ends, b.relation)

	entityGradient = ScatterSum(Reshape(byEntity, members*count, d), b.endRows, Reshape(gathered[0], members*2*size, d), false, false)
	none := ZerosLike(Reshape(relations, members*relations.Shape().Dim(1), d))
	relationGradient = ScatterSum(none, b.relationRows, Reshape(gathered[1], members*size, d), false, false)
	return loss, Reshape(entityGradient, members, count, d), ReshapeWithShape(relationGradient, relations.Shape())
}

// regularization is [S]: l2 · mean(|h|²+|r|²+|t|²) + n3 · mean(Σ|h|³+|r|³+|t|³).
func (b batch) regularization(weights *Node, penalty penalties) *Node {
	size := b.relation.Shape().Dim(1)
	mean := func(power func(x *Node) *Node) *Node {
		ends := ReduceSum(power(b.ends), 1, 3) // [S, b]
		perTriple := Add(ends, ReduceSum(power(b.relation), 2))
		return ReduceSum(Mul(perTriple, Reshape(weights, 1, size)), 1)
	}
	cube := func(x *Node) *Node { return Mul(Square(x), Abs(x)) }
	return Add(Mul(penalty.l2, mean(Square)), Mul(penalty.n3, mean(cube)))
}
