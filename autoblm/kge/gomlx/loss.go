package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// recipe is what of the settings decides which operations a step has; all else
// is data. One program serves all structures, rates and weights of a recipe.
type recipe struct {
	reciprocal         bool
	dropout            bool
	smoothing          bool
	moduli             bool
	products           bool
	relationPrediction bool
	bfloat16           bool // the scores' products take it
}

// The rows of the weights [.., S] of the members; see [kge.Weights].
const (
	weightL2 = iota
	weightN3
	weightN3Moduli // of one of the two
	weightRelationL2
	weightEntityL2
	weightProducts
	weightRelationPrediction
	weights
)

// terms are the inputs of a loss beside the batch.
type terms struct {
	triples   *Node // [b]: 1/n for the n triples of the batch, 0 for padding
	weights   *Node // [weights, S]
	smoothing *Node // scalar: the share spread over all entities
	dropout   *Node // scalar: the share of coordinates dropped
	threshold *Node // scalar uint32: see package dropout
	keys      *Node // [S] uint32: see package dropout
	first     *Node // scalar int32: the number of the first triple in its batch
}

func (t terms) weight(which int) *Node {
	return Reshape(Slice(t.weights, AxisRange(which, which+1)), -1)
}

// lossAndGradients returns each member's loss [S], the sum over the batch of
// weight · (cross entropy for the tail + the same for the head) plus what the
// member's weights add, and its gradients by the entities [S, E, d] and the
// relations [S, R, d].
//
// The gradients are written out. Automatic differentiation would pass over the
// table of scores more often; and within a loop GoMLX's own backend counts the
// uses of a value wrongly where a broadcast over axes of size 1 meets a binary
// operation, as in what differentiation makes (compute v0.1.3). For that reason
// binary operations here broadcast by themselves.
func lossAndGradients(r recipe, b batch, in terms) (loss, entityGradient, relationGradient *Node) {
	members := b.members()
	weight := Reshape(in.triples, 1, 1, -1, 1)
	gradients := &rowGradients{ends: ZerosLike(b.ends), relation: ZerosLike(b.relation)}

	plain := b.queries()
	queries := plain
	var keep *Node
	if r.dropout {
		keep = Div(b.kept(in.keys, in.first, in.threshold), OneMinus(in.dropout))
		queries = Mul(plain, keep)
	}
	entities := softmax(queries, b.entities, weight, r.bfloat16)
	truth := inner(queries, b.answers())
	loss = overBatch(Mul(Sub(entities.logTotal, truth), weight))
	byEntity, truthWeight := entities.byTable, weight
	if r.smoothing {
		truthWeight = Mul(weight, OneMinus(in.smoothing))
		mean := ReduceAndKeep(b.entities, ReduceMean, 1) // [S, 1, d]
		mean = Reshape(mean, members, 1, 1, -1)
		loss = Add(loss, Mul(in.smoothing, overBatch(Mul(Sub(truth, inner(queries, mean)), weight))))
		entities.byQuery = Sub(entities.byQuery, Mul(Mul(mean, weight), in.smoothing))
		spread := Reshape(ReduceSum(Mul(queries, weight), 1, 2), members, 1, -1)
		byEntity = Sub(byEntity, Mul(DivScalar(spread, b.entities.Shape().Dim(1)), in.smoothing))
	}
	byPlain := Sub(entities.byQuery, Mul(b.answers(), truthWeight))
	if r.dropout {
		byPlain = Mul(byPlain, keep)
	}
	gradients.ends = Sub(gradients.ends, swap(Mul(queries, truthWeight)))

	byRelation := ZerosLike(b.relations)
	if r.relationPrediction {
		weight := Mul(weight, Reshape(in.weight(weightRelationPrediction), members, 1, 1, 1))
		asked := b.relationQueries()
		relations := softmax(asked, b.relations, weight, false)
		loss = Add(loss, overBatch(Mul(Sub(relations.logTotal, inner(asked, b.relation)), weight)))
		b.backFromRelationQueries(gradients, Sub(relations.byQuery, Mul(b.relation, weight)))
		gradients.relation = Sub(gradients.relation, Mul(asked, weight))
		byRelation = relations.byTable
	}

	loss = Add(loss, b.penalize(r, in, weight, gradients))
	if r.products {
		penalty, byProducts := b.penalizeProducts(in, weight, plain, gradients)
		loss, byPlain = Add(loss, penalty), Add(byPlain, byProducts)
	}
	b.backFromQueries(gradients, byPlain)

	scatter := func(to, rows, gradient *Node) *Node {
		d := to.Shape().Dim(2)
		flat := Reshape(to, members*to.Shape().Dim(1), d)
		return ReshapeWithShape(ScatterSum(flat, rows, Reshape(gradient, -1, d), false, false), to.Shape())
	}
	return loss, scatter(byEntity, b.endRows, gradients.ends), scatter(byRelation, b.relationRows, gradients.relation)
}

