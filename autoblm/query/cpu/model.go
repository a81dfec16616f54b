package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/query"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// model is the numbers of one model, and what they mean.
type model struct {
	kernels      *kernel.Set
	kind         query.Kind
	structure    structure.Structure
	dim          int // d; the columns after it are 0
	reciprocal   bool
	relationRows int // of each direction of a relation
	stateRows    int // of each path
	hop          hop
	measure      measure
	entities     tiles.Embeddings
	relations    tiles.Embeddings
}

func newModel(k *kernel.Set, p query.Parameters) *model {
	m := &model{
		kernels: k, kind: p.Kind, structure: p.Structure, dim: p.Dim, reciprocal: p.Reciprocal,
		relationRows: p.Kind.RelationRows(p.Dim), stateRows: 1,
		entities: tiles.Padded(p.Entities, p.Dim), relations: tiles.Padded(p.Relations, p.Dim),
	}
	switch p.Kind {
	case query.TransE:
		m.hop, m.measure = shift{k}, distance{p.Dim}
	case query.Query2box:
		m.hop, m.measure, m.stateRows = growth{k}, boxDistance{p.Dim}, 2
	case query.GQE:
		m.hop, m.measure = matrix{k, p.Dim}, product{k}
	default:
		m.hop, m.measure = newMixture(k, p), product{k}
	}
	return m
}

func (m *model) parameters() query.Parameters {
	return query.Parameters{Kind: m.kind, Parameters: completion.Parameters{
		Structure: m.structure, Dim: m.dim, Reciprocal: m.reciprocal,
		Entities: m.entities.Dense(m.dim), Relations: m.relations.Dense(m.dim),
	}}
}

// place is the first row of a relation in the table of relations, and whether it
// is walked through the transpose.
func (m *model) place(relation int32) (row int, transposed bool) {
	number, back := int(relation/2), relation%2 == 1
	if back && m.reciprocal {
		number += m.relations.Count / (2 * m.relationRows)
	}
	return number * m.relationRows, back && !m.reciprocal
}
