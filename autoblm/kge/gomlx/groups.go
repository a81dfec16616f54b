package gomlx

import (
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	. "github.com/gomlx/gomlx/core/graph"
)

// n3Blocks has a bit for each size of the groups of N3 in a population, see [kge.Weights].
type n3Blocks uint64

func n3BlocksOf(members []kge.Member) (blocks n3Blocks) {
	for _, m := range members {
		blocks |= 1 << max(1, m.N3Block)
	}
	return blocks
}

// all lists the sizes.
func (blocks n3Blocks) all() (all []int) {
	for size := range 64 {
		if blocks>>size&1 == 1 {
			all = append(all, size)
		}
	}
	return all
}

// ofBlock returns the weights of N3 [S] of the members with a block size, and 0 for the others.
func (t terms) ofBlock(n3 *Node, block int, blocks n3Blocks) *Node {
	if blocks == 1<<block { // of all members
		return n3
	}
	size := Scalar(n3.Graph(), n3.DType(), float64(block))
	return Mul(n3, ConvertDType(Equal(t.weight(weightN3Block), size), n3.DType()))
}

// norms returns the norm of each group of numbers at all of its coordinates, from the squared
// coordinates [S, directions, b, d].
func (b batch) norms(square *Node, block int) *Node {
	k := b.operators.Shape().Dim(3)
	groups := Reshape(square, b.members(), -1, block, k/block) // of the chunks at each position
	norm := Sqrt(ReduceAndKeep(groups, ReduceSum, 2))
	atAll := Concatenate(slices.Repeat([]*Node{norm}, block), 2)
	return ReshapeWithShape(atAll, square.Shape())
}
