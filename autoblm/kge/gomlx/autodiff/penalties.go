package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// penalizeNorms returns the penalties of [kge.Weights] on the rows of anchors, relations and ends.
func (p recipe) penalizeNorms(a asked) *Node {
	anchors, first := a.anchors, a.at(a.pass, a.tables, 0)
	for i, table := range p.relationSpecs() {
		if table.Moves {
			anchors = Add(anchors, Squeeze(first.rows[i], 1))
		}
	}
	ends := lookUp(a.tables.entities, a.in[inEnds])
	entityL2, entityN3 := a.scalar(scalarEntityL2), a.scalar(scalarEntityN3)
	sum := Add(p.ofRows(anchors, a.in[inAnchorPenalties], entityL2, entityN3),
		p.ofRows(ends, a.in[inEndPenalties], entityL2, entityN3))
	for n := range a.hops() {
		weights := Squeeze(Slice(a.in[inRelationPenalties], AxisElem(n)), 0)
		rows := a.at(a.pass, a.tables, n).rows
		for i, table := range p.relationSpecs() {
			if table.Moves {
				continue
			}
			flat := Reshape(rows[i], rows[i].Shape().Dim(0), -1)
			sum = Add(sum, p.ofRows(flat, weights,
				a.scalar(scalarRelationL2), a.scalar(scalarRelationN3)))
		}
	}
	return sum
}

// ofRows returns the sum of weight·(l2·|x|² + n3·Σ|x|³) over rows x, with N3 of groups of numbers.
func (p recipe) ofRows(rows, weights, l2, n3 *Node) *Node {
	squares := Square(rows)
	cubes := Mul(squares, Abs(rows))
	if p.n3Block > 1 {
		width := rows.Shape().Dim(1) / p.chunks
		groups := Reshape(squares, -1, p.n3Block, p.chunks/p.n3Block*width)
		ofGroups := ReduceSum(groups, 1)
		cubes = Mul(ofGroups, root(ofGroups))
	}
	each := Add(Mul(ReduceSum(squares, 1), l2), Mul(ReduceSum(cubes, 1), n3))
	return ReduceAllSum(Mul(each, weights))
}

// penalizeProducts returns the penalties on the states of questions, and on those of their ends
// walked backwards.
func (p recipe) penalizeProducts(a asked, whole *Node) *Node {
	sum := func(states, weights *Node) *Node {
		return ReduceAllSum(Mul(ReduceSum(Square(states), 1, 2), weights))
	}
	back := a.paths.reversed(a.in[inEndQuestions])
	ends := walk(a.pass, a.tables, lookUp(a.tables.entities, a.in[inEnds]), back)
	return Mul(a.scalar(scalarProducts),
		Add(sum(whole, a.in[inAnchorPenalties]), sum(ends, a.in[inEndPenalties])))
}

// penalizeOrthogonality returns the penalties on Σ|MᵀM - I|² of the matrices of relations.
func (p recipe) penalizeOrthogonality(a asked) *Node {
	var sum *Node
	for n := range a.hops() {
		m := coreMatrices(a.pass, a.at(a.pass, a.tables, n))
		square := Dot(m, m).General([]int{2}, []int{0, 1}, []int{2}, []int{0, 1})
		size := square.Shape().Dim(3)
		identity := ConvertDType(Diagonal(m.Graph(), size), m.DType())
		off := Sub(square, Reshape(identity, 1, 1, size, size))
		weights := Squeeze(Slice(a.in[inRelationPenalties], AxisElem(n)), 0)
		ofHop := ReduceAllSum(Mul(ReduceSum(Square(off), 0, 2, 3), weights))
		if sum == nil {
			sum = ofHop
		} else {
			sum = Add(sum, ofHop)
		}
	}
	return Mul(a.scalar(scalarOrthogonality), sum)
}
