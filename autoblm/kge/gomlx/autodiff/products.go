package autodiff

import (
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// products scores by scalar products of states with one row and entities.
type products struct{}

func (products) scores(c *pass, states, entities *Node) *Node {
	states = Squeeze(states, 2)
	if states.Shape().Dim(1) == 1 && entities.Shape().Dim(1) == 1 { // of pairs
		return ReduceAndKeep(Mul(states, entities), ReduceSum, 2)
	}
	if c.bfloat16 {
		states, entities = rounded(states), rounded(entities)
	}
	return inner(states, entities)
}

// inner returns the scalar products of [blocks, questions, d] and [blocks, n, d]. XLA on a CPU is slow
// with products of batches of matrices, also with a batch of one.
func inner(states, entities *Node) *Node {
	if states.Shape().Dim(0) > 1 {
		return Dot(states, entities).General([]int{2}, []int{0}, []int{2}, []int{0})
	}
	scores := Dot(Squeeze(states, 0), Squeeze(entities, 0)).General([]int{1}, nil, []int{1}, nil)
	return InsertAxes(scores, 0)
}

// rounded rounds to bfloat16. Gradients pass unchanged.
func rounded(x *Node) *Node {
	narrow := ConvertDType(ConvertDType(x, dtypes.BFloat16), x.DType())
	return Add(x, StopGradient(Sub(narrow, x)))
}
