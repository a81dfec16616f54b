package gomlx

import (
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/gomlx/masks"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// recipe holds the settings that determine the operations of a step; all others are data. One
// program serves all structures, learning rates and weights of a recipe.
type recipe struct {
	shape
	dropout            bool
	inputDropout       bool
	orthogonality      bool
	n3Blocks           n3Blocks
	products           bool
	ivr, ivrProducts   bool // the terms of each weight of IVR
	relationPrediction bool
	scaled             bool // penalties by frequency
	bfloat16           bool // for products of scores
	sharding
}

// The rows of the members' weights [weights, S]; see [kge.Weights].
const (
	weightL2 = iota
	weightN3
	weightN3Block // from 1
	weightRelationL2
	weightEntityL2
	weightRelationN3
	weightEntityN3
	weightProducts
	weightIVR
	weightIVRProducts
	weightIVRPower
	weightRelationPrediction
	weightOrthogonality
	weights
)

// terms holds the inputs of a loss in addition to the batch.
type terms struct {
	triples *Node // [b]: 1/n for the n triples of the batch, 0 for padding
	weights *Node // [weights, S]
	queries drop
	inputs  drop  // of the entities at which queries start
	first   *Node // scalar int32: index of the first triple in its step
}

// drop holds the inputs of one of the dropouts, see package dropout.
type drop struct {
	share     *Node // scalar
	threshold *Node // scalar uint32
	keys      *Node // [S] uint32
}

func (t terms) weight(which int) *Node {
	return Reshape(Slice(t.weights, AxisRange(which, which+1)), -1)
}

// results holds each member's loss [S] and its gradients with respect to the entities [S, E, d] and
// the relations [S, R, d]. With batch normalization it has the new moving averages [S, 4, d].
type results struct{ loss, byEntity, byRelation, averages *Node }

// lossAndGradients computes the loss and its gradients. The loss is the sum over the batch of
// weight · (cross entropy of the tail + cross entropy of the head), plus penalties.
//
// The gradients are explicit, because automatic differentiation would pass over the table of
// scores more often. It would also trigger a bug of GoMLX's pure-Go backend: within a loop it
// miscounts the uses of a value if a broadcast over axes of size 1 is the operand of a binary
// operation (compute v0.1.3). So binary operations here broadcast implicitly.
func lossAndGradients(r recipe, b batch, in terms) results {
	members := b.members()
	weight := Reshape(in.triples, 1, 1, -1, 1)
	gradients := b.newRowGradients()

	asking := b // with normalized and dropped inputs
	var normHeads, normQueries normalized
	if r.norm {
		normHeads = b.normalize(b.ends, 0, in)
		asking.ends = normHeads.rows
	}
	var keepInputs *Node
	if r.inputDropout {
		keepInputs = b.kept(in.inputs, in.first)
		asking = asking.dropInputs(keepInputs)
	}
	plain := asking.queries()
	if r.norm {
		normQueries = b.normalize(plain, 1, in)
		plain = normQueries.rows
	}
	queries := plain
	var keep *Node
	if r.dropout {
		keep = b.kept(in.queries, in.first)
		queries = Mul(plain, keep)
	}
	entities := softmax(queries, b.entities, weight, r.bfloat16, r.sharding)
	truth := inner(queries, b.answers())
	loss := overBatch(Mul(Sub(entities.logTotal, truth), weight))
	byPlain := Sub(entities.byQuery, Mul(b.answers(), weight))
	if r.dropout {
		byPlain = Mul(byPlain, keep)
	}
	gradients.ends = Sub(gradients.ends, swap(Mul(queries, weight)))

	byRelation := ZerosLike(b.relations)
	if r.relationPrediction {
		weight := Mul(weight, Reshape(in.weight(weightRelationPrediction), members, 1, 1, 1))
		relationQueries := b.relationQueries()
		relations := softmax(relationQueries, b.relations, weight, false, sharding{})
		logLoss := Sub(relations.logTotal, inner(relationQueries, b.relation))
		loss = Add(loss, overBatch(Mul(logLoss, weight)))
		b.backFromRelationQueries(gradients, Sub(relations.byQuery, Mul(b.relation, weight)))
		gradients.relation = Sub(gradients.relation, Mul(relationQueries, weight))
		byRelation = relations.byTable
	}

	loss = Add(loss, b.penalize(r, in, weight, gradients))
	if r.ivr || r.ivrProducts {
		loss = Add(loss, b.penalizeIntermediates(r, in, weight, gradients))
	}
	if r.products {
		whole := plain
		if r.inputDropout {
			whole = b.queries()
		}
		penalty, byProducts := b.penalizeProducts(in, weight, whole, gradients)
		loss = Add(loss, penalty)
		if r.inputDropout {
			b.backFromQueries(gradients, byProducts)
		} else {
			byPlain = Add(byPlain, byProducts)
		}
	}
	var byNorms []*Node
	if r.inputDropout || r.norm {
		var byGammas, byBetas [2]*Node
		if r.norm {
			byPlain, byGammas[1], byBetas[1] = normQueries.back(byPlain)
		}
		byInputs := b.newRowGradients()
		asking.backFromQueries(byInputs, byPlain)
		byEnds := byInputs.ends
		if r.inputDropout {
			byEnds = Mul(byEnds, keepInputs)
		}
		if r.norm {
			byEnds, byGammas[0], byBetas[0] = normHeads.back(byEnds)
			byNorms = slices.Concat(byGammas[:], byBetas[:])
		}
		gradients.add(byEnds, byInputs.relation)
	} else {
		b.backFromQueries(gradients, byPlain)
	}

	scatter := func(to, rows, gradient *Node) *Node {
		width := to.Shape().Dim(2)
		flat := Reshape(to, members*to.Shape().Dim(1), width)
		sum := ScatterSum(flat, rows, Reshape(gradient, -1, width), false, false)
		return ReshapeWithShape(sum, to.Shape())
	}
	entityGradient := scatter(entities.byTable, b.endRows, gradients.ends)
	byRelation = scatter(byRelation, b.relationRows, gradients.relation)
	if b.partitions == 0 {
		return results{loss: loss, byEntity: entityGradient, byRelation: byRelation}
	}
	if r.orthogonality {
		weight := scaled(Mul(weight, b.perDirection(in, weightOrthogonality)), b.relationScales)
		uses := Zeros(b.relations.Graph(), shapes.Make(weight.DType(), members, b.relations.Shape().Dim(1), 1))
		ones := OnesLike(Slice(b.coreFactors, AxisRange(), AxisRange(), AxisRange(), AxisRange(0, 1)))
		uses = scatter(uses, b.relationRows, Mul(ones, weight))
		penalty, byMatrices := b.cores.penalizeOrthogonality(b.relations, Squeeze(uses, 2))
		loss, byRelation = Add(loss, penalty), Add(byRelation, byMatrices)
	}
	byFactors := scatter(ZerosLike(b.cores.allRows()), b.relationRows, gradients.factors)
	result := results{
		loss: loss, byEntity: entityGradient,
		byRelation: b.cores.back(byRelation, byFactors, gradients.tensors, byNorms),
	}
	if r.norm {
		result.averages = b.cores.averaged(normHeads, normQueries)
	}
	return result
}

// perDirection returns the weight of a term of each member that is a mean over the directions of a
// triple, [S, 1, 1, 1].
func (b batch) perDirection(in terms, which int) *Node {
	return Reshape(DivScalar(in.weight(which), b.relation.Shape().Dim(1)), -1, 1, 1, 1)
}

// inner returns scalar products [S, directions, b, 1] of x and y, each [S, directions, b, d].
func inner(x, y *Node) *Node { return ReduceAndKeep(Mul(x, y), ReduceSum, 3) }

// overBatch sums over all axes but the members.
func overBatch(x *Node) *Node { return ReduceSum(x, 1, 2, 3) }

// entropies holds the parts of cross entropies that involve all rows of a table.
type entropies struct {
	logTotal *Node // [S, directions, b, 1]: log Σ exp of the scores
	byQuery  *Node // [S, directions, b, d]: gradient of Σ weight·logTotal
	byTable  *Node // [S, rows, d]: gradient of Σ weight·logTotal
}

// softmax scores queries [S, directions, b, d] against all rows of a table [S, rows, d]. Each
// query has a weight [S, 1, b, 1]. With p = exp(s - max s) and z = Σp, both products of the
// backward pass use p and apply weight/z to their smaller factor or result. That saves another
// pass over [S, queries, rows].
func softmax(queries, table, weight *Node, bfloat16 bool, rows sharding) entropies {
	shape := queries.Shape()
	members, directions, size, d := shape.Dim(0), shape.Dim(1), shape.Dim(2), shape.Dim(3)
	product := func(a, b *Node, axisA, axisB int) *Node {
		dot := Dot(a, b)
		if bfloat16 {
			a, b = ConvertDType(a, dtypes.BFloat16), ConvertDType(b, dtypes.BFloat16)
			dot = Dot(a, b).WithOutputDType(dtypes.Float32)
		}
		return dot.General([]int{axisA}, []int{0}, []int{axisB}, []int{0})
	}
	scores := product(Reshape(queries, members, -1, d), table, 2, 2)
	scores = rows.mask(scores, float32(math.Inf(-1))) // of probability 0
	highest := ReduceAndKeep(scores, ReduceMax, 2)
	unnormalized := Exp(Sub(scores, highest))
	total := ReduceAndKeep(unnormalized, ReduceSum, 2)
	scale := Div(weight, Reshape(total, members, directions, size, 1))
	// [S, d, rows]
	byTable := product(Reshape(Mul(queries, scale), members, -1, d), unnormalized, 1, 1)
	byQuery := Reshape(product(unnormalized, table, 2, 1), shape.Dimensions...)
	return entropies{
		logTotal: Reshape(Add(Log(total), highest), members, directions, size, 1),
		byQuery:  Mul(byQuery, scale),
		byTable:  TransposeAllAxes(byTable, 0, 2, 1),
	}
}

// penalize returns the penalties on the norms of the looked-up rows, [S], and adds their
// gradients.
func (b batch) penalize(r recipe, in terms, weight *Node, g *rowGradients) *Node {
	penalty := func(x, scale, l2, n3 *Node, directions int) (sum, gradient *Node) {
		weight := scaled(weight, scale)
		perMember := func(w *Node) *Node {
			return Mul(Reshape(DivScalar(w, directions), -1, 1, 1, 1), weight)
		}
		square := Square(x)
		sums, slope := Mul(square, perMember(l2)), MulScalar(perMember(l2), 2)
		for _, block := range r.n3Blocks.all() {
			n3, norm := perMember(in.ofBlock(n3, block, r.n3Blocks)), Abs(x)
			if block > 1 {
				norm = b.norms(square, block)
			}
			sums = Add(sums, Mul(Mul(square, norm), n3))
			slope = Add(slope, Mul(MulScalar(norm, 3), n3))
		}
		return overBatch(sums), Mul(x, slope)
	}
	total := func(common, own int) *Node { return Add(in.weight(common), in.weight(own)) }
	relations := b.factor()
	if b.partitions > 0 {
		relations = b.coreFactors
	}
	ofRelations, byRelation := penalty(relations, b.relationScales,
		total(weightL2, weightRelationL2), total(weightN3, weightRelationN3),
		b.relation.Shape().Dim(1))
	ofEntities := func(x *Node, directions int) (sum, gradient *Node) {
		return penalty(x, b.endScales,
			total(weightL2, weightEntityL2), total(weightN3, weightEntityN3), directions)
	}
	if !b.moves {
		ofEnds, byEnds := ofEntities(b.ends, 1)
		if b.partitions > 0 {
			g.ends, g.factors = Add(g.ends, byEnds), Add(g.factors, byRelation)
		} else {
			g.add(byEnds, byRelation)
		}
		return Add(ofEnds, ofRelations)
	}
	// The mean of both directions: the moved anchor and the answer of each.
	ofAnchors, byAnchors := ofEntities(b.anchors(), 2)
	ofEnds, byEnds := ofEntities(b.ends, 2)
	b.addByAnchor(g, byAnchors, byRelation)
	g.ends = Add(g.ends, byEnds)
	return Add(Add(ofAnchors, ofEnds), ofRelations)
}

// scaled returns a weight with the factors of penalties on rows, which are nil if they are all 1.
func scaled(weight, scales *Node) *Node {
	if scales == nil {
		return weight
	}
	return Mul(weight, scales)
}

// penalizeProducts returns the penalties on the products of an entity and a relation, and the
// gradient with respect to the plain queries, before dropout.
func (b batch) penalizeProducts(
	in terms, weight, plain *Node, g *rowGradients,
) (sum, byPlain *Node) {
	weight = Mul(Reshape(in.weight(weightProducts), -1, 1, 1, 1), weight)
	if b.reciprocal { // mean of the two directions
		weight = DivScalar(weight, 2)
	}
	penalty := func(x, scale *Node) (sum, gradient *Node) {
		weight := scaled(weight, scale)
		return overBatch(Mul(Square(x), weight)), Mul(x, MulScalar(weight, 2))
	}
	sum, byPlain = penalty(plain, b.endScales)
	if b.reciprocal {
		others, byOthers := penalty(b.otherQueries(), b.answerScales())
		b.backFromOtherQueries(g, byOthers)
		sum = Add(sum, others)
	}
	return sum, byPlain
}

// tripleWeights returns [size]: 1/total for the first count triples and 0 for padding.
func tripleWeights(size int, count, total *Node) *Node {
	place := Iota(count.Graph(), shapes.Make(dtypes.Int32, size), 0)
	used := ConvertDType(LessThan(place, count), dtypes.Float32)
	return Div(used, ConvertDType(total, dtypes.Float32))
}

// kept returns the factors of coordinates with a dropout, [S, 2, b, d]: 0 where package dropout drops
// the coordinate of a query, else 1/(1-share). first is the index of the first triple in its step.
func (b batch) kept(of drop, first *Node) *Node {
	members, size, d := b.members(), b.size(), b.dim()
	k := b.operators.Shape().Dim(3)
	along := func(axis int) *Node {
		return Iota(first.Graph(), shapes.Make(dtypes.Uint32, members, 2, size, d), axis)
	}
	// The query number is 2i+direction. Column n·K+i is coordinate i·d/K+n in [kge.Parameters].
	query := Add(MulScalar(Add(along(2), ConvertDType(first, dtypes.Uint32)), 2), along(1))
	column := along(3)
	coordinate := Add(MulScalar(ModScalar(column, k), d/k), DivScalar(column, k))
	place := Add(MulScalar(query, d), coordinate)
	return masks.Factors(place, Reshape(of.keys, members, 1, 1, 1), of.threshold, of.share)
}
