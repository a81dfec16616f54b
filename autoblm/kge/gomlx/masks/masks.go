// Package masks computes the dropouts of package dropout in GoMLX graphs.
package masks

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/internal/dropout"
	"github.com/gomlx/compute/dtypes"
	. "github.com/gomlx/gomlx/core/graph"
)

// Factors returns the factors of numbers in a training step: 0 for the places that are dropped, and
// 1/(1-share) for the others. places and keys are uint32, and threshold is that of the share; all
// broadcast to the shape of places.
func Factors(places, keys, threshold, share *Node) *Node {
	hash := scramble(Add(MulScalar(places, uint32(dropout.Stride)), keys))
	kept := ConvertDType(GreaterOrEqual(hash, threshold), dtypes.Float32)
	return Div(kept, OneMinus(share))
}

// scramble computes [dropout.Scramble].
func scramble(x *Node) *Node {
	fold := func(x *Node, shift uint32) *Node {
		return BitwiseXor(x, BitwiseShiftRightLogicalScalar(x, shift))
	}
	x = MulScalar(fold(x, dropout.Shift1), uint32(dropout.Factor1))
	x = MulScalar(fold(x, dropout.Shift2), uint32(dropout.Factor2))
	return fold(x, dropout.Shift3)
}
