package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// coreIVR is the memory that IVR of [kge.Weights] needs in a step with cores. A partition is a
// position, with C numbers and the tensor W_k. The squared norm of W_k×h is hᵀ H_k h for a matrix
// that all heads share, and that of W_k×t is tᵀ T_k t.
type coreIVR struct {
	grams [2][]kernel.Table // H and T by partition, [C, C]
	// squares are twice the sums of weighted outer products of heads and of tails, by partition
	// [C, C]. These sums are the gradients of the matrices above.
	squares  [2][]kernel.Table
	rounded  [2][]kernel.Tiles // in bfloat16: heads' squares as left factors, tails' as right ones
	partial  [][2]kernel.Table // sums of H and T over groups of slices
	gradient []kernel.Table    // by thread, of some slices, [kernel.Rows·C, C]
	buffers  []*sliceBuffers   // by thread
}

// The indices of heads and tails in coreIVR.
const (
	ofHead = iota
	ofTail
)

// gramGroups is the number of groups of slices whose matrices H and T are summed separately, by
// different threads.
const gramGroups = 16

// prepareIVR computes what the penalties of a step need of the cores.
func (c *cores) prepareIVR(in *workspace, w kge.Weights, bf16 *kernel.BF16Set) {
	c.ivr, c.ends = &in.coreIVR, &in.coreEnds
	c.hasGrams, c.hasEnds = w.IVR > 0, w.IVRProducts > 0
	v, threads := c.ivr, in.threads
	for len(v.buffers) < threads {
		v.buffers = append(v.buffers, newSliceBuffers(c, bf16))
		// Products set rows after the last.
		v.gradient = append(v.gradient, tiles.NewTable(kernel.Rows*c.size+2*kernel.Band, c.width))
	}
	for _, b := range v.buffers {
		b.allocate(c.hasGrams, c.hasEnds)
	}
	if c.hasGrams {
		c.computeGrams(threads)
	}
	if c.hasEnds {
		c.foldCores(threads, bf16)
	}
}

// computeGrams computes the matrices H and T.
func (c *cores) computeGrams(threads int) {
	v := c.ivr
	if len(v.partial) == 0 {
		v.allocate(c.partitionLayout, v.buffers[0].bf16 != nil)
	}
	groups := len(v.partial)
	for k := range c.count {
		tiles.Parallel(threads, groups, func(worker, group int) {
			b := v.buffers[worker]
			for coordinate := group; coordinate < c.size; coordinate += groups {
				b.load(c, k, coordinate)
				b.addGrams(v.partial[group], coordinate > group)
			}
		})
		tiles.Parallel(threads, len(v.grams), func(_, side int) {
			sum := v.grams[side][k]
			clear(sum.Data)
			for _, of := range v.partial {
				c.kernels.ScaleAdd(sum.Data, of[side].Data, 1)
			}
			for row := range c.size { // left of what addGrams computes
				for column := range firstColumn(row / v.buffers[0].gramRows * v.buffers[0].gramRows) {
					sum.Row(row)[column] = sum.Row(column)[row]
				}
			}
		})
	}
}

func (v *coreIVR) allocate(l partitionLayout, isBF16 bool) {
	rows := l.paddedSize()
	table := func() kernel.Table { return tiles.NewTable(rows, l.width) }
	for range min(gramGroups, l.size) {
		v.partial = append(v.partial, [2]kernel.Table{table(), table()})
	}
	for side := range v.grams {
		for range l.count {
			v.grams[side], v.squares[side] = append(v.grams[side], table()), append(v.squares[side], table())
			var rounded kernel.Tiles
			if isBF16 {
				rounded = kernel.NewTiles(rows/kernel.Band, rows/kernel.TileInner)
			}
			v.rounded[side] = append(v.rounded[side], rounded)
		}
	}
}

