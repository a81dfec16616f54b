package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	. "github.com/gomlx/gomlx/core/graph"
)

// cores holds the numbers that the matrices of relations are computed from, see form.Core. The
// table of relations of such a model has the rows of relations, then the cores as C² rows of width d,
// and then the table of batch normalization, if there is one. The matrices of all relations are
// computed once in a step, so that a batch looks them up like dense blocks.
type cores struct {
	rows    *Node // [S, R, K, C]
	tensors *Node // [S, K, C, C·C]
	norms   *Node // [S, form.NormRows, d], or nil
}

// coreRows returns the number of rows of width d that the cores take in the table of relations.
func (s shape) coreRows(d int) int {
	if s.partitions == 0 {
		return 0
	}
	return d / s.partitions * (d / s.partitions)
}

// normRows returns the number of rows of batch normalization in the table of relations.
func (s shape) normRows() int {
	if s.norm {
		return form.NormRows
	}
	return 0
}

// splitCores divides a table of relations [S, R+C², d], or one with rows of batch normalization.
func splitCores(table *Node, s shape) cores {
	members, d := table.Shape().Dim(0), table.Shape().Dim(2)
	c, end := d/s.partitions, table.Shape().Dim(1)-s.normRows()
	relations := end - s.coreRows(d)
	rows := Slice(table, AxisRange(), AxisRange(0, relations))
	tensors := Slice(table, AxisRange(), AxisRange(relations, end))
	split := cores{
		rows:    Reshape(rows, members, relations, s.partitions, c),
		tensors: Reshape(tensors, members, s.partitions, c, c*c),
	}
	if s.norm {
		split.norms = Slice(table, AxisRange(), AxisRange(end))
	}
	return split
}

// parts divides each row of [S, n, K·width] into partitions, [S, n, K, width].
func (c cores) parts(x *Node) *Node {
	return Reshape(x, x.Shape().Dim(0), x.Shape().Dim(1), c.rows.Shape().Dim(2), -1)
}

// matricesOf returns the matrices that rows like those of relations make, [S, n, C·d] for [S, n, d].
func (c cores) matricesOf(rows *Node) *Node {
	all := Dot(c.parts(rows), c.tensors).General([]int{3}, []int{0, 2}, []int{2}, []int{0, 1})
	all = TransposeAllAxes(all, 0, 2, 1, 3) // from [S, K, n, C·C]
	return Reshape(all, rows.Shape().Dim(0), rows.Shape().Dim(1), -1)
}

// rowsOf returns the gradients of rows, given those of their matrices.
func (c cores) rowsOf(byMatrices *Node) *Node {
	all := Dot(c.parts(byMatrices), c.tensors).General([]int{3}, []int{0, 2}, []int{3}, []int{0, 1})
	all = TransposeAllAxes(all, 0, 2, 1, 3) // from [S, K, n, C]
	return Reshape(all, byMatrices.Shape().Dim(0), byMatrices.Shape().Dim(1), -1)
}

// tensorsOf returns the gradient of the cores, [S, K, C, C·C], given the gradients of the matrices
// of rows.
func (c cores) tensorsOf(rows, byMatrices *Node) *Node {
	return Dot(c.parts(rows), c.parts(byMatrices)).
		General([]int{1}, []int{0, 2}, []int{1}, []int{0, 2})
}

// allRows returns the rows of all relations, [S, R, d].
func (c cores) allRows() *Node {
	return Reshape(c.rows, c.rows.Shape().Dim(0), c.rows.Shape().Dim(1), -1)
}

// back returns the gradient of the table, given those of the matrices and, from penalties, of the
// rows of relations, [S, R, d], and of the cores. byNorms has the gradients of the rows of batch
// normalization that are learned.
func (c cores) back(byMatrices, byRows, byTensors *Node, byNorms []*Node) *Node {
	tensors := Add(c.tensorsOf(c.allRows(), byMatrices), byTensors)
	shape := byRows.Shape()
	all := []*Node{
		Add(c.rowsOf(byMatrices), byRows), Reshape(tensors, shape.Dim(0), -1, shape.Dim(2)),
	}
	if c.norms != nil {
		all = append(all, byNorms...)
		all = append(all, ZerosLike(Slice(c.norms, AxisRange(), AxisRange(form.NormMean))))
	}
	return Concatenate(all, 1)
}

// penalizeOrthogonality returns the weighted sum of |MᵀM - I|² of all matrices, [S], and its
// gradient with respect to the matrices. uses has the weight of each relation, [S, R].
func (c cores) penalizeOrthogonality(matrices, uses *Node) (penalty, gradient *Node) {
	shape := c.rows.Shape()
	members, relations, partitions, size := shape.Dim(0), shape.Dim(1), shape.Dim(2), shape.Dim(3)
	m := Reshape(matrices, members*relations*partitions, size, size)
	square := Dot(m, m).General([]int{1}, []int{0}, []int{1}, []int{0})
	off := Sub(square, Reshape(ConvertDType(Diagonal(m.Graph(), size), m.DType()), 1, size, size))
	weight := Reshape(uses, members, relations, 1)
	sums := Reshape(ReduceSum(Square(off), 1, 2), members, relations, partitions)
	penalty = ReduceSum(Mul(sums, weight), 1, 2)
	back := Dot(m, off).General([]int{2}, []int{0}, []int{1}, []int{0})
	back = Mul(Reshape(back, members, relations, -1), MulScalar(weight, 4))
	return penalty, ReshapeWithShape(back, matrices.Shape())
}
