package classify

import (
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// operatorsOf are the operators of all layers. signs [S, K, K, K] are the sign
// tensors T[i,k,j] of the structures, for BLM.
func (m *model) operatorsOf(v values, signs *Node) []operators {
	all := make([]operators, m.settings.Layers)
	var relations *Node // CompGCN's, of the present layer
	for l := range all {
		o := operators{bias: v.of(l, bias)}
		if m.settings.SelfLoops && !m.settings.Encoder.composes() {
			o.self = v.of(l, selfLoop)
		}
		switch m.settings.Encoder {
		case BLM:
			o.matrices = mixing(v.of(l, relation), signs)
			if m.settings.Transform {
				o.matrices = transformed(o.matrices, v.of(l, message))
			}
		case GCN:
			o.matrices = ExpandDims(v.of(l, message), 1)
		case RGCN:
			coefficients, bases := v.of(l, coefficient), v.of(l, basis)
			members, parts, d := bases.Shape().Dim(0), bases.Shape().Dim(1), bases.Shape().Dim(2)
			o.matrices = Reshape(contract(coefficients, 2, Reshape(bases, members, parts, d*d), 1), members, -1, d, d)
		case RGCNBlock:
			o.matrices = blocksOnDiagonal(v.of(l, basis))
		default:
			if l == 0 {
				relations = v.of(l, relation)
			} else {
				relations = contract(relations, 2, v.of(l-1, relationStep), 1)
			}
			o.matrices, o.self = m.composed(v, l, relations)
		}
		all[l] = o
	}
	return all
}

// composed are CompGCN's operators of a layer: the composition with each relation,
// then the matrix of its direction. The last relation is that of self-loops.
func (m *model) composed(v values, l int, relations *Node) (matrices, self *Node) {
	compositions := composition(m.settings.Encoder, relations)
	rows := func(from, to int) *Node { return Slice(compositions, AxisRange(), AxisRange(from, to)) }
	forward := m.field.relations
	if m.settings.Reverse {
		forward /= 2
	}
	matrices = transformed(rows(0, forward), v.of(l, message))
	if m.settings.Reverse {
		matrices = Concatenate([]*Node{matrices, transformed(rows(forward, 2*forward), v.of(l, reverseMessage))}, 1)
	}
	if m.settings.SelfLoops {
		self = Squeeze(transformed(rows(m.field.relations, m.field.relations+1), v.of(l, selfLoop)), 1)
	}
	return matrices, self
}

// composition is [S, R, d or d+1, d]: for each relation the matrix M with which
// e M, or (e, 1) M, is CompGCN's composition of e and r.
func composition(e Encoder, relations *Node) *Node {
	members, count, d := relations.Shape().Dim(0), relations.Shape().Dim(1), relations.Shape().Dim(2)
	switch e {
	case CompGCNSub:
		same := BroadcastToDims(ExpandLeftToRank(eye(relations, d), 4), members, count, d, d)
		return Concatenate([]*Node{same, ExpandDims(Neg(relations), 2)}, 2)
	case CompGCNMult:
		return Mul(ExpandDims(relations, 3), ExpandLeftToRank(eye(relations, d), 4))
	}
	// M[i, k] = r[(i+k) mod d]: row i is r, turned i places to the left.
	twice := Concatenate([]*Node{relations, relations}, 2)
	var turned []*Node
	for i := range d {
		turned = append(turned, ExpandDims(Slice(twice, AxisRange(), AxisRange(), AxisRange(i, i+d)), 2))
	}
	return Concatenate(turned, 2)
}

// mixing is [S, R, d, d]: for each relation the matrix M with which e M = g(A, r) e.
// Chunk i of that is the sum over j of sign(A_ij) r_|A_ij| ⊙ e_j, so M is diagonal
// between chunks j and i, with Σ_k T[i,k,j] r_k on the diagonal.
func mixing(relations, signs *Node) *Node {
	members, count, d := relations.Shape().Dim(0), relations.Shape().Dim(1), relations.Shape().Dim(2)
	k := signs.Shape().Dim(1)
	width := d / k
	chunks := Reshape(relations, members, count, k, width)
	diagonals := Dot(chunks, signs).General([]int{2}, []int{0}, []int{2}, []int{0}) // [S, R, width, i, j]
	diagonals = TransposeAllAxes(diagonals, 0, 1, 4, 2, 3)                          // [S, R, j, width, i]
	diagonals = Reshape(diagonals, members, count, k, width, k, 1)
	same := Reshape(eye(relations, width), 1, 1, 1, width, 1, width)
	return Reshape(Mul(diagonals, same), members, count, d, d)
}

// blocksOnDiagonal is [S, R, d, d] with the blocks [S, R, parts, d/parts, d/parts]
// on the diagonal.
func blocksOnDiagonal(blocks *Node) *Node {
	members, count, parts, width := blocks.Shape().Dim(0), blocks.Shape().Dim(1), blocks.Shape().Dim(2), blocks.Shape().Dim(3)
	spread := Reshape(blocks, members, count, parts, width, 1, width)
	same := Reshape(eye(blocks, parts), 1, 1, parts, 1, parts, 1)
	return Reshape(Mul(spread, same), members, count, parts*width, parts*width)
}

// transformed multiplies each matrix [S, R, rows, d] by its member's [S, d, d].
func transformed(matrices, by *Node) *Node {
	s := matrices.Shape()
	flat := Reshape(matrices, s.Dim(0), -1, s.Dim(3))
	return Reshape(contract(flat, 2, by, 1), s.Dimensions...)
}

// eye is the identity matrix [n, n].
func eye(like *Node, n int) *Node {
	index := func(axis int) *Node { return Iota(like.Graph(), shapes.Make(dtypes.Int32, n, n), axis) }
	return ConvertDType(Equal(index(0), index(1)), like.DType())
}
