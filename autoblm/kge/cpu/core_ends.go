package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// coreEnds penalizes W×t×h of all triples of a batch, for IVR: its products with a core are larger
// than those of a unit, and both directions of a triple share them (see [folding]).
type coreEnds struct {
	folding
	folded    []foldedCore // by partition
	gradients [][foldedParts]kernel.Table
	triples   []tripleEnds
	all       []*ends       // of parts of the largest batch
	sums      []endSums     // of groups of blocks of these parts
	buffers   []*endBuffers // by thread
}

// endsTogether is the largest number of triples that are multiplied together, a multiple of
// [kernel.TileInner].
var endsTogether = 256

// endGroups is the least number of groups of blocks that are summed separately, by different threads.
// It does not depend on their number, so that sums have the same bits.
const endGroups = 16

// endSums holds values by part of the folded core, or gradients of heads and of tails,
// [C, triples].
type endSums [foldedParts]kernel.Table

// tripleEnds is a triple with its reverse.
type tripleEnds struct {
	*unit
	example int
	weights [2]float64 // of the penalties of the triple and of its reverse; 0 without reverses
}

// ends holds the embeddings of the ends of some triples, as columns of a partition.
type ends struct {
	triples []tripleEnds
	columns int    // triples, with padding
	rows    byRole // heads and tails, [C, triples]
	sums    endSums
	// gradients belong to the products with the parts of the folded core, [C, triples].
	gradients [foldedParts]kernel.Table
	byEnd     [foldedParts]kernel.Table // their transposes, in float32
	// left and right are the rounded gradients as factors, in bfloat16: bands of rows along the
	// triples, and of triples along C.
	left, right [foldedParts]kernel.Tiles
	loss        float64
}

// endBuffers is the memory of a thread.
type endBuffers struct {
	slices   [foldedParts]kernel.Table // folded, [slicesTogether, entries]; unused in float32
	products kernel.Table              // of a block of entries, [entriesTogether, triples]
	matrices [foldedParts]kernel.Table // [entriesTogether, triples]
	byEntry  kernel.Table              // [entriesTogether, C]; unused in bfloat16
	packed   kernel.Table              // rows of triples
	squares  [2][]float64              // of queries, by triple
	factors  [2][]float32              // slopes times weights, by triple
	rounded  roundedBuffers
}

// roundedBuffers holds factors in bfloat16.
type roundedBuffers struct {
	products   kernel.Tiles // of a block of entries, along the triples
	right      kernel.Tiles // the same as a right factor, triples along the entries
	entries    kernel.Tiles // the same as a right factor, entries along the triples
	transposed kernel.Tiles // entries of a folded core along C
	swap       kernel.Tiles // two tiles
}

func newEndBuffers(f *folding, isBF16 bool) *endBuffers {
	b := &endBuffers{
		products: tiles.NewTable(entriesTogether, endsTogether),
		packed:   tiles.NewTable(endsTogether, f.width),
	}
	for i := range b.squares {
		b.squares[i], b.factors[i] = make([]float64, endsTogether), make([]float32, endsTogether)
	}
	for part := range b.matrices {
		b.matrices[part] = tiles.NewTable(entriesTogether, endsTogether)
	}
	if !isBF16 {
		b.byEntry = tiles.NewTable(entriesTogether, f.width)
		return b
	}
	for part := range b.slices {
		b.slices[part] = tiles.NewTable(slicesTogether, f.entries)
	}
	endSteps, sizeSteps := endsTogether/kernel.TileInner, f.paddedSize()/kernel.TileInner
	b.rounded = roundedBuffers{
		products:   kernel.NewTiles(entryBands, endSteps),
		right:      kernel.NewTiles(endsTogether/kernel.Band, entrySteps),
		entries:    kernel.NewTiles(entryBands, endSteps),
		transposed: kernel.NewTiles(entryBands, sizeSteps),
		swap:       kernel.NewTiles(1, 2),
	}
	return b
}

