package cpu

import (
	"sync"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// cores computes the matrices M_{r,k} = Σ_c r_{k,c} W_k[c] of relations from the cores W_k of a model,
// and the gradients of both; see form.Core. The matrices are the same for all queries of a step, so
// each is computed once, and so is the gradient of each.
type cores struct {
	partitionLayout
	kernels   *kernel.Set
	relations kernel.Table // of the model, [relations, d]
	tensors   kernel.Table // the cores, [K·C·C, C]
	// isFixed is true if the model does not change and all relations have their matrices.
	isFixed bool

	used     []int32        // the relations that have matrices, ascending
	position []int32        // of each relation in used
	rows     []float32      // of the used relations, packed
	matrices []kernel.Table // by partition, [used, C·width]
	// transposes has the transposed matrices in the same layout.
	transposes []kernel.Table
	gradients  coreGradients
	asking     sync.Pool // of *askBuffers
	// ivr and ends belong to the workspace of the last step with IVR.
	ivr  *coreIVR
	ends *coreEnds
	// hasGrams and hasEnds say whether steps penalize the norms of W×h and W×t, and of W×t×h.
	hasGrams, hasEnds bool
	norm              *norm // nil without batch normalization
}

func newCores(m *model, partitions int) *cores {
	relations := m.relations[0].Embeddings
	c := &cores{
		partitionLayout: newPartitionLayout(partitions, m.dim), kernels: m.kernels,
		relations: relations.Table, tensors: m.global[0].Table,
		position: make([]int32, relations.Count),
	}
	if m.form.HasNorm() {
		c.norm = newNorm(m.global[1].Table, c.partitionLayout)
	}
	return c
}

// coreBytes returns the memory for matrices of all relations and their gradients, each with its
// transpose, and for IVR of one of the members.
func coreBytes(d *kge.Data, s kge.Settings, members []kge.Member, threads int) float64 {
	relations := len(d.Relations)
	if s.Reciprocal {
		relations *= 2
	}
	l := newPartitionLayout(members[0].Form.Partitions(), s.Dim)
	numbers := float64(l.stride * l.size) // of a relation's matrices
	bytes := 4 * float32Bytes * float64(relations) * numbers * float64(len(members))
	var w kge.Weights // of some members
	for _, m := range members {
		w.IVR, w.IVRProducts = max(w.IVR, m.IVR), max(w.IVRProducts, m.IVRProducts)
	}
	square := float32Bytes * float64(l.size*l.width)
	if w.HasIVR() {
		bytes += float64(threads*kernel.Rows) * square
	}
	if w.IVR > 0 {
		bytes += float64(2*min(gramGroups, l.size)+4*l.count) * square
	}
	if w.IVRProducts > 0 {
		perEntry := 2.0 * float32Bytes
		if s.Precision == kge.Bfloat16 {
			perEntry = float32Bytes + bfloat16Bytes
		}
		bytes += perEntry * foldedParts * float64(l.count*l.size*l.foldedEntries())
	}
	return bytes
}

// numbers returns the number of numbers in a padded matrix.
func (c *cores) numbers() int { return c.size * c.width }

// tensor returns a core with its relation's coordinates as rows, [C, C·width].
func (c *cores) tensor(k int) kernel.Table {
	return kernel.Table{
		Data: c.tensors.Data[k*c.size*c.numbers():], Stride: c.numbers(),
	}
}

// deriveAll computes the matrices of all relations and the normalization by moving averages, unless
// they are known.
func (c *cores) deriveAll(threads int) {
	if c.isFixed {
		return
	}
	c.used = c.used[:0]
	for r := range c.position {
		c.used = append(c.used, int32(r))
	}
	c.derive(threads)
	c.norm.update()
}

// rowsTogether is the number of rows of a matrix that a thread computes at a time.
const rowsTogether = 16

// derive computes the matrices of the used relations.
func (c *cores) derive(threads int) {
	n := len(c.used)
	rows := kernel.Pad(n, kernel.Rows)
	c.rows = c.resize(c.rows, rows)
	clear(c.rows)
	for i, r := range c.used {
		c.position[r] = int32(i)
		c.pack(c.rows[i*c.stride:], c.relations.From(int(r)), 1)
	}
	c.matrices = c.perPartition(c.matrices, rows+1, c.numbers()) // products read after the last
	c.transposes = c.perPartition(c.transposes, n, c.numbers())
	parts := divideUp(c.size, rowsTogether)
	tiles.Parallel(threads, c.count*parts, func(_, i int) {
		k, first := i/parts, i%parts*rowsTogether
		column, columns := first*c.width, min(rowsTogether, c.size-first)*c.width
		c.kernels.Product(columnsFrom(c.matrices[k], column), c.rows[k*c.width:], c.stride, 1,
			columnsFrom(c.tensor(k), column), rows, columns, c.size, false)
	})
	tiles.Parallel(threads, c.count*n, func(_, i int) {
		k, position := i/n, i%n
		c.kernels.Transpose(c.matrix(c.transposes[k], position), c.matrix(c.matrices[k], position), c.size, c.size)
	})
}

// perPartition returns a table with at least the given number of rows for each partition, in the
// memory of older ones if that suffices. columns is a multiple of [kernel.Columns].
func (c *cores) perPartition(old []kernel.Table, rows, columns int) []kernel.Table {
	if len(old) == 0 || len(old[0].Data) < kernel.Pad(rows, kernel.Rows)*columns {
		old = make([]kernel.Table, c.count)
		for k := range old {
			old[k] = tiles.NewTable(rows, columns)
		}
	}
	for k := range old {
		old[k].Stride = columns
	}
	return old
}

// matrix returns a matrix of a partition, [C, C].
func (c *cores) matrix(of kernel.Table, position int) kernel.Table {
	return kernel.Table{Data: of.Row(position), Stride: c.width}
}

// appendMatrices appends the matrices of a relation, their transposes, and the tables of the
// normalization.
func (c *cores) appendMatrices(to []kernel.Table, relation int32) []kernel.Table {
	position := int(c.position[relation])
	for _, of := range [][]kernel.Table{c.matrices, c.transposes} {
		for k := range c.count {
			to = append(to, c.matrix(of[k], position))
		}
	}
	if c.norm != nil {
		to = append(to, c.norm.maps[:]...)
	}
	return to
}