// inner is [S, directions, b, 1] for two of [S, directions, b, d].
func inner(x, y *Node) *Node { return ReduceAndKeep(Mul(x, y), ReduceSum, 3) }

// overBatch adds up all but the members.
func overBatch(x *Node) *Node { return ReduceSum(x, 1, 2, 3) }

// entropies are the parts of cross entropies that concern all rows of a table.
type entropies struct {
	logTotal *Node // [S, directions, b, 1]: log Σ exp of the scores
	byQuery  *Node // [S, directions, b, d]: the gradient of Σ weight·logTotal
	byTable  *Node // [S, rows, d]: the same
}

// softmax scores queries [S, directions, b, d] against all rows of a table
// [S, rows, d], with a weight [S, 1, b, 1] each. With p = exp(s - max s) and
// z = Σp, both products of the backward pass take p itself and carry weight/z on
// the thin side, so that no further pass over [S, queries, rows] is needed.
func softmax(queries, table, weight *Node, half bool) entropies {
	members, directions, size, d := queries.Shape().Dim(0), queries.Shape().Dim(1), queries.Shape().Dim(2), queries.Shape().Dim(3)
	product := func(a, b *Node, axisA, axisB int) *Node {
		dot := Dot(a, b)
		if half {
			dot = Dot(ConvertDType(a, dtypes.BFloat16), ConvertDType(b, dtypes.BFloat16)).WithOutputDType(dtypes.Float32)
		}
		return dot.General([]int{axisA}, []int{0}, []int{axisB}, []int{0})
	}
	scores := product(Reshape(queries, members, -1, d), table, 2, 2)
	highest := ReduceAndKeep(scores, ReduceMax, 2)
	unnormalized := Exp(Sub(scores, highest))
	total := ReduceAndKeep(unnormalized, ReduceSum, 2)
	scale := Div(weight, Reshape(total, members, directions, size, 1))
	byTable := product(Reshape(Mul(queries, scale), members, -1, d), unnormalized, 1, 1) // [S, d, rows]
	return entropies{
		logTotal: Reshape(Add(Log(total), highest), members, directions, size, 1),
		byQuery:  Mul(Reshape(product(unnormalized, table, 2, 1), queries.Shape().Dimensions...), scale),
		byTable:  TransposeAllAxes(byTable, 0, 2, 1),
	}
}

