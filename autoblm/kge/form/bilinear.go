package form

import (
	"errors"
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// bilinear scores by e0ᵀ g(A,r1) … g(A,rL) e with a structure A (paper, Equations 4
// and 7).
type bilinear struct{}

func (bilinear) Name() string { return "bilinear" }

func (bilinear) Structure(asked structure.Structure) (structure.Structure, error) {
	if asked.K() == 0 {
		return asked, errors.New("the structure is missing: give one, such as complex")
	}
	return asked, nil
}

func (bilinear) Tables(dim int) []Table { return plain(dim) }

func (bilinear) Hop(k *kernel.Set, a structure.Structure, dim int) Hop {
	return Mixture{mix.New(k, a, dim)}
}

func (bilinear) Measure(int) tiles.Measure { return tiles.Products{} }

func (bilinear) DefineHop(a structure.Structure, state []float64, relations [][]float64, transposed bool) []float64 {
	after := make([]float64, len(state))
	for i := range after {
		unit := make([]float64, len(state))
		unit[i] = 1
		if transposed {
			after[i] = a.Score(unit, relations[0], state)
		} else {
			after[i] = a.Score(state, relations[0], unit)
		}
	}
	return after
}

func (bilinear) DefineScore(query, row []float64) (score float64) {
	for i, x := range row {
		score += query[i] * x
	}
	return score
}

// diag is Diag-Comp: e0ᵀ diag(r1) … diag(rL) e (Guu et al., 2015), which is bilinear
// with the structure of one cell.
type diag struct{ bilinear }

var oneCell = structure.MustParse("1")

func (diag) Name() string { return "diag" }

func (diag) Structure(asked structure.Structure) (structure.Structure, error) {
	if asked.K() != 0 && asked != oneCell {
		return asked, fmt.Errorf("diag has no structure but %v: leave it out", oneCell)
	}
	return oneCell, nil
}

// Mixture is the hop of a structure, qᵀ g(A,r), with g(A,r) never there as a matrix.
type Mixture struct{ mix.Mixer }

// roles are the roles of a state before a hop and after it.
func (Mixture) roles(transposed bool) (from, to mix.Role) {
	if transposed {
		return mix.AsTail, mix.AsHead
	}
	return mix.AsHead, mix.AsTail
}

// Step implements [Hop].
func (h Mixture) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	before, after := h.roles(transposed)
	of := mix.ByRole{mix.AsRelation: relations[0]}
	of[before] = from
	h.Mix(to, after, of, n)
}

// Back implements [Hop].
func (h Mixture) Back(gradient, from kernel.Table, relations []kernel.Table, gradFrom kernel.Table, gradRelations []kernel.Table, n int, transposed bool) {
	before, after := h.roles(transposed)
	of, to := mix.ByRole{mix.AsRelation: relations[0]}, mix.ByRole{mix.AsRelation: gradRelations[0]}
	of[before], to[before] = from, gradFrom
	h.MixBack(gradient, after, of, to, n)
}

// AskRelations adds to each row the vector v with score = ⟨v, r⟩ for a head and a tail.
func (h Mixture) AskRelations(to, heads, tails kernel.Table, n int) {
	h.Mix(to, mix.AsRelation, mix.ByRole{mix.AsHead: heads, mix.AsTail: tails}, n)
}

// AskRelationsBack carries the gradient by what AskRelations made to heads and tails.
func (h Mixture) AskRelationsBack(gradient, heads, tails, gradHeads, gradTails kernel.Table, n int) {
	h.MixBack(gradient, mix.AsRelation, mix.ByRole{mix.AsHead: heads, mix.AsTail: tails}, mix.ByRole{mix.AsHead: gradHeads, mix.AsTail: gradTails}, n)
}
