package cpu

import (
	"math"

	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// coreIVR holds what IVR of [kge.Weights] needs of the cores. A partition is a position, with C
// numbers and the tensor W_k. The squared norm of W_k×h is hᵀ H_k h for a matrix that all heads
// share, and that of W_k×t is tᵀ T_k t.
type coreIVR struct {
	// before are the cores before the step, and transposes those of their slices W_k[c].
	before, transposes kernel.Table
	grams              [2][]kernel.Table // H and T by partition, [C, C]
	// squares are sums of weighted outer products of heads and of tails, by partition [C, C]: the
	// gradients of the matrices above.
	squares [2][]kernel.Table
}

// The indices of heads and tails in coreIVR.
const (
	ofHead = iota
	ofTail
)

// slices returns the slices W_k[c] of a partition, [C·C, C], from all cores or their transposes.
func (c *cores) slices(of kernel.Table, k int) kernel.Table { return of.From(k * c.size * c.size) }

// prepareIVR computes the matrices H and T.
func (c *cores) prepareIVR(threads int) {
	v, size := &c.ivr, c.size
	if v.before.Data == nil {
		const more = 2 * kernel.Rows // rows that products read, but do not use
		v.before = tiles.NewTable(c.count*size*size+more, size)
		v.transposes = tiles.NewTable(c.count*size*size+more, size)
		for i := range v.grams {
			for range c.count {
				v.grams[i] = append(v.grams[i], tiles.NewTable(size, size))
				v.squares[i] = append(v.squares[i], tiles.NewTable(size+more, size))
			}
		}
	}
	tiles.Parallel(threads, c.count*size, func(_, i int) {
		from := c.tensors.From(i * size)
		copy(v.before.From(i*size).Data, from.Data[:size*c.width])
		transpose(v.transposes.From(i*size), from, size, size)
	})
	parts := divideUp(size, gramRows)
	tiles.Parallel(threads, 2*c.count*parts, func(_, i int) {
		side, k, row := i%2, i/2/parts, i/2%parts*gramRows
		of := v.transposes
		if side == ofTail {
			of = v.before
		}
		rows := kernel.Pad(min(gramRows, size-row), kernel.Rows)
		for coordinate := range size { // one slice at a time, which stays in cache
			slice := c.slices(of, k).From(coordinate * size)
			c.kernels.Product(v.grams[side][k].From(row), slice.Data[row:], 1, slice.Stride, slice,
				rows, c.width, size, coordinate > 0)
		}
	})
}

// gramRows is the number of rows of H and T that a thread computes at a time, a multiple of
// [kernel.Rows].
var gramRows = 6 * kernel.Rows

// collectIVR sums the weighted outer products of heads and of tails.
func (c *cores) collectIVR(threads int, units []*unit) {
	tiles.Parallel(threads, 2*c.count, func(_, i int) {
		side, k := i%2, i/2
		sum, rows := c.ivr.squares[side][k], kernel.Pad(c.size, kernel.Rows)
		for n, u := range units {
			pairs := &u.gradients.norms[side]
			right := kernel.Table{Data: pairs.right[k*c.width:], Stride: c.stride}
			c.kernels.Product(sum, pairs.left[k*c.width:], 1, c.stride, right, rows, c.width,
				pairs.count, n > 0)
		}
	})
}

// addGrams adds the gradient of some rows of W_k[c] from the norms of W×h and W×t.
func (c *cores) addGrams(to, scratch kernel.Table, k, coordinate, row, rows int) {
	v := &c.ivr
	slice := c.slices(v.before, k).From(coordinate * c.size)
	padded := kernel.Pad(rows, kernel.Rows)
	heads, tails := v.squares[ofHead][k], v.squares[ofTail][k]
	c.kernels.Product(scratch, heads.Row(row), heads.Stride, 1, slice, padded, c.width, c.size, false)
	c.kernels.Product(scratch, slice.Row(row), slice.Stride, 1, tails, padded, c.width, c.size, true)
	c.kernels.ScaleAdd(to.Data[:rows*c.width], scratch.Data[:rows*c.width], 2)
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

// penalizeCoreIVR returns the penalty IVR of the examples of a unit but for the norms of matrices of
// relations, which [cores] penalizes once for all uses, and adds its gradient.
func (t *trainer) penalizeCoreIVR(s *scratch, u *unit, a *activeUnit, weight float32) (loss float64) {
	w := t.member.Weights
	p := coreIVRPenalty{
		trainer: t, unit: u, a: a, s: s, single: w.IVR, double: w.IVRProducts,
		power: 2 * w.IVRExponent(), weight: float64(weight),
	}
	loss = p.penalizeRows()
	if p.single > 0 {
		loss += p.penalizeGrams(ofHead) + p.penalizeGrams(ofTail)
	}
	if p.double > 0 {
		loss += p.penalizeStates(forward) + p.penalizeStates(backward) + p.penalizeQueries()
	}
	return loss
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
		for first := 0; first < p.dim; first += size {
			var norms, slopes [3]float64
			for r, row := range rows {
				norms[r], slopes[r] = raise(square(row[first:][:size]), p.power)
			}
			for r := range rows {
				y, z := role(r).others()
				loss += p.single*ofRows[r]*norms[r] + p.double*ofPairs[z]*norms[r]*norms[y]
				slope := p.single*ofRows[r] + p.double*(ofPairs[z]*norms[y]+ofPairs[y]*norms[z])
				addScaled(gradients[r][first:][:size], rows[r][first:], float32(2*slopes[r]*slope))
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
		for first := 0; first < p.dim; first += c.size {
			squared := 0.0
			for j, v := range x[first:][:c.size] {
				squared += float64(v) * float64(y[first+j])
			}
			norm, slope := raise(max(0, squared)/float64(c.size), p.power)
			loss += p.single * weights[of] * norm
			factor := float32(p.single * weights[of] * slope / float64(c.size))
			for j := range c.size {
				to[first+j] = factor * x[first+j]
			}
			addScaled(gradients.Row(i)[first:][:c.size], y[first:], 2*factor)
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
		for first := 0; first < p.dim; first += size {
			part := x.Row(i)[first:][:size]
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

// penalizeQueries penalizes W×t×h.
func (p coreIVRPenalty) penalizeQueries() (loss float64) {
	asker, g := p.relationAsker(p.unit), &p.gradients
	clear(first(p.s.rows, p.a.count))
	asker.AskRelations(p.s.rows, p.a.anchors, p.a.targets, p.a.count)
	loss = p.raiseRows(p.s.rows, asRelation)
	asker.AskRelationsBack(p.s.rows, p.a.anchors, p.a.targets, g.anchors, g.targets, p.a.count)
	return loss
}
