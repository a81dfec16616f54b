package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var (
	bilinearArithmetic = arithmetic{
		newHop: func(k *kernel.Set, a structure.Structure, dim int) hop {
			return mixture{mix.New(k, a, dim)}
		},
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
	_ = register(form.Bilinear, bilinearArithmetic)
	_ = register(form.Diag, bilinearArithmetic)
)

// mixture computes qᵀ g(A,r) without storing the matrix g(A,r).
type mixture struct{ mix.Mixer }

// roles returns the roles in a triple of a state before and after a hop.
func (mixture) roles(transposed bool) (from, to mix.Role) {
	if transposed {
		return mix.AsTail, mix.AsHead
	}
	return mix.AsHead, mix.AsTail
}

// Step implements [hop].
func (h mixture) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	before, after := h.roles(transposed)
	factors := mix.ByRole{mix.AsRelation: relations[0]}
	factors[before] = from
	h.Mix(to, after, factors, n)
}

// Back implements [hop].
func (h mixture) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	before, after := h.roles(transposed)
	factors := mix.ByRole{mix.AsRelation: relations[0]}
	gradients := mix.ByRole{mix.AsRelation: to.relations[0]}
	factors[before], gradients[before] = from, to.from
	h.MixGradient(gradient, after, factors, gradients, n)
}

// AskRelations adds the queries for the relation of heads and tails: each is the vector v with
// score ⟨v, r⟩ for every relation r.
func (h mixture) AskRelations(to, heads, tails kernel.Table, n int) {
	h.Mix(to, mix.AsRelation, mix.ByRole{mix.AsHead: heads, mix.AsTail: tails}, n)
}

// AskRelationsBack propagates the gradient through AskRelations to heads and tails.
func (h mixture) AskRelationsBack(
	gradient, heads, tails, gradHeads, gradTails kernel.Table, n int,
) {
	factors := mix.ByRole{mix.AsHead: heads, mix.AsTail: tails}
	gradients := mix.ByRole{mix.AsHead: gradHeads, mix.AsTail: gradTails}
	h.MixGradient(gradient, mix.AsRelation, factors, gradients, n)
}