// collectIVR sums the weighted outer products of heads and of tails.
func (c *cores) collectIVR(threads int, units []*unit) {
	v := c.ivr
	tiles.Parallel(threads, 2*c.count, func(worker, i int) {
		side, k := i%2, i/2
		sum, rows := v.squares[side][k], kernel.Pad(c.size, kernel.Rows)
		for n, u := range units {
			pairs := &u.gradients.norms[side]
			right := kernel.Table{Data: pairs.right[k*c.width:], Stride: c.stride}
			c.kernels.Product(sum, pairs.left[k*c.width:], 1, c.stride, right, rows, c.width,
				pairs.count, n > 0)
		}
		c.kernels.Scale(sum.Data, sum.Data, 2)
		v.buffers[worker].roundSquares(v.rounded[side][k], sum, side)
	})
}

// gradientOfIVR returns the gradients of the slices of some coordinates of a partition,
// [coordinates·C, C].
func (c *cores) gradientOfIVR(worker, k, start, coordinates int) kernel.Table {
	v, to := c.ivr, c.ivr.gradient[worker]
	b := v.buffers[worker]
	for i := range coordinates {
		of := to.From(i * c.size)
		if c.hasGrams {
			b.load(c, k, start+i)
			b.back(of, [2]kernel.Table{v.squares[ofHead][k], v.squares[ofTail][k]},
				[2]kernel.Tiles{v.rounded[ofHead][k], v.rounded[ofTail][k]})
		} else {
			clear(first(of, c.size))
		}
		if c.hasEnds {
			c.addEnds(of, c.gradients.squares[worker], k, start+i)
		}
	}
	return to
}

// addMatrixNorm returns the penalty (‖M‖/√C)^α of a matrix, and adds its gradient.
func (c *cores) addMatrixNorm(gradient, m kernel.Table, weight, power float64) (penalty float64) {
	numbers, to := m.Data[:c.numbers()], gradient.Data[:c.numbers()]
	squared := tiles.Dot(numbers, numbers) / float64(c.size)
	norm, slope := raise(squared, power)
	c.kernels.ScaleAdd(to, numbers, float32(2*weight*slope/float64(c.size)))
	return weight * norm
}

// raise returns ‖x‖^α and its derivative by ‖x‖².
func raise(squared, power float64) (norm, slope float64) {
	below := math.Pow(squared, power/2-1)
	return squared * below, power / 2 * below
}

// coreIVRPenalty penalizes the triples of a unit.
type coreIVRPenalty struct {
	*trainer
	*unit
	a              *activeUnit
	s              *scratch
	single, double float64
	power          float64
	weight         float64 // of an example in the batch
}

// penalizeCoreIVR returns the penalty IVR of the examples of a unit and adds its gradient. It leaves
// out the norms of matrices of relations, which [cores] penalizes once for all uses, and W×t×h, which
// [trainer.penalizeCoreEnds] penalizes for the whole batch.
func (t *trainer) penalizeCoreIVR(s *scratch, u *unit, a *activeUnit, weight float32) (loss float64) {
	p := t.coreIVRPenalty(u, weight)
	p.a, p.s = a, s
	loss = p.penalizeRows()
	if p.single > 0 {
		loss += p.penalizeGrams(ofHead) + p.penalizeGrams(ofTail)
	}
	if p.double > 0 {
		loss += p.penalizeStates(forward) + p.penalizeStates(backward)
	}
	return loss
}

// coreIVRPenalty returns the penalty of a unit without its working memory. weight is the weight of
// an example, or of its reverse, in the batch.
func (t *trainer) coreIVRPenalty(u *unit, weight float32) coreIVRPenalty {
	w := t.member.Weights
	return coreIVRPenalty{
		trainer: t, unit: u, single: w.IVR, double: w.IVRProducts, power: 2 * w.IVRExponent(),
		weight: float64(weight),
	}
}

// scales returns the weights of an example by role, and of pairs by the role that is not in them.
func (p coreIVRPenalty) scales(i int) (rows, pairs [3]float64) {
	x := &p.examples[i]
	head := p.weight * float64(p.startScale(forward, x))
	tail := p.weight * float64(p.startScale(backward, x))
	rows = [3]float64{asHead: head, asRelation: p.weight * float64(p.hopScale(x, 0)), asTail: tail}
	return rows, [3]float64{asHead: tail, asRelation: (head + tail) / 2, asTail: head}
}

