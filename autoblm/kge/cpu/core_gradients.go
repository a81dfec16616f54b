package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/kge/cpu/tiles"
)

// outerProducts holds pairs of states around hops. The gradient of a matrix is the sum over its
// pairs of the outer products of left and right.
type outerProducts struct {
	left, right []float32 // packed rows
	count       int       // of rows
	runs        []outerRun
}

// outerRun is a range of rows with the same relation.
type outerRun struct {
	relation int32
	first, n int
	*outerProducts
}

// reset removes all pairs.
func (o *outerProducts) reset() { o.count, o.runs = 0, o.runs[:0] }

// add appends n pairs of a relation.
func (o *outerProducts) add(l partitionLayout, relation int32, left, right kernel.Table, n int) {
	for _, side := range []struct {
		to   *[]float32
		from kernel.Table
	}{{&o.left, left}, {&o.right, right}} {
		*side.to = l.grow(*side.to, o.count+n)
		l.pack((*side.to)[o.count*l.stride:], side.from, n)
	}
	o.runs = append(o.runs, outerRun{relation, o.count, n, o})
	o.count += n
}

// coreGradients holds the gradients of a step.
type coreGradients struct {
	runs     [][]outerRun   // by position of the relation
	matrices []kernel.Table // by partition, [used, C·width]
	columns  []kernel.Table // the transposes of matrices, [C·width, used]
	// byCoordinate has the gradients of relations by partition, [C, used].
	byCoordinate []kernel.Table
	relations    kernel.Table   // [used, d]
	scratch      []kernel.Table // by thread
	squares      []kernel.Table // by thread, for a matrix
	uses         []float64      // weights of penalties, by position of the relation
	penalties    []float64      // by position of the relation and partition
	triads       []*triads      // by unit, those that are not empty
	scaled       [][]float32    // by thread, for a product with triads
}

// numbersTogether is the number of numbers of matrices whose products are summed at a time, so that
// they stay in cache. It is a multiple of [kernel.Columns].
var numbersTogether = 1024

// collect computes the gradients of the relations that are used, and prepares those of the cores.
// It calls add with the gradient of each relation's row. It returns the penalties of the matrices,
// orthogonality and IVR.
func (c *cores) collect(
	threads int, units []*unit, w kge.Weights, add func(relation int32, row []float32),
) (penalty float64) {
	g, n := &c.gradients, len(c.used)
	c.collectRuns(units)
	padded := kernel.Pad(n, kernel.Columns)
	g.matrices = c.perPartition(g.matrices, n, c.numbers())
	g.columns = c.perPartition(g.columns, c.numbers(), padded)
	g.byCoordinate = c.perPartition(g.byCoordinate, kernel.Pad(c.size, kernel.Rows), padded)
	for len(g.scratch) < threads {
		g.scratch = append(g.scratch, tiles.NewTable(max(c.size, kernel.Rows),
			max(c.width, numbersTogether, rowsTogether*c.width)))
	}
	for len(g.squares) < threads {
		g.squares = append(g.squares, tiles.NewTable(c.size, c.width))
		g.scaled = append(g.scaled, nil)
	}
	g.penalties = append(g.penalties[:0], make([]float64, c.count*n)...)
	tiles.Parallel(threads, c.count*n, func(worker, i int) {
		k, position := i/n, i%n
		sum := c.sumProducts(k, position, g.scratch[worker])
		if w.Orthogonality > 0 {
			weight := w.Orthogonality * g.uses[position]
			g.penalties[i] = c.addOrthogonality(sum, k, position, weight, g.squares[worker])
		}
		if w.IVR > 0 {
			g.penalties[i] += c.addMatrixNorm(sum, c.matrix(c.matrices[k], position),
				w.IVR*g.uses[position], 2*w.IVRExponent())
		}
		copy(c.matrix(g.matrices[k], position).Data[:c.numbers()], sum.Data)
	})
	tiles.Parallel(threads, c.count*c.size, func(_, i int) {
		k, column := i/c.size, i%c.size*c.width
		from := columnsFrom(g.matrices[k], column)
		c.kernels.Transpose(g.columns[k].From(column), from, n, c.width)
	})
	strips := divideUp(c.size, kernel.Rows)
	tiles.Parallel(threads, c.count*strips, func(worker, i int) {
		c.sumCoordinates(i/strips, i%strips*kernel.Rows, padded, g.scratch[worker])
	})
	if len(g.relations.Data) < n*c.relations.Stride {
		g.relations = tiles.NewTable(n, c.relations.Stride)
	}
	for i, relation := range c.used {
		row := tiles.PaddedRow(g.relations, i)
		for k := range c.count {
			for coordinate := range c.size {
				row[k*c.size+coordinate] = g.byCoordinate[k].Row(coordinate)[i]
			}
		}
		add(relation, row)
	}
	for _, x := range g.penalties {
		penalty += x
	}
	if c.hasGrams {
		c.collectIVR(threads, units)
	}
	return penalty
}

