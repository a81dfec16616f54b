package cpu

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/kernel"
	"github.com/autoblm/autoblm-go/autoblm/completion/cpu/tiles"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// State implements [completion.Population].
func (p *population) State() (completion.State, error) {
	s := completion.State{Steps: p.trainers[0].steps}
	for _, t := range p.trainers {
		m := completion.MemberState{Parameters: t.parameters()}
		for _, slot := range t.slots() {
			m.Slots = append(m.Slots, completion.Tables{Entities: slot[0].Dense(t.dim), Relations: slot[1].Dense(t.dim)})
		}
		s.Members = append(s.Members, m)
	}
	return s, nil
}

// SetState implements [completion.Population].
func (p *population) SetState(s completion.State) error {
	var structures []structure.Structure
	for _, m := range p.models {
		structures = append(structures, m.structure)
	}
	first := p.trainers[0]
	if err := s.Fits(structures, first.entities.Count*first.dim, first.relations.Count*first.dim, len(first.slots())); err != nil {
		return err
	}
	for i, t := range p.trainers {
		m := s.Members[i]
		t.steps = s.Steps
		t.setStructure(m.Structure)
		t.entities.Fill(m.Entities, t.dim)
		t.relations.Fill(m.Relations, t.dim)
		for n, slot := range t.slots() {
			slot[0].Fill(m.Slots[n].Entities, t.dim)
			slot[1].Fill(m.Slots[n].Relations, t.dim)
		}
	}
	return nil
}

// slots are what the optimizer remembers, of the entities and of the relations.
func (t *trainer) slots() [][2]tiles.Embeddings {
	var all [][2]tiles.Embeddings
	like := func(e tiles.Embeddings, numbers []float32) tiles.Embeddings {
		return tiles.Embeddings{Table: kernel.Table{Data: numbers, Stride: e.Stride}, Count: e.Count}
	}
	relations := t.relationUpdates.Slots()
	for n, slot := range t.entityUpdates.Slots() {
		all = append(all, [2]tiles.Embeddings{like(t.entities, slot), like(t.relations, relations[n])})
	}
	return all
}