// penalizeRows penalizes the norms of rows and their products.
func (p coreIVRPenalty) penalizeRows() (loss float64) {
	size := p.cores.size
	for i := range p.examples {
		slot := int(p.a.slots[0][i].number)
		rows := [3][]float32{
			p.a.anchors.Row(i), p.a.relations[0][0].Row(slot), p.a.targets.Row(i),
		}
		g := &p.gradients
		gradients := [3][]float32{
			g.anchors.Row(i), g.relations[0][0].Row(slot), g.targets.Row(i),
		}
		ofRows, ofPairs := p.scales(i)
		for column := 0; column < p.dim; column += size {
			var norms, slopes [3]float64
			for r, row := range rows {
				norms[r], slopes[r] = raise(square(row[column:][:size]), p.power)
			}
			for r := range rows {
				y, z := role(r).others()
				loss += p.single*ofRows[r]*norms[r] + p.double*ofPairs[z]*norms[r]*norms[y]
				slope := p.single*ofRows[r] + p.double*(ofPairs[z]*norms[y]+ofPairs[y]*norms[z])
				addScaled(gradients[r][column:][:size], rows[r][column:], float32(2*slopes[r]*slope))
			}
		}
	}
	return loss
}

// square returns the squared norm of a row.
func square(x []float32) (sum float64) {
	for _, v := range x {
		sum += float64(v) * float64(v)
	}
	return sum
}

func addScaled(to, x []float32, factor float32) {
	for i := range to {
		to[i] += factor * x[i]
	}
}

// penalizeGrams penalizes the norms of W×h or W×t.
func (p coreIVRPenalty) penalizeGrams(side int) (loss float64) {
	c, n := p.cores, p.a.count
	rows, gradients, of := p.a.anchors, p.gradients.anchors, asHead
	if side == ofTail {
		rows, gradients, of = p.a.targets, p.gradients.targets, asTail
	}
	mapped := kernel.Table{Data: p.s.rows.Data, Stride: p.s.rows.Stride}
	clear(first(mapped, n))
	partitions := p.hop.(partitions)
	partitions.addProducts(mapped, rows, c.ivr.grams[side], n)
	scaled := p.s.gradQueries
	for i := range n {
		weights, _ := p.scales(i)
		x, y, to := rows.Row(i), mapped.Row(i), scaled.Row(i)
		for column := 0; column < p.dim; column += c.size {
			squared := 0.0
			for j, v := range x[column:][:c.size] {
				squared += float64(v) * float64(y[column+j])
			}
			norm, slope := raise(max(0, squared)/float64(c.size), p.power)
			loss += p.single * weights[of] * norm
			factor := float32(p.single * weights[of] * slope / float64(c.size))
			for j := range c.size {
				to[column+j] = factor * x[column+j]
			}
			addScaled(gradients.Row(i)[column:][:c.size], y[column:], 2*factor)
		}
	}
	p.gradients.norms[side].add(c.partitionLayout, 0, scaled, rows, n)
	return loss
}

// raiseRows returns the weighted sum of ‖x‖^α of the partitions of rows, and replaces them by its
// gradient. without is the role of the row that is not in the products.
func (p coreIVRPenalty) raiseRows(x kernel.Table, without role) (loss float64) {
	size := p.cores.size
	for i := range p.a.count {
		_, pairs := p.scales(i)
		for column := 0; column < p.dim; column += size {
			part := x.Row(i)[column:][:size]
			norm, slope := raise(square(part), p.power)
			loss += p.double * pairs[without] * norm
			factor := float32(2 * p.double * pairs[without] * slope)
			for j := range part {
				part[j] *= factor
			}
		}
	}
	return loss
}

// penalizeStates penalizes W×h×r, or W×r×t.
func (p coreIVRPenalty) penalizeStates(d direction) (loss float64) {
	clear(first(p.s.rows, p.a.count))
	p.walk(d, &p.a.paths, p.s.rows, &p.s.between)
	without := asTail
	if d == backward {
		without = asHead
	}
	loss = p.raiseRows(p.s.rows, without)
	p.walkBack(d, &p.a.paths, p.s.rows, p.s.between, &p.s.gradBetween, &p.gradients)
	return loss
}
