package autodiff

import (
	"github.com/autoblm/autoblm-go/autoblm/kge/form"
	"github.com/gomlx/compute/dtypes"
	"github.com/gomlx/compute/shapes"
	. "github.com/gomlx/gomlx/core/graph"
)

// rsn has the graphs of [form.RSN]. Vectors are [walks, n] with n = d/2.
type rsn struct{ products }

func (rsn) averages() int { return form.RSNMean }

// drops implements [dropping]: the outputs of layers are dropped instead of those of queries.
func (rsn) drops() (inputs, queries bool) { return false, true }

// hop has no training step, because RSN learns walks.
func (f rsn) hop(c *pass, states *Node, h hop) *Node {
	network := &recurrence{pass: c}
	_, output := network.hop(f.inputs(c, states), f.inputs(c, h.rows[0]), nil)
	return f.queries(output)
}

// scores leaves out the input vectors of entities, where queries have zeros.
func (f rsn) scores(c *pass, states, entities *Node) *Node {
	all, answers := AxisRange(), AxisRange(c.dim/2)
	return f.products.scores(c, Slice(states, all, all, all, answers), Slice(entities, all, all, answers))
}

// inputs returns the input vectors of rows.
func (rsn) inputs(c *pass, rows *Node) *Node {
	n := c.dim / 2
	return Slice(Reshape(rows, -1, 2*n), AxisRange(), AxisRange(0, n))
}

// answers returns the vectors of relations as answers.
func (rsn) answers(c *pass, rows *Node) *Node {
	return Slice(rows, AxisRange(), AxisRange(c.dim/2))
}

// queries returns outputs as queries [questions, 1, d].
func (rsn) queries(outputs *Node) *Node {
	return InsertAxes(Concatenate([]*Node{ZerosLike(outputs), outputs}, 1), 1)
}

// read returns the queries after all parts of walks. It reads each walk once, for its last part.
func (f rsn) read(c *pass, t tables, _ *Node, p paths) *Node {
	n, hops, questions := c.dim/2, p.hops(), c.used.Shape().Dim(0)
	whole := AxisRange(hops - 1).Stride(hops)
	ofWalks := *c
	ofWalks.used = Slice(c.used, whole)
	// Each part of a walk has a number of its own, and so masks for the hop with which it ends.
	kept := Ones(c.used.Graph(), shapes.Make(dtypes.Float32, questions, 2*form.LSTMLayers*n))
	kept = Reshape(c.dropLayer(kept, keyOfQueries, scalarDropout), -1, hops, 2, form.LSTMLayers, n)
	network := &recurrence{pass: &ofWalks}
	var relations, afterEntities, afterRelations []*Node
	for hop := range hops {
		idsOf := func(x *Node) *Node { return Squeeze(Slice(x, AxisElem(hop), whole), 0) }
		entity := f.inputs(c, lookUp(t.entities, idsOf(p.passed)))
		relation := idsOf(p.relations)
		relations = append(relations, relation)
		var ofHop []*Node
		for symbol := range 2 {
			mask := Slice(kept, AxisRange(), AxisElem(hop), AxisElem(symbol))
			ofHop = append(ofHop, Squeeze(mask, 1, 2))
		}
		network.isFirst = hop == 0
		afterEntity, afterRelation := network.hop(entity, f.inputs(c, lookUp(t.relations[0], relation)), ofHop)
		afterEntities = append(afterEntities, afterEntity)
		afterRelations = append(afterRelations, afterRelation)
	}
	ofParts := func(all []*Node) *Node { return Reshape(Stack(all, 1), questions, n) }
	c.averages = Concatenate(append(network.means[:], network.variances[:]...), 0)
	c.more = relationEntropy(ofParts(afterEntities), f.answers(c, t.relations[0]),
		Reshape(Stack(relations, 1), questions), c.asked.in[inWeights])
	return f.queries(ofParts(afterRelations))
}
