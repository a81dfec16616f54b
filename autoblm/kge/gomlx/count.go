package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// The inputs of a ranking, in order.
const (
	rankEntities  = iota // [S, E, d]
	rankRelations        // [S, R, d]
	rankOperators        // [S, mixes, K·K, K]
	rankTriples          // [3, b]: heads, relations, tails
	rankKnownRows        // [n]: the query, 0…2b-1, that a known answer belongs to
	rankKnownIDs         // [n]: the known answer
	rankKnownUsed        // [n]: 1, and 0 for padding
	rankInputs
)

// countRanks is the graph of a ranking. It returns, [S, 2·b] each, how many
// entities other than the known answers score above the true one, how many
// score the same, and the score of the true one. Counts of all entities less
// counts of the known ones come from one table of scores, so that they agree
// to the bit, whatever the precision of the product, and no mask over the
// entities is needed.
func countRanks(g *Graph, in []*Node, reciprocal bool) []*Node {
	b := gatherBatch(in[rankEntities], in[rankRelations], in[rankOperators], in[rankTriples], reciprocal)
	all := scores(Reshape(b.queries(), b.members(), -1, b.dim()), b.entities) // [S, 2·b, E]
	members, rows, count := all.Shape().Dim(0), all.Shape().Dim(1), all.Shape().Dim(2)
	flat := Reshape(all, members*rows*count)
	pick := func(row, id *Node) *Node { // [n] each to [S, n]
		n := row.Shape().Dim(0)
		start := MulScalar(Iota(g, shapes.Make(dtypes.Int32, members, n), 0), rows*count)
		position := Add(start, BroadcastPrefix(Add(MulScalar(row, count), id), members))
		return Reshape(Gather(flat, Reshape(position, members*n, 1)), members, n)
	}
	ids := in[rankTriples]
	trueIDs := Reshape(Concatenate([]*Node{Slice(ids, AxisRange(2, 3)), Slice(ids, AxisRange(0, 1))}, 0), rows)
	truth := pick(Iota(g, shapes.Make(dtypes.Int32, rows), 0), trueIDs) // [S, 2·b]

	knownScore := pick(in[rankKnownRows], in[rankKnownIDs]) // [S, n]
	knownTruth := TransposeAllAxes(Gather(TransposeAllAxes(truth, 1, 0), Reshape(in[rankKnownRows], -1, 1)), 1, 0)
	counted := func(compare func(a, b *Node) *Node) *Node {
		everyone := ReduceSum(ConvertDType(compare(all, BroadcastToShape(Reshape(truth, members, rows, 1), all.Shape())), dtypes.Int32), 2)
		known := Mul(ConvertDType(compare(knownScore, knownTruth), dtypes.Int32), BroadcastPrefix(in[rankKnownUsed], members))
		perRow := ScatterSum(Zeros(g, shapes.Make(dtypes.Int32, rows, members)), Reshape(in[rankKnownRows], -1, 1), TransposeAllAxes(known, 1, 0), false, false)
		return Sub(everyone, TransposeAllAxes(perRow, 1, 0))
	}
	better := counted(GreaterThan)
	return []*Node{better, Sub(counted(GreaterOrEqual), better), truth}
}
