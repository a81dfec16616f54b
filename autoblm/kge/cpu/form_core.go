package cpu

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// coreArithmetic returns the implementation of a form with cores.
func coreArithmetic(f form.Form) arithmetic {
	return arithmetic{
		newHop: func(k *kernel.Set, _ structure.Structure, dim int) hop {
			return newPartitions(k, f.Partitions(), dim)
		},
		newMeasure: func(int) tiles.Measure { return tiles.Products{} },
	}
}

// partitions multiplies each partition of a state by its matrix. The tables of relations are the
// matrices of all partitions, then their transposes, and then those of a [norm]; see [cores].
type partitions struct {
	kernels *kernel.Set
	layout  partitionLayout
	buffers *sync.Pool // of partitionBuffers
}

func newPartitions(k *kernel.Set, count, dim int) partitions {
	return partitions{
		k, newPartitionLayout(count, dim),
		&sync.Pool{New: func() any { return &partitionBuffers{} }},
	}
}

// partitionBuffers holds states before and after a hop, in a [partitionLayout].
type partitionBuffers struct{ before, after []float32 }

// Step implements [hop].
func (h partitions) Step(to, from kernel.Table, relations []kernel.Table, n int, transposed bool) {
	matrices, others := relations[:h.layout.count], relations[h.layout.count:]
	transposes, norm := others[:h.layout.count], others[h.layout.count:]
	if transposed {
		matrices = transposes
	}
	h.addNormalized(to, from, matrices, norm, n)
}

// Back implements [hop]. The model computes the gradients of the matrices from those of all hops.
func (h partitions) Back(
	gradient, _ kernel.Table, relations []kernel.Table, to hopGradients, n int, transposed bool,
) {
	h.Step(to.from, gradient, relations, n, !transposed)
}

// addProducts adds the products of n states and matrices.
func (h partitions) addProducts(to, from kernel.Table, matrices []kernel.Table, n int) {
	h.addNormalized(to, from, matrices, nil, n)
}

// addNormalized adds the products of n states and matrices, with the normalization of both in the
// tables of a [norm]; there are none without it.
func (h partitions) addNormalized(to, from kernel.Table, matrices, norm []kernel.Table, n int) {
	b := h.buffers.Get().(*partitionBuffers)
	defer h.buffers.Put(b)
	rows := kernel.Pad(n, kernel.Rows)
	l := h.layout
	b.before, b.after = l.resize(b.before, rows), l.resize(b.after, rows)
	l.pack(b.before, from, n)
	if len(norm) > 0 {
		normalize(b.before[:n*l.stride], norm[0])
	}
	clear(b.before[n*l.stride : rows*l.stride])
	for k, matrix := range matrices {
		after := kernel.Table{Data: b.after[k*l.width:], Stride: l.stride}
		h.kernels.Product(after, b.before[k*l.width:], l.stride, 1, matrix, rows, l.width, l.size, false)
	}
	if len(norm) > 0 {
		normalize(b.after[:n*l.stride], norm[1])
	}
	l.addUnpacked(to, b.after, n)
}

// partitionLayout describes rows whose partitions are padded.
type partitionLayout struct {
	count  int // K
	size   int // C
	width  int // of a padded partition
	stride int // of a row
}

func newPartitionLayout(count, dim int) partitionLayout {
	size := dim / count
	width := kernel.Pad(size, kernel.Columns)
	return partitionLayout{count, size, width, count * width}
}

// resize returns memory for rows. Products may read, but not use, numbers after the last row.
func (l partitionLayout) resize(rows []float32, n int) []float32 {
	if numbers := n*l.stride + kernel.Rows; len(rows) < numbers {
		return make([]float32, max(numbers, 2*len(rows)))
	}
	return rows
}

// grow resizes memory for rows and keeps their numbers.
func (l partitionLayout) grow(rows []float32, n int) []float32 {
	grown := l.resize(rows, n)
	if len(grown) > len(rows) {
		copy(grown, rows)
	}
	return grown
}

// pack copies n rows.
func (l partitionLayout) pack(to []float32, from kernel.Table, n int) {
	for i := range n {
		row, packed := from.Row(i), to[i*l.stride:][:l.stride]
		for k := range l.count {
			copy(packed[k*l.width:], row[k*l.size:][:l.size])
		}
	}
}

// addUnpacked adds n packed rows.
func (l partitionLayout) addUnpacked(to kernel.Table, from []float32, n int) {
	for i := range n {
		row, packed := to.Row(i), from[i*l.stride:][:l.stride]
		for k := range l.count {
			part := row[k*l.size:][:l.size]
			for j, x := range packed[k*l.width:][:l.size] {
				part[j] += x
			}
		}
	}
}
