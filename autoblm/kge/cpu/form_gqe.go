package cpu

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.GQE, arithmetic{
	newHop:     func(k *kernel.Set, _ structure.Structure, dim int) hop { return newMatrix(k, dim) },
	newMeasure: func(int) tiles.Measure { return tiles.Products{} },
})

// matrix computes qᵀR, with a matrix R of d rows that all paths of a call share.
type matrix struct {
	kernels *kernel.Set
	dim     int
	buffers *sync.Pool
}

func newMatrix(k *kernel.Set, dim int) matrix {
	return matrix{k, dim, &sync.Pool{New: func() any {
		return &matrixBuffers{
			transpose: tiles.NewTable(dim, dim),
			sum:       tiles.NewTable(kernel.Pad(dim, kernel.Rows), dim),
		}
	}}}
}

// matrixBuffers holds tables with padded rows, as a product needs them.
type matrixBuffers struct {
	transpose, sum kernel.Table // [d, d]
	states, after  kernel.Table // [n, d]
}

// load copies n states, appends rows of zeros as padding, and returns the number of rows.
func (b *matrixBuffers) load(from kernel.Table, n int) (rows int) {
	rows = kernel.Pad(n, kernel.Rows)
	numbers := (rows + 1) * from.Stride // one more row, as a product also reads padded columns
	if len(b.states.Data) < numbers {
		b.states = kernel.Table{Data: make([]float32, numbers), Stride: from.Stride}
		b.after = kernel.Table{Data: make([]float32, numbers), Stride: from.Stride}
	}
	copy(b.states.Data, first(from, n))
	clear(b.states.Data[n*from.Stride : rows*from.Stride])
	return rows
}

// transposeOf returns the transpose of a matrix, in b.
func (h matrix) transposeOf(b *matrixBuffers, m kernel.Table) kernel.Table {
	h.kernels.Transpose(b.transpose, m, h.dim, h.dim)
	return b.transpose
}

// addProduct adds the product of n states and a matrix.
func (h matrix) addProduct(to, states, factor kernel.Table, n int, b *matrixBuffers) {
	rows := b.load(states, n)
	stride := states.Stride
	h.kernels.Product(b.after, b.states.Data, stride, 1, factor, rows, stride, h.dim, false)
	h.kernels.ScaleAdd(first(to, n), first(b.after, n), 1)
}

// fewStates is the largest number of states that are faster one by one than padded.
const fewStates = 2

func (h matrix) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	if n <= fewStates {
		for i := range n {
			h.stepOne(tiles.PaddedRow(to, i), tiles.PaddedRow(from, i), relations[0], transposed)
		}
		return
	}
	b := h.buffers.Get().(*matrixBuffers)
	defer h.buffers.Put(b)
	factor := relations[0]
	if transposed {
		factor = h.transposeOf(b, factor)
	}
	h.addProduct(to, from, factor, n, b)
}

func (h matrix) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	if n <= fewStates {
		for i := range n {
			h.backOne(
				tiles.PaddedRow(gradient, i), tiles.PaddedRow(from, i), relations[0],
				tiles.PaddedRow(to.from, i), to.relations[0], transposed,
			)
		}
		return
	}
	b := h.buffers.Get().(*matrixBuffers)
	defer h.buffers.Put(b)
	back, left, right := relations[0], gradient, from
	if !transposed {
		back, left, right = h.transposeOf(b, back), from, gradient
	}
	h.addProduct(to.from, gradient, back, n, b)
	b.load(left, n)
	rows := kernel.Pad(h.dim, kernel.Rows)
	h.kernels.Product(b.sum, b.states.Data, 1, left.Stride, right, rows, right.Stride, n, false)
	h.kernels.ScaleAdd(first(to.relations[0], h.dim), first(b.sum, h.dim), 1)
}

func (h matrix) stepOne(y, x []float32, factor kernel.Table, transposed bool) {
	for row := range h.dim {
		if r := tiles.PaddedRow(factor, row); transposed {
			y[row] = float32(tiles.Dot(r, x))
		} else {
			h.kernels.ScaleAdd(y, r, x[row])
		}
	}
}

func (h matrix) backOne(
	g, x []float32, factor kernel.Table, gradX []float32, gradFactor kernel.Table, transposed bool,
) {
	for row := range h.dim {
		r, gradR := tiles.PaddedRow(factor, row), tiles.PaddedRow(gradFactor, row)
		if transposed {
			h.kernels.ScaleAdd(gradX, r, g[row])
			h.kernels.ScaleAdd(gradR, x, g[row])
		} else {
			gradX[row] += float32(tiles.Dot(r, g))
			h.kernels.ScaleAdd(gradR, g, x[row])
		}
	}
}
