package encoder

import . "github.com/gomlx/gomlx/core/graph"

// flow has the messages in one direction.
type flow struct {
	from, along, into role  // senders, relations and receivers
	factors           *Node // [triples+1, 1]
}

// sum returns the sums of the messages of a term by receiver, [entities, columns].
//
// Automatic differentiation would scatter a row for each edge, which takes XLA on a CPU longer than to
// look all rows up. So the gradients are such sums too: by sender and by relation.
func (f flow) sum(t term) *Node {
	e, r := t.entities, t.relations
	sums := StopGradient(f.total(f.into, e, func(look lookUp) *Node {
		return t.of(look(e, f.from), look(r, f.along))
	}))

	// These zeros hand the gradient of the sums on to both tables.
	entities := e.Shape().Size()
	both := Concatenate([]*Node{Reshape(e, -1), Reshape(r, -1)}, 0)
	both = IdentityWithCustomGradient(both, func(_, v *Node) *Node {
		v = Reshape(Slice(v, AxisRange(0, entities)), e.Shape().Dimensions...)
		ofEntities := f.total(f.from, e, func(look lookUp) *Node {
			return t.toEntities(look(r, f.along), look(v, f.into))
		})
		ofRelations := f.total(f.along, r, func(look lookUp) *Node {
			return t.toRelations(look(e, f.from), look(v, f.into))
		})
		return Concatenate([]*Node{Reshape(ofEntities, -1), Reshape(ofRelations, -1)}, 0)
	})
	passed := Reshape(Slice(both, AxisRange(0, entities)), e.Shape().Dimensions...)
	return Add(sums, Sub(passed, StopGradient(passed)))
}

// lookUp returns the rows of a table for the triples in their groups, [groups·width, columns].
type lookUp func(table *Node, by role) *Node

// total sums rows of triples by a role. The result has the shape of a table. of returns the rows
// without the factors of triples. First the rows of each group are added, which needs no scattering.
func (f flow) total(by role, like *Node, of func(look lookUp) *Node) *Node {
	groups, width := by.groups.Shape().Dim(0), by.groups.Shape().Dim(1)
	triples := Reshape(by.groups, -1, 1)
	rows := of(func(table *Node, r role) *Node { return Gather(table, Gather(r.ids, triples)) })
	rows = Mul(rows, Gather(f.factors, triples))
	ofGroups := ReduceSum(Reshape(rows, groups, width, -1), 1)
	into := Gather(by.ids, Slice(by.groups, AxisRange(), AxisElem(0)))
	return ScatterSum(ZerosLike(like), into, ofGroups, false, false)
}
