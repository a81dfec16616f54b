package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.TransE, arithmetic{
	newHop:     func(k *kernel.Set, _ structure.Structure, _ int) hop { return translation{k} },
	newMeasure: func(dim int) tiles.Measure { return tiles.Distances{Dim: dim} },
})

// translation computes q + r, and q - r through the transpose.
type translation struct{ kernels *kernel.Set }

func (h translation) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	copy(first(to, n), first(from, n))
	h.kernels.ScaleAdd(first(to, n), first(relations[0], n), negateIf(transposed))
}

func (h translation) Back(
	gradient, _ kernel.Table, _ []kernel.Table, to hopGradients, n int, transposed bool,
) {
	h.kernels.ScaleAdd(first(to.from, n), first(gradient, n), 1)
	h.kernels.ScaleAdd(first(to.relations[0], n), first(gradient, n), negateIf(transposed))
}
