package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

var _ = register(form.PairRE, arithmetic{
	newHop: func(k *kernel.Set, _ structure.Structure, dim int) hop {
		return pairing{k, scaledDistances(dim)}
	},
	newMeasure: func(dim int) tiles.Measure { return scaledDistances(dim) },
})

func scaledDistances(dim int) tiles.ScaledDistances {
	return tiles.NewScaledDistances(dim, form.LeastNorm)
}

// pairing multiplies the rows of a state by those of a relation: r_H and r_T, or r_T and r_H through
// the transpose. The first hop normalizes the first row, and sets the second, which is 0 before it.
type pairing struct {
	kernels *kernel.Set
	measure tiles.ScaledDistances
}

// rows returns the rows of a state, or of their gradients.
func (pairing) rows(of kernel.Table, path int) (q, w []float32) {
	return tiles.PaddedRow(of, 2*path), tiles.PaddedRow(of, 2*path+1)
}

// vectors returns the rows of a relation that multiply those of a state, or their gradients.
func (h pairing) vectors(relation kernel.Table, path int, transposed bool) (ofQ, ofW []float32) {
	ofQ, ofW = h.rows(relation, path)
	if transposed {
		return ofW, ofQ
	}
	return ofQ, ofW
}

func (h pairing) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	for path := range n {
		q, w := h.rows(from, path)
		toQ, toW := h.rows(to, path)
		ofQ, ofW := h.vectors(relations[0], path, transposed)
		if isZero(w) {
			per := h.measure.PerNorm(q)
			for i, x := range q {
				toQ[i] = x * per * ofQ[i]
			}
			copy(toW, ofW)
			continue
		}
		h.addProduct(toQ, q, ofQ)
		h.addProduct(toW, w, ofW)
	}
}

func (h pairing) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	for path := range n {
		byQ, byW := h.rows(gradient, path)
		q, w := h.rows(from, path)
		toQ, toW := h.rows(to.from, path)
		ofQ, ofW := h.vectors(relations[0], path, transposed)
		toOfQ, toOfW := h.vectors(to.relations[0], path, transposed)
		if !isZero(w) {
			h.addProduct(toQ, byQ, ofQ)
			h.addProduct(toW, byW, ofW)
			h.addProduct(toOfQ, byQ, q)
			h.addProduct(toOfW, byW, w)
			continue
		}
		per := h.measure.PerNorm(q)
		for i, x := range q {
			toOfQ[i] += byQ[i] * per * x
		}
		h.kernels.ScaleAdd(toOfW, byW, 1)
		byUnit := toW // free, because w is constant
		h.addProduct(byUnit, byQ, ofQ)
		h.measure.AddThroughNorm(h.kernels, toQ, q, byUnit)
		clear(byUnit)
	}
}

// addProduct adds the product of two rows.
func (h pairing) addProduct(to, a, b []float32) {
	row := func(x []float32) kernel.Table { return kernel.Table{Data: x, Stride: len(x)} }
	h.kernels.MulAdd(row(to), row(a), row(b), 1, len(to), 1)
}

// isZero reports whether all numbers of a row are 0.
func isZero(row []float32) bool {
	for _, x := range row {
		if x != 0 {
			return false
		}
	}
	return true
}
