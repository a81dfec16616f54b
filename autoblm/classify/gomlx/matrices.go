package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// matrices holds the matrices of a layer. With d+1 rows, a 1 is appended to the rows that they
// multiply.
type matrices struct {
	relations *Node // [S, relations, d or d+1, d]
	self      *Node // [S, d or d+1, d]: of self-loops; nil without
	bias      *Node // [S, 1, d]
}

// matricesOf computes the matrices of all layers. signs [S, K, K, K] are the sign tensors T[i,k,j]
// of the structures, for BLM.
func (p *program) matricesOf(all values, signs *Node) []matrices {
	layers := make([]matrices, p.Settings.Layers)
	var relations *Node // of CompGCN, in the current layer
	for l := range layers {
		v := all[l]
		m := matrices{bias: v[classify.Bias], self: v[classify.SelfWeights]}
		switch p.Settings.Encoder {
		case classify.BLM:
			m.relations = mixing(v[classify.RelationEmbeddings], signs)
			if p.Settings.Transform {
				m.relations = transformed(m.relations, v[classify.MessageWeights])
			}
		case classify.GCN:
			m.relations = ExpandDims(v[classify.MessageWeights], 1)
		case classify.RGCN:
			bases := v[classify.Bases]
			models, parts, d := bases.Shape().Dim(0), bases.Shape().Dim(1), bases.Shape().Dim(2)
			m.relations = Reshape(contract(v[classify.Coefficients], 2, Reshape(bases, models, parts, d*d),
				1), models, -1, d, d)
		case classify.RGCNBlock:
			m.relations = blocksOnDiagonal(v[classify.Bases])
		default:
			if l == 0 {
				relations = v[classify.RelationEmbeddings]
			} else {
				relations = contract(relations, 2, all[l-1][classify.RelationStep], 1)
			}
			m.relations, m.self = p.compGCN(v, relations)
		}
		layers[l] = m
	}
	return layers
}

// compGCN computes CompGCN's matrices of a layer: the composition with each relation, times the
// matrix of its direction. The last relation is for self-loops.
func (p *program) compGCN(v map[string]*Node, relations *Node) (matrices, self *Node) {
	compositions := composition(p.Settings.Encoder, relations)
	rows := func(from, to int) *Node { return Slice(compositions, AxisRange(), AxisRange(from, to)) }
	forward := p.Relations
	if p.Settings.Reverse {
		forward /= 2
	}
	matrices = transformed(rows(0, forward), v[classify.MessageWeights])
	if p.Settings.Reverse {
		matrices = Concatenate([]*Node{matrices,
			transformed(rows(forward, 2*forward), v[classify.ReverseWeights])}, 1)
	}
	if p.Settings.SelfLoops {
		self = Squeeze(transformed(rows(p.Relations, p.Relations+1), v[classify.SelfWeights]), 1)
	}
	return matrices, self
}

// composition returns [S, R, d or d+1, d]: for each relation r the matrix M for which e M, or
// (e, 1) M, is CompGCN's composition of e and r.
func composition(e classify.Encoder, relations *Node) *Node {
	models, count, d := relations.Shape().Dim(0), relations.Shape().Dim(1), relations.Shape().Dim(2)
	switch e {
	case classify.CompGCNSub:
		same := BroadcastToDims(ExpandLeftToRank(eye(relations, d), 4), models, count, d, d)
		return Concatenate([]*Node{same, ExpandDims(Neg(relations), 2)}, 2)
	case classify.CompGCNMult:
		return Mul(ExpandDims(relations, 3), ExpandLeftToRank(eye(relations, d), 4))
	}
	// M[i, k] = r[(i+k) mod d]: row i is r, rotated to the left by i.
	twice := Concatenate([]*Node{relations, relations}, 2)
	var turned []*Node
	for i := range d {
		turned = append(turned, ExpandDims(Slice(twice, AxisRange(), AxisRange(), AxisRange(i, i+d)), 2))
	}
	return Concatenate(turned, 2)
}

// mixing returns [S, R, d, d]: for each relation r the matrix M for which e M = g(A, r) e. Chunk i
// of that is the sum over j of sign(A_ij) r_|A_ij| ⊙ e_j, so the block of M for chunks j and i is
// diagonal, with Σ_k T[i,k,j] r_k on the diagonal.
func mixing(relations, signs *Node) *Node {
	models, count, d := relations.Shape().Dim(0), relations.Shape().Dim(1), relations.Shape().Dim(2)
	k := signs.Shape().Dim(1)
	width := d / k
	chunks := Reshape(relations, models, count, k, width)
	// [S, R, width, i, j]
	diagonals := Dot(chunks, signs).General([]int{2}, []int{0}, []int{2}, []int{0})
	// [S, R, j, width, i]
	diagonals = TransposeAllAxes(diagonals, 0, 1, 4, 2, 3)
	diagonals = Reshape(diagonals, models, count, k, width, k, 1)
	same := Reshape(eye(relations, width), 1, 1, 1, width, 1, width)
	return Reshape(Mul(diagonals, same), models, count, d, d)
}

// blocksOnDiagonal returns [S, R, d, d] with the blocks [S, R, parts, d/parts, d/parts] on the
// diagonal.
func blocksOnDiagonal(blocks *Node) *Node {
	models, count, parts, width := blocks.Shape().Dim(0), blocks.Shape().Dim(1), blocks.Shape().Dim(2),
		blocks.Shape().Dim(3)
	spread := Reshape(blocks, models, count, parts, width, 1, width)
	same := Reshape(eye(blocks, parts), 1, 1, parts, 1, parts, 1)
	return Reshape(Mul(spread, same), models, count, parts*width, parts*width)
}

// transformed multiplies each matrix [S, R, rows, d] by the matrix of its model [S, d, d].
func transformed(matrices, by *Node) *Node {
	s := matrices.Shape()
	flat := Reshape(matrices, s.Dim(0), -1, s.Dim(3))
	return Reshape(contract(flat, 2, by, 1), s.Dimensions...)
}

// eye returns the identity matrix [n, n].
func eye(like *Node, n int) *Node {
	index := func(axis int) *Node { return Iota(like.Graph(), shapes.Make(dtypes.Int32, n, n), axis) }
	return ConvertDType(Equal(index(0), index(1)), like.DType())
}
