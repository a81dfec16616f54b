package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/mix"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
)

// model is the embeddings of one structure.
type model struct {
	mix.Mixer
	kernels             *kernel.Set
	structure           structure.Structure
	dim                 int // d; the columns after it are 0
	reciprocal          bool
	entities, relations tiles.Embeddings
}

func newModel(k *kernel.Set, p completion.Parameters) *model {
	m := &model{kernels: k, dim: p.Dim, reciprocal: p.Reciprocal}
	m.setStructure(p.Structure)
	m.entities, m.relations = tiles.Padded(p.Entities, p.Dim), tiles.Padded(p.Relations, p.Dim)
	return m
}

func (m *model) setStructure(s structure.Structure) {
	m.structure, m.Mixer = s, mix.New(m.kernels, s, m.dim)
}

func (m *model) parameters() completion.Parameters {
	return completion.Parameters{
		Structure: m.structure, Dim: m.dim, Reciprocal: m.reciprocal,
		Entities:  m.entities.Dense(m.dim),
		Relations: m.relations.Dense(m.dim),
	}
}

// directions is in how many directions a triple is learnt as one of its own.
func (m *model) directions() int {
	if m.reciprocal {
		return 2
	}
	return 1
}

// reverse is the triple that asks for t's head as its tail.
func (m *model) reverse(t datasets.Triple) datasets.Triple {
	return datasets.Triple{Head: t.Tail, Relation: t.Relation + int32(m.relations.Count/2), Tail: t.Head}
}
