package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/datasets"
)

// unitTriples is how many triples a unit has at most: each may be two queries.
const unitTriples = tiles.MostQueries / 2

// unit is a part of a batch on its way.
type unit struct {
	lookup
	entities  *tiles.Softmax // of the queries for heads and tails
	relations *tiles.Softmax // of the queries for relations; nil where none are asked
	mask      *tiles.Mask    // nil where nothing is dropped
	lanes     kernel.Lanes
}

func newUnit(d demand) *unit {
	u := &unit{lookup: newLookup(d.model), entities: tiles.NewSoftmax(d.model.entities, d.model.dim)}
	if d.relations {
		u.relations = tiles.NewSoftmax(d.model.relations, d.model.dim)
	}
	if d.dropout {
		u.mask = tiles.NewMask(d.model.dim)
	}
	return u
}

// forward returns the part of the loss of a unit, which is given by its number in
// the batch, and leaves the gradients by its rows with the others of the batch.
// weight is that of a triple in the loss: one by the triples of the batch.
func (t *trainer) forward(u *unit, number int, triples []datasets.Triple, weight float32, scratch kernel.Table) float64 {
	u.fetch(t.model, triples)
	g := &t.gradients[number]
	g.reset(u.triples)
	direction := weight / float32(t.directions())
	return t.predictEntities(u, g, number, weight) +
		t.predictRelations(u, g, weight) +
		t.penalize(u, g, direction) +
		t.penalizeProducts(u, g, direction, scratch)
}
