package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/gomlx/gomlx/core/tensors"
)

// State implements [kge.Population].
func (p *population) State() (kge.State, error) {
	s := kge.State{Steps: p.steps}
	half := len(p.slots) / 2
	for i, m := range p.members {
		parameters, err := p.Parameters(i)
		if err != nil {
			return s, err
		}
		state := kge.MemberState{Parameters: parameters}
		for n := range half {
			var slot kge.Tables
			if slot.Entities, err = p.memberTable(p.slots[n], i, m.Structure); err != nil {
				return s, err
			}
			if slot.Relations, err = p.memberTable(p.slots[half+n], i, m.Structure); err != nil {
				return s, err
			}
			state.Slots = append(state.Slots, slot)
		}
		s.Members = append(s.Members, state)
	}
	return s, nil
}

// SetState implements [kge.Population].
func (p *population) SetState(s kge.State) error {
	if err := s.Fits(p.present(), len(p.slots)/2); err != nil {
		return err
	}
	half := len(p.slots) / 2
	placed := func(replaced *tensors.Tensor, table func(m kge.MemberState) []float32) *tensors.Tensor {
		var tables [][]float32
		for _, m := range s.Members {
			tables = append(tables, table(m))
		}
		defer finalize(replaced)
		return tensors.FromFlatDataAndDimensions(stack(tables, p.dim, s.Members[0].Structure.K()), replaced.Shape().Dimensions...)
	}
	p.entities = placed(p.entities, func(m kge.MemberState) []float32 { return m.Entities })
	p.relations = placed(p.relations, func(m kge.MemberState) []float32 { return m.Relations })
	for n := range half {
		p.slots[n] = placed(p.slots[n], func(m kge.MemberState) []float32 { return m.Slots[n].Entities })
		p.slots[half+n] = placed(p.slots[half+n], func(m kge.MemberState) []float32 { return m.Slots[n].Relations })
	}
	p.steps = s.Steps
	for i, m := range s.Members {
		if err := p.SetStructure(i, m.Structure); err != nil {
			return err
		}
	}
	return nil
}

// present are the members' parameters with tables of the right sizes, and no numbers
// of theirs.
func (p *population) present() []kge.Parameters {
	numbers := func(t *tensors.Tensor) []float32 { return make([]float32, t.Shape().Dim(1)*t.Shape().Dim(2)) }
	tables := kge.Tables{Entities: numbers(p.entities), Relations: numbers(p.relations)}
	var all []kge.Parameters
	for _, s := range p.structures() {
		all = append(all, kge.Parameters{Structure: s, Tables: tables})
	}
	return all
}

// State implements [kge.Population].
func (g *groups) State() (kge.State, error) {
	var all kge.State
	for _, p := range g.populations {
		s, err := p.State()
		if err != nil {
			return all, err
		}
		all.Steps, all.Members = s.Steps, append(all.Members, s.Members...)
	}
	return all, nil
}

// SetState implements [kge.Population].
func (g *groups) SetState(s kge.State) error {
	var present []kge.Parameters
	for _, p := range g.populations {
		present = append(present, p.present()...)
	}
	if err := s.Fits(present, len(g.populations[0].slots)/2); err != nil {
		return err
	}
	for i, p := range g.populations {
		if err := p.SetState(kge.State{Steps: s.Steps, Members: s.Members[i*g.size:][:len(p.members)]}); err != nil {
			return err
		}
	}
	return nil
}