// foldCores folds the cores for the penalty of W×t×h.
func (c *cores) foldCores(threads int, bf16 *kernel.BF16Set) {
	e := c.ends
	if len(e.folded) == 0 {
		e.folding = newFolding(c.partitionLayout)
		for range c.count {
			var f foldedCore = &foldedFloat32{&e.folding, c.kernels, newFoldedTables(&e.folding)}
			if bf16 != nil {
				f = newFoldedBfloat16(&e.folding, c.kernels, bf16)
			}
			e.folded = append(e.folded, f)
			e.gradients = append(e.gradients, newFoldedTables(&e.folding))
		}
	}
	for len(e.buffers) < threads {
		e.buffers = append(e.buffers, newEndBuffers(&e.folding, bf16 != nil))
	}
	groups := divideUp(c.size, slicesTogether)
	tiles.Parallel(threads, c.count*groups, func(worker, i int) {
		k, start := i/groups, i%groups*slicesTogether
		b, n := e.buffers[worker], min(slicesTogether, c.size-start)
		rows := e.folded[k].memoryFor(b, start)
		for slice := range n {
			of := c.ivr.buffers[worker]
			of.transpose(c, k, start+slice)
			e.fold(c.kernels, [foldedParts][]float32{
				rows[ofSum].Row(slice), rows[ofDifference].Row(slice),
			}, of.slice, of.transposed)
		}
		e.folded[k].store(rows, start, n)
	})
}

// penalizeCoreEnds returns the penalty of W×t×h of a batch, and adds its gradient to those of the
// units. weight is the weight of an example, or of its reverse, in the batch.
func (t *trainer) penalizeCoreEnds(units []*unit, weight float32) (loss float64) {
	e, all := t.cores.ends, t.collectEnds(units, weight)
	each := func(task func(b *endBuffers, x *ends)) {
		tiles.Parallel(t.threads, len(all), func(worker, i int) { task(e.buffers[worker], all[i]) })
	}
	blocks := e.blocks()
	for k, folded := range e.folded {
		each(func(b *endBuffers, x *ends) { t.loadEnds(b, x, k) })
		t.sumGroups(all, func(b *endBuffers, x *ends, to endSums, start, end int) {
			for part, values := range to {
				for block := start; block < end; block++ {
					e.multiplyEnds(t.kernels, b.products, x, part, block)
					folded.addValues(b, values, part, block, x.columns)
				}
			}
		})
		each(func(b *endBuffers, x *ends) {
			x.penalizeValues(b, e.size, 2*t.member.IVRExponent())
			folded.prepare(b, x)
		})
		t.sumGroups(all, func(b *endBuffers, x *ends, to endSums, start, end int) {
			for block := start; block < end; block++ {
				for part := range foldedParts {
					folded.back(b, x, part, block)
				}
				e.addBack(t.kernels, to, b.matrices, x, block)
			}
		})
		each(func(b *endBuffers, x *ends) { x.addGradients(t.kernels, b, k*e.size, e.size) })
		for _, x := range all {
			loss += x.loss
		}
		tiles.Parallel(t.threads, foldedParts*blocks, func(worker, i int) {
			part, block := i/blocks, i%blocks
			folded.collect(e.buffers[worker], e.gradients[k][part], all, part, block)
		})
	}
	return loss
}

// sumGroups sets the sums of parts of a batch. sum adds those of the blocks from start to before end
// to zeros.
func (t *trainer) sumGroups(
	all []*ends, sum func(b *endBuffers, x *ends, to endSums, start, end int),
) {
	e, blocks := t.cores.ends, t.cores.ends.blocks()
	groups := min(blocks, divideUp(endGroups, len(all)))
	for len(e.sums) < len(all)*groups {
		var sums endSums
		for i := range sums {
			sums[i] = tiles.NewTable(e.paddedSize(), endsTogether)
		}
		e.sums = append(e.sums, sums)
	}
	tiles.Parallel(t.threads, len(all)*groups, func(worker, i int) {
		for _, table := range e.sums[i] {
			clear(table.Data)
		}
		group := i % groups
		sum(e.buffers[worker], all[i/groups], e.sums[i],
			group*blocks/groups, (group+1)*blocks/groups)
	})
	for i, x := range all {
		x.sums = e.sums[i*groups]
	}
	tiles.Parallel(t.threads, len(all)*foldedParts, func(_, i int) {
		part, side := i/foldedParts, i%foldedParts
		for _, of := range e.sums[part*groups+1 : (part+1)*groups] {
			t.kernels.ScaleAdd(all[part].sums[side].Data, of[side].Data, 1)
		}
	})
}

