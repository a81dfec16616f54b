package gomlx

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// batch is a batch of triples with its embeddings. Entities are [S, E, d],
// relations [S, R, d]; K follows from the operators.
type batch struct {
	entities  *Node // [S, E, d]
	operators *Node // [S, 2, K·K, K]: the sign tensors for tail queries and for head queries

	ends         *Node // [S, 2, b, d]: the rows of the heads, then of the tails
	relation     *Node // [S, b, d]
	endRows      *Node // [S·2·b, 1]: where the ends stand in entities as [S·E, d]
	relationRows *Node // [S·b, 1]: the same in relations as [S·R, d]
}

// gatherBatch looks up the triples' rows. entityIDs is [2, b], heads then
// tails; relationIDs is [b].
func gatherBatch(entities, relations, operators, entityIDs, relationIDs *Node) batch {
	members, d := entities.Shape().Dim(0), entities.Shape().Dim(2)
	size := relationIDs.Shape().Dim(0)
	rowsOf := func(table, ids *Node) *Node {
		count := table.Shape().Dim(1)
		shape := append([]int{members}, ids.Shape().Dimensions...)
		start := MulScalar(Iota(ids.Graph(), shapes.Make(dtypes.Int32, shape...), 0), count)
		return Reshape(Add(start, BroadcastPrefix(ids, members)), -1, 1)
	}
	lookUp := func(table, rows *Node, dims ...int) *Node {
		flat := Reshape(table, members*table.Shape().Dim(1), d)
		return Reshape(Gather(flat, rows), dims...)
	}
	b := batch{
		entities:     entities,
		operators:    operators,
		endRows:      rowsOf(entities, entityIDs),
		relationRows: rowsOf(relations, relationIDs),
	}
	b.ends = lookUp(entities, b.endRows, members, 2, size, d)
	b.relation = lookUp(relations, b.relationRows, members, size, d)
	return b
}

// queries is [S, 2·b, d]: q with f(h,r,e) = ⟨q, e⟩ for each head and relation,
// then p with f(e,r,t) = ⟨e, p⟩ for each relation and tail.
func (b batch) queries() *Node {
	members, size, d := b.ends.Shape().Dim(0), b.ends.Shape().Dim(2), b.ends.Shape().Dim(3)
	k := b.operators.Shape().Dim(3)
	positions := size * d / k
	ends := Reshape(b.ends, members, 2, positions, k, 1)
	relation := BroadcastToDims(Reshape(b.relation, members, 1, positions, 1, k), members, 2, positions, k, k)
	products := Mul(BroadcastToDims(ends, members, 2, positions, k, k), relation)
	mixed := Dot(Reshape(products, members*2, positions, k*k), Reshape(b.operators, members*2, k*k, k)).
		General([]int{2}, []int{0}, []int{1}, []int{0})
	return Reshape(mixed, members, 2*size, d)
}

// scores is [S, rows, E] for queries [S, rows, d].
func scores(queries, entities *Node) *Node {
	return Dot(queries, entities).General([]int{2}, []int{0}, []int{2}, []int{0})
}

// answers is [S, 2·b, d]: the embedding of the true entity of each query.
func (b batch) answers() *Node {
	members, size, d := b.ends.Shape().Dim(0), b.ends.Shape().Dim(2), b.ends.Shape().Dim(3)
	heads := Slice(b.ends, AxisRange(), AxisRange(0, 1))
	tails := Slice(b.ends, AxisRange(), AxisRange(1, 2))
	return Reshape(Concatenate([]*Node{tails, heads}, 1), members, 2*size, d)
}
