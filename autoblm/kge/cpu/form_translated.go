package cpu

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.Translated, arithmetic{
	newHop: func(k *kernel.Set, a structure.Structure, dim int) hop {
		buffers := &sync.Pool{New: func() any { return new([]float32) }}
		return movedMixture{newMixture(k, a, dim).(mixture), buffers}
	},
	newMeasure: func(int) tiles.Measure { return tiles.Products{} },
})

// movedMixture computes (q + c)ᵀ g(A,r), and without c through the transpose.
type movedMixture struct {
	mixture mixture
	buffers *sync.Pool // of rows of states
}

// buffer returns rows for n states, which the caller puts back.
func (h movedMixture) buffer(n, stride int) (rows kernel.Table, data *[]float32) {
	data = h.buffers.Get().(*[]float32)
	if len(*data) < n*stride {
		*data = make([]float32, n*stride)
	}
	return kernel.Table{Data: (*data)[:n*stride], Stride: stride}, data
}

// move returns q + c in a buffer.
func (h movedMixture) move(from, by kernel.Table, n int) (moved kernel.Table, data *[]float32) {
	moved, data = h.buffer(n, from.Stride)
	copy(moved.Data, first(from, n))
	h.mixture.kernels.ScaleAdd(moved.Data, first(by, n), 1)
	return moved, data
}

func (h movedMixture) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	if transposed {
		h.mixture.Step(to, from, relations, n, transposed)
		return
	}
	moved, data := h.move(from, relations[1], n)
	defer h.buffers.Put(data)
	h.mixture.Step(to, moved, relations, n, transposed)
}

func (h movedMixture) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	if transposed {
		h.mixture.Back(gradient, from, relations, to, n, transposed)
		return
	}
	moved, data := h.move(from, relations[1], n)
	defer h.buffers.Put(data)
	byMoved, gradientData := h.buffer(n, from.Stride)
	defer h.buffers.Put(gradientData)
	clear(byMoved.Data)
	h.mixture.Back(
		gradient, moved, relations, hopGradients{byMoved, to.relations}, n, transposed)
	for _, sum := range []kernel.Table{to.from, to.relations[1]} {
		h.mixture.kernels.ScaleAdd(first(sum, n), byMoved.Data, 1)
	}
}