// collectRuns collects the runs and uses of each relation.
func (c *cores) collectRuns(units []*unit) {
	g, n := &c.gradients, len(c.used)
	for len(g.runs) < n {
		g.runs = append(g.runs, nil)
	}
	for i := range n {
		g.runs[i] = g.runs[i][:0]
	}
	g.triads = g.triads[:0]
	for _, u := range units {
		if u.gradients.triads.count > 0 {
			g.triads = append(g.triads, &u.gradients.triads)
		}
		for _, run := range u.gradients.outer.runs {
			i := c.position[run.relation]
			g.runs[i] = append(g.runs[i], run)
		}
	}
}

// sumProducts returns the gradient of the matrix of a relation in a partition.
func (c *cores) sumProducts(k, position int, scratch kernel.Table) kernel.Table {
	sum := kernel.Table{Data: scratch.Data, Stride: c.width}
	rows := kernel.Pad(c.size, kernel.Rows) // those after C are not used
	runs := c.gradients.runs[position]
	for i, run := range runs {
		from := run.first*c.stride + k*c.width
		right := kernel.Table{Data: run.right[from:], Stride: c.stride}
		c.kernels.Product(sum, run.left[from:], 1, c.stride, right, rows, c.width, run.n, i > 0)
	}
	if len(runs) == 0 {
		clear(sum.Data[:c.numbers()])
	}
	return sum
}

// addOrthogonality returns weight·|MᵀM - I|² for a matrix M, and adds its gradient,
// 4·weight·M(MᵀM - I).
func (c *cores) addOrthogonality(
	gradient kernel.Table, k, position int, weight float64, square kernel.Table,
) (penalty float64) {
	m, rows := c.matrix(c.matrices[k], position), kernel.Pad(c.size, kernel.Rows)
	c.kernels.Product(square, m.Data, 1, m.Stride, m, rows, c.width, c.size, false)
	for i := range c.size {
		row := square.Row(i)[:c.size]
		row[i]--
		for j, x := range row {
			penalty += float64(x) * float64(x)
			row[j] = float32(4*weight) * x
		}
	}
	c.kernels.Product(gradient, m.Data, m.Stride, 1, square, rows, c.width, c.size, true)
	return weight * penalty
}

// sumCoordinates computes the gradients of some coordinates of all used relations in a partition:
// the scalar products of the gradients of their matrices and the core.
func (c *cores) sumCoordinates(k, first, relations int, scratch kernel.Table) {
	tensor, to := c.tensor(k).From(first), c.gradients.byCoordinate[k].From(first)
	valid := min(kernel.Rows, c.size-first)
	for column := 0; column < c.numbers(); column += numbersTogether {
		inner := min(numbersTogether, c.numbers()-column)
		factor := columnsFrom(tensor, column)
		if valid < kernel.Rows { // a product needs whole strips
			part := kernel.Table{Data: scratch.Data, Stride: numbersTogether}
			for row := range kernel.Rows {
				if row < valid {
					copy(part.Row(row)[:inner], factor.Row(row))
				} else {
					clear(part.Row(row)[:inner])
				}
			}
			factor = part
		}
		c.kernels.Product(to, factor.Data, factor.Stride, 1, c.gradients.columns[k].From(column),
			kernel.Rows, relations, inner, column > 0)
	}
}

// rowsOfPart returns the number of rows of each slice in a part of an optimizer step. With IVR the
// gradient of a row depends on all rows of its slice.
func (c *cores) rowsOfPart() int {
	if c.hasGrams || c.hasEnds {
		return c.size
	}
	return rowsTogether
}

// parts returns the number of parts of an optimizer step with the cores.
func (c *cores) parts() int {
	return c.count * divideUp(c.size, kernel.Rows) * divideUp(c.size, c.rowsOfPart())
}

// step takes an optimizer step with a part of the cores. Their gradients are the products of the
// relations with the gradients of their matrices, and those of queries for relations and of IVR.
func (c *cores) step(u *tiles.Updater, part, worker int, rate float64, count int) {
	strips, blocks := divideUp(c.size, kernel.Rows), divideUp(c.size, c.rowsOfPart())
	k, rest := part/(strips*blocks), part%(strips*blocks)
	first, row := rest/blocks*kernel.Rows, rest%blocks*c.rowsOfPart()
	coordinates := min(kernel.Rows, c.size-first)
	var ofIVR kernel.Table
	hasIVR := c.hasGrams || c.hasEnds
	if hasIVR {
		ofIVR = c.gradientOfIVR(worker, k, first, coordinates)
	}
	for end := min(row+c.rowsOfPart(), c.size); row < end; row += rowsTogether {
		rows := min(rowsTogether, end-row)
		gradient := kernel.Table{Data: c.gradients.scratch[worker].Data, Stride: rows * c.width}
		c.kernels.Product(gradient, c.rows[k*c.width+first:], 1, c.stride,
			columnsFrom(c.gradients.matrices[k], row*c.width), kernel.Rows, rows*c.width, len(c.used), false)
		for i := range coordinates {
			coordinate := first + i
			to := kernel.Table{Data: tiles.PaddedRow(gradient, i), Stride: c.width}
			c.gradients.scaled[worker] = c.addTriads(
				to, c.gradients.squares[worker], c.gradients.scaled[worker], k, coordinate, row, rows)
			if hasIVR {
				c.kernels.ScaleAdd(to.Data, ofIVR.Row(i*c.size + row)[:len(to.Data)], 1)
			}
			u.Step((k*c.size+coordinate)*c.size+row, to.Data, rate, count)
		}
	}
}