// penalize returns [S], what the weights put on the lengths of what was looked
// up, and adds its gradients.
func (b batch) penalize(r recipe, in terms, weight *Node, g *rowGradients) *Node {
	penalty := func(x, l2 *Node, directions int) (sum, gradient *Node) {
		perMember := func(w *Node) *Node { return Mul(Reshape(DivScalar(w, directions), -1, 1, 1, 1), weight) }
		square := Square(x)
		terms, slope := Mul(square, perMember(l2)), MulScalar(perMember(l2), 2)
		cube := func(length *Node, which int) {
			n3 := perMember(in.weight(which))
			terms, slope = Add(terms, Mul(Mul(square, length), n3)), Add(slope, Mul(MulScalar(length, 3), n3))
		}
		cube(Abs(x), weightN3)
		if r.moduli {
			cube(b.moduli(square), weightN3Moduli)
		}
		return overBatch(terms), Mul(x, slope)
	}
	l2 := in.weight(weightL2)
	ofEnds, byEnds := penalty(b.ends, Add(l2, in.weight(weightEntityL2)), 1)
	ofRelations, byRelation := penalty(b.relation, Add(l2, in.weight(weightRelationL2)), b.relation.Shape().Dim(1))
	g.add(byEnds, byRelation)
	return Add(ofEnds, ofRelations)
}

// moduli returns, at both coordinates of each complex number, its modulus, given
// the squares of the coordinates [S, directions, b, d].
func (b batch) moduli(square *Node) *Node {
	k := b.operators.Shape().Dim(3)
	halves := Reshape(square, b.members(), -1, 2, k/2) // of the chunks at each position
	modulus := Sqrt(ReduceAndKeep(halves, ReduceSum, 2))
	return ReshapeWithShape(Concatenate([]*Node{modulus, modulus}, 2), square.Shape())
}

// penalizeProducts does the same for the lengths of the products of an entity and
// a relation, and returns the gradient by the queries, plain as before dropout.
func (b batch) penalizeProducts(in terms, weight, plain *Node, g *rowGradients) (sum, byPlain *Node) {
	weight = Mul(Reshape(in.weight(weightProducts), -1, 1, 1, 1), weight)
	if b.reciprocal { // the mean of the two directions
		weight = DivScalar(weight, 2)
	}
	penalty := func(x *Node) (sum, gradient *Node) {
		return overBatch(Mul(Square(x), weight)), Mul(x, MulScalar(weight, 2))
	}
	sum, byPlain = penalty(plain)
	if b.reciprocal {
		others, byOthers := penalty(b.otherQueries())
		b.backFromOtherQueries(g, byOthers)
		sum = Add(sum, others)
	}
	return sum, byPlain
}

// tripleWeights is [size]: 1/total for the first count triples and 0 for padding.
func tripleWeights(size int, count, total *Node) *Node {
	place := Iota(count.Graph(), shapes.Make(dtypes.Int32, size), 0)
	used := ConvertDType(LessThan(place, count), dtypes.Float32)
	return Div(used, ConvertDType(total, dtypes.Float32))
}

// kept is [S, 2, b, d] of ones and zeros: 1 where package dropout keeps the
// coordinate of a query. keys is [S]; first is the number of the first triple in
// its batch.
func (b batch) kept(keys, first, threshold *Node) *Node {
	members, size, d := b.members(), b.size(), b.dim()
	k := b.operators.Shape().Dim(3)
	along := func(axis int) *Node {
		return Iota(keys.Graph(), shapes.Make(dtypes.Uint32, members, 2, size, d), axis)
	}
	// Query 2i+direction, and the coordinate that stands at n·K+i here is i·d/K+n outside.
	query := Add(MulScalar(Add(along(2), ConvertDType(first, dtypes.Uint32)), 2), along(1))
	here := along(3)
	coordinate := Add(MulScalar(ModScalar(here, k), d/k), DivScalar(here, k))
	place := Add(MulScalar(query, d), coordinate)
	x := Add(MulScalar(place, uint32(dropout.Stride)), Reshape(keys, members, 1, 1, 1))
	return ConvertDType(GreaterOrEqual(scramble(x), threshold), dtypes.Float32)
}

// scramble is dropout.Scramble.
func scramble(x *Node) *Node {
	fold := func(x *Node, shift uint32) *Node { return BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, shift)) }
	x = MulScalar(fold(x, dropout.Shift1), uint32(dropout.Factor1))
	x = MulScalar(fold(x, dropout.Shift2), uint32(dropout.Factor2))
	return fold(x, dropout.Shift3)
}
