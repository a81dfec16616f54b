package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

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
