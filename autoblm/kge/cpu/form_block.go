package cpu

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// blockArithmetic returns the arithmetic of the form with blocks of a size.
func blockArithmetic(size int) arithmetic {
	return arithmetic{
		newHop: func(k *kernel.Set, _ structure.Structure, dim int) hop {
			return newBlocks(k, size, dim)
		},
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
}

// blocks computes qᵀR with a matrix R of dense blocks that all paths of a call share. Row i of the
// blocks of a relation has d numbers, C for each position. Products of a chunk with C chunks are one
// operation on d numbers: kernels would spend most of their time on the starts of short rows.
type blocks struct {
	kernels     *kernel.Set
	size, width int        // C, and d/C
	buffers     *sync.Pool // of d numbers
}

func newBlocks(k *kernel.Set, size, dim int) blocks {
	buffers := &sync.Pool{New: func() any { return new(make([]float32, dim)) }}
	return blocks{k, size, dim / size, buffers}
}

// spread adds the products of one chunk, x, with each of C chunks to C chunks.
func (h blocks) spread(to, x, with, buffer []float32) {
	for n := copy(buffer, x); n < len(buffer); n *= 2 {
		copy(buffer[n:], buffer[:n])
	}
	h.mulAdd(to, buffer, with)
}

// collect adds the sum of the products of C chunks with C chunks to one chunk.
func (h blocks) collect(to, x, with, buffer []float32) {
	clear(buffer)
	h.mulAdd(buffer, x, with)
	rest := buffer
	for half := len(rest) / 2; len(rest) == 2*half && half%h.width == 0 &&
		half%kernel.Columns == 0; half /= 2 {
		h.kernels.ScaleAdd(rest[:half], rest[half:], 1)
		rest = rest[:half]
	}
	for ; len(rest) > 0; rest = rest[h.width:] {
		for p, v := range rest[:h.width] {
			to[p] += v
		}
	}
}

// mulAdd adds the products of d numbers.
func (h blocks) mulAdd(to, x, y []float32) {
	one := func(row []float32) kernel.Table { return kernel.Table{Data: row, Stride: len(row)} }
	h.kernels.MulAdd(one(to), one(x), one(y), 1, len(to), 1)
}

// chunk returns a chunk of an embedding.
func (h blocks) chunk(row []float32, i int) []float32 { return row[i*h.width:][:h.width] }

// row returns row i of the blocks of a relation.
func (h blocks) row(relation []float32, i int) []float32 {
	d := h.size * h.width
	return relation[i*d:][:d]
}

// embedding returns a row of a table without padding.
func (h blocks) embedding(of kernel.Table, path int) []float32 {
	return of.Row(path)[:h.size*h.width]
}

func (h blocks) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	b := h.buffers.Get().(*[]float32)
	defer h.buffers.Put(b)
	buffer := *b
	for path := range n {
		y, x := h.embedding(to, path), h.embedding(from, path)
		for i := range h.size {
			if r := h.row(relations[0].Data, i); transposed {
				h.collect(h.chunk(y, i), x, r, buffer)
			} else {
				h.spread(y, h.chunk(x, i), r, buffer)
			}
		}
	}
}

func (h blocks) Back(
	gradient, from kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	b := h.buffers.Get().(*[]float32)
	defer h.buffers.Put(b)
	buffer := *b
	for path := range n {
		g, x := h.embedding(gradient, path), h.embedding(from, path)
		gradX := h.embedding(to.from, path)
		for i := range h.size {
			r, gradR := h.row(relations[0].Data, i), h.row(to.relations[0].Data, i)
			if transposed {
				h.spread(gradX, h.chunk(g, i), r, buffer)
				h.spread(gradR, h.chunk(g, i), x, buffer)
			} else {
				h.collect(h.chunk(gradX, i), g, r, buffer)
				h.spread(gradR, h.chunk(x, i), g, buffer)
			}
		}
	}
}

// AskRelations implements [relationAsker].
func (h blocks) AskRelations(to, heads, tails kernel.Table, n int) {
	b := h.buffers.Get().(*[]float32)
	defer h.buffers.Put(b)
	buffer := *b
	for path := range n {
		x, y := h.embedding(heads, path), h.embedding(tails, path)
		for i := range h.size {
			h.spread(h.row(to.Row(path), i), h.chunk(x, i), y, buffer)
		}
	}
}

// AskRelationsBack implements [relationAsker].
func (h blocks) AskRelationsBack(
	gradient, heads, tails, gradHeads, gradTails kernel.Table, n int,
) {
	b := h.buffers.Get().(*[]float32)
	defer h.buffers.Put(b)
	buffer := *b
	for path := range n {
		x, y := h.embedding(heads, path), h.embedding(tails, path)
		gradX, gradY := h.embedding(gradHeads, path), h.embedding(gradTails, path)
		for i := range h.size {
			g := h.row(gradient.Row(path), i)
			h.collect(h.chunk(gradX, i), g, y, buffer)
			h.spread(gradY, h.chunk(x, i), g, buffer)
		}
	}
}
