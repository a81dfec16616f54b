package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.Translated, arithmetic{
	newHop: func(k *kernel.Set, a structure.Structure, dim int) hop {
		return movedMixture{newMixture(k, a, dim).(mixture)}
	},
	newMeasure: func(int) tiles.Measure { return tiles.Products{} },
})

// movedMixture computes (q + c)ᵀ g(A,r), and without c through the transpose. It is the sum of the
// mixtures of q and of c, which costs little next to the scores and needs no buffer.
type movedMixture struct{ mixture mixture }

func (h movedMixture) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	h.mixture.Step(to, from, relations, n, transposed)
	if !transposed {
		h.mixture.Step(to, relations[1], relations, n, transposed)
	}
}

func (h movedMixture) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	h.mixture.Back(gradient, from, relations, to, n, transposed)
	if !transposed {
		moves := hopGradients{from: to.relations[1], relations: to.relations}
		h.mixture.Back(gradient, relations[1], relations, moves, n, transposed)
	}
}
