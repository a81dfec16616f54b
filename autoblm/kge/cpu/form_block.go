package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// blockArithmetic returns the arithmetic of the form with blocks of a size.
func blockArithmetic(size int) arithmetic {
	return arithmetic{
		newHop: func(k *kernel.Set, _ structure.Structure, dim int) hop {
			return blocks{k, size, dim / size}
		},
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
}

// blocks computes qᵀR with a matrix R of dense blocks that all paths of a call share. It adds
// products of chunks, as a mixture does: a number of a block has its own row of d/C numbers, one
// for each position. That suits many positions; a matrix suits one.
type blocks struct {
	kernels     *kernel.Set
	size, width int // C, and d/C
}

// each visits the entries of a block, with the first column of the entry in a row of relations, and
// of the chunks that it joins.
func (h blocks) each(visit func(entry, i, j int)) {
	for i := range h.size {
		for j := range h.size {
			visit((i*h.size+j)*h.width, i*h.width, j*h.width)
		}
	}
}

// mulAdd adds the product of two chunks to another one.
func (h blocks) mulAdd(to, x, y []float32) {
	one := func(row []float32) kernel.Table { return kernel.Table{Data: row, Stride: h.width} }
	h.kernels.MulAdd(one(to), one(x), one(y), 1, h.width, 1)
}

func (h blocks) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	r := relations[0].Data
	for path := range n {
		y, x := tiles.PaddedRow(to, path), tiles.PaddedRow(from, path)
		h.each(func(entry, i, j int) {
			if transposed {
				i, j = j, i
			}
			h.mulAdd(y[j:], x[i:], r[entry:])
		})
	}
}

func (h blocks) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	r, gradR := relations[0].Data, to.relations[0].Data
	for path := range n {
		g, x := tiles.PaddedRow(gradient, path), tiles.PaddedRow(from, path)
		gradX := tiles.PaddedRow(to.from, path)
		h.each(func(entry, i, j int) {
			if transposed {
				i, j = j, i
			}
			h.mulAdd(gradX[i:], g[j:], r[entry:])
			h.mulAdd(gradR[entry:], g[j:], x[i:])
		})
	}
}

// AskRelations implements [relationAsker].
func (h blocks) AskRelations(to, heads, tails kernel.Table, n int) {
	for path := range n {
		v, x, y := to.Row(path), tiles.PaddedRow(heads, path), tiles.PaddedRow(tails, path)
		h.each(func(entry, i, j int) { h.mulAdd(v[entry:], x[i:], y[j:]) })
	}
}

// AskRelationsBack implements [relationAsker].
func (h blocks) AskRelationsBack(
	gradient, heads, tails, gradHeads, gradTails kernel.Table, n int,
) {
	for path := range n {
		g, x, y := gradient.Row(path), tiles.PaddedRow(heads, path), tiles.PaddedRow(tails, path)
		gradX, gradY := tiles.PaddedRow(gradHeads, path), tiles.PaddedRow(gradTails, path)
		h.each(func(entry, i, j int) {
			h.mulAdd(gradX[i:], g[entry:], y[j:])
			h.mulAdd(gradY[j:], g[entry:], x[i:])
		})
	}
}