// collectEnds collects the ends of a batch and divides them into parts.
func (t *trainer) collectEnds(units []*unit, weight float32) []*ends {
	e, hasReverses := t.cores.ends, t.reciprocal && t.objective.directions() > 1
	e.triples = e.triples[:0]
	for _, u := range units {
		p := t.coreIVRPenalty(u, weight)
		weightOf := func(i int) float64 {
			_, pairs := p.scales(i)
			return p.double * pairs[asRelation]
		}
		n := len(u.examples)
		if hasReverses {
			n /= 2
		}
		for i := range n {
			triple := tripleEnds{unit: u, example: i, weights: [2]float64{weightOf(i)}}
			if hasReverses {
				triple.weights[1] = weightOf(n + i)
			}
			e.triples = append(e.triples, triple)
		}
	}
	n := divideUp(len(e.triples), endsTogether)
	for len(e.all) < n {
		x := &ends{}
		for _, r := range []role{asHead, asTail} {
			x.rows[r] = tiles.NewTable(e.width, endsTogether)
		}
		for part := range x.gradients {
			x.gradients[part] = tiles.NewTable(e.paddedSize(), endsTogether)
		}
		e.all = append(e.all, x)
	}
	for i, x := range e.all[:n] {
		x.triples = e.triples[i*endsTogether : min((i+1)*endsTogether, len(e.triples))]
		x.columns = kernel.Pad(len(x.triples), kernel.TileInner)
	}
	return e.all[:n]
}

// loadEnds copies the embeddings of the ends in a partition.
func (t *trainer) loadEnds(b *endBuffers, x *ends, k int) {
	size := t.cores.size
	for _, r := range []role{asHead, asTail} {
		clear(b.packed.Data)
		for i, triple := range x.triples {
			copy(b.packed.Row(i), t.entities.Row(int(triple.entity(r)))[k*size:][:size])
		}
		t.kernels.Transpose(x.rows[r], b.packed, endsTogether, size)
	}
}

// addGradients adds the gradients of heads and tails to those of the units, from a column on.
func (x *ends) addGradients(k *kernel.Set, b *endBuffers, column, size int) {
	for side, sum := range x.sums {
		k.Transpose(b.packed, sum, size, endsTogether)
		for i, triple := range x.triples {
			to := [foldedParts]kernel.Table{triple.gradients.anchors, triple.gradients.targets}[side]
			addScaled(to.Row(triple.example)[column:][:size], b.packed.Row(i), 1)
		}
	}
}

// entity returns the entity of a role.
func (x tripleEnds) entity(r role) int32 {
	if r == asHead {
		return x.examples[x.example].Anchor
	}
	return x.examples[x.example].Target
}

// penalizeValues computes the penalty from the sums of x, q + q' and q - q' for queries q of
// triples and q' of their reverses, and the gradients of these values.
func (x *ends) penalizeValues(b *endBuffers, size int, power float64) {
	for _, squares := range b.squares {
		clear(squares)
	}
	for c := range size {
		sums, differences := x.sums[ofSum].Row(c), x.sums[ofDifference].Row(c)
		for i := range x.triples {
			q, reverse := float64(sums[i]+differences[i])/2, float64(sums[i]-differences[i])/2
			b.squares[0][i] += q * q
			b.squares[1][i] += reverse * reverse
		}
	}
	x.loss = 0
	for i, triple := range x.triples {
		for d, weight := range triple.weights {
			norm, slope := raise(b.squares[d][i], power)
			x.loss += weight * norm
			b.factors[d][i] = float32(weight * slope)
		}
	}
	// Half of the gradient of q is g, so those of the values are g + g' and g - g'.
	for c := range size {
		sums, differences := x.sums[ofSum].Row(c), x.sums[ofDifference].Row(c)
		toSums, toDifferences := x.gradients[ofSum].Row(c), x.gradients[ofDifference].Row(c)
		for i := range x.triples {
			g := b.factors[0][i] * (sums[i] + differences[i]) / 2
			reverse := b.factors[1][i] * (sums[i] - differences[i]) / 2
			toSums[i], toDifferences[i] = g+reverse, g-reverse
		}
		clear(toSums[len(x.triples):x.columns])
		clear(toDifferences[len(x.triples):x.columns])
	}
}

// addEnds adds the gradient of W_k[c] from the norms of W×t×h.
func (c *cores) addEnds(to, scratch kernel.Table, k, coordinate int) {
	of := c.ends.gradients[k]
	c.ends.unfold(c.kernels, to, [foldedParts][]float32{
		of[ofSum].Row(coordinate), of[ofDifference].Row(coordinate),
	}, scratch)
}
