package autodiff

import . "github.com/gomlx/gomlx/core/graph"

// relating is a form whose scores are linear in the row of a relation.
type relating interface {
	graphForm
	// relationQueries returns v [n, numbers of a relation] with f(h,r,t) = ⟨v, r⟩ for rows of heads and
	// tails, [n, d].
	relationQueries(c *pass, heads, tails *Node) *Node
}

func (f bilinear) relationQueries(c *pass, heads, tails *Node) *Node {
	return relationQueries(f, c, heads, tails)
}

func (f core) relationQueries(c *pass, heads, tails *Node) *Node {
	return relationQueries(f, c, heads, tails)
}

func (block) relationQueries(c *pass, heads, tails *Node) *Node {
	n, size := heads.Shape().Dim(0), c.form.BlockSize()
	products := Mul(Reshape(heads, n, size, 1, -1), Reshape(tails, n, 1, size, -1))
	return Reshape(products, n, -1)
}

// predictRelations returns the weighted cross entropy of the relations of triples among all relations.
func (p recipe) predictRelations(a asked) *Node {
	questions := InsertAxes(a.in[inEndQuestions], -1)
	heads, tails := Gather(a.anchors, questions), lookUp(a.tables.entities, a.in[inEnds])
	queries := p.graphs().(relating).relationQueries(a.pass, heads, tails)
	truth := Gather(Squeeze(Slice(a.paths.relations, AxisElem(0)), 0), questions)
	loss := relationEntropy(queries, a.tables.relations[0], truth, a.ofTriples(triplePrediction))
	return Mul(a.scalar(scalarRelationPrediction), loss)
}

// relationEntropy returns the weighted cross entropy of the true relations [n] among all, whose scores
// are the products of queries [n, numbers] and rows [relations, numbers].
func relationEntropy(queries, rows, truth, weights *Node) *Node {
	logShares := LogSoftmax(Dot(queries, rows).General([]int{1}, nil, []int{1}, nil))
	isTruth := OneHot(truth, rows.Shape().Dim(0), logShares.DType())
	return Neg(ReduceAllSum(Mul(ReduceSum(Mul(logShares, isTruth), 1), weights)))
}

// ofTriples returns a row of [inTriples], [p].
func (in in) ofTriples(row int) *Node { return Squeeze(Slice(in[inTriples], AxisElem(row)), 0) }
