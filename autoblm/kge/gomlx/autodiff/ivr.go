package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// penalizeIntermediates returns the penalty IVR of [kge.Weights] on triples.
func (p recipe) penalizeIntermediates(a asked) *Node {
	f, c := p.graphs().(trilinear), a.pass
	questions := InsertAxes(a.in[inEndQuestions], -1)
	relations := Squeeze(a.at(c, a.tables, 0).rows[0], 1)
	rows := [roles]*Node{
		ofHeads: Gather(a.anchors, questions), ofRelations: Gather(relations, questions),
		ofTails: lookUp(a.tables.entities, a.in[inEnds]),
	}
	heads, tails := a.ofTriples(tripleAnchor), a.in[inEndPenalties]
	weights := [roles]*Node{heads, a.ofTriples(tripleRelation), tails}
	ofPairs := [roles]*Node{heads, tails, DivScalar(Add(heads, tails), 2)} // of a role and the next one
	exponent := a.scalar(scalarIVRExponent)
	// raised returns the sum of weighted powers of squared norms [m, groups].
	raised := func(weights, squares *Node) *Node {
		ofTriples := ReduceSum(Reshape(Pow(squares, exponent), weights.Shape().Dim(0), -1), 1)
		return ReduceAllSum(Mul(ofTriples, weights))
	}

	w, k := f.tensor(c), 0
	var positions, squares [roles]*Node
	for role, x := range rows {
		positions[role] = f.positions(c, x)
		squares[role] = ReduceSum(Square(positions[role]), 2)
		k = positions[role].Shape().Dim(2)
	}
	sum := ScalarZero(w.Graph(), w.DType())
	for role := range roles {
		next := (role + 1) % roles
		matrices := contract(w, role, positions[role])
		ofMatrices := Transpose(DivScalar(ReduceSum(Square(matrices), 2, 3), k), 0, 1)
		single := Add(raised(weights[role], squares[role]), raised(weights[role], ofMatrices))
		products := contractBoth(matrices, role, positions[next])
		ofProducts := Transpose(ReduceSum(Square(products), 2), 0, 1)
		double := Add(raised(ofPairs[role], Mul(squares[role], squares[next])),
			raised(ofPairs[role], ofProducts))
		sum = Add(sum, Add(Mul(single, a.scalar(scalarIVR)), Mul(double, a.scalar(scalarIVRProducts))))
	}
	return sum
}
