package gomlx

import (
	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/gomlx/gomlx/core/tensors"
)

// State implements [completion.Population].
func (p *population) State() (completion.State, error) {
	s := completion.State{Steps: p.steps}
	half := len(p.slots) / 2
	for i, m := range p.members {
		parameters, err := p.Parameters(i)
		if err != nil {
			return s, err
		}
		state := completion.MemberState{Parameters: parameters}
		for n := range half {
			var slot completion.Tables
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

// SetState implements [completion.Population].
func (p *population) SetState(s completion.State) error {
	if err := p.fits(s, p.structures()); err != nil {
		return err
	}
	half := len(p.slots) / 2
	placed := func(replaced *tensors.Tensor, table func(m completion.MemberState) []float32) *tensors.Tensor {
		var tables [][]float32
		for _, m := range s.Members {
			tables = append(tables, table(m))
		}
		defer finalize(replaced)
		return tensors.FromFlatDataAndDimensions(stack(tables, p.dim, s.Members[0].Structure.K()), replaced.Shape().Dimensions...)
	}
	p.entities = placed(p.entities, func(m completion.MemberState) []float32 { return m.Entities })
	p.relations = placed(p.relations, func(m completion.MemberState) []float32 { return m.Relations })
	for n := range half {
		p.slots[n] = placed(p.slots[n], func(m completion.MemberState) []float32 { return m.Slots[n].Entities })
		p.slots[half+n] = placed(p.slots[half+n], func(m completion.MemberState) []float32 { return m.Slots[n].Relations })
	}
	p.steps = s.Steps
	for i, m := range s.Members {
		if err := p.SetStructure(i, m.Structure); err != nil {
			return err
		}
	}
	return nil
}

// fits says why a state is not one of members with the given structures, of the
// sizes of these here.
func (p *population) fits(s completion.State, structures []structure.Structure) error {
	numbers := func(t *tensors.Tensor) int { return t.Shape().Dim(1) * t.Shape().Dim(2) }
	return s.Fits(structures, numbers(p.entities), numbers(p.relations), len(p.slots)/2)
}

// State implements [completion.Population].
func (g *groups) State() (completion.State, error) {
	var all completion.State
	for _, p := range g.populations {
		s, err := p.State()
		if err != nil {
			return all, err
		}
		all.Steps, all.Members = s.Steps, append(all.Members, s.Members...)
	}
	return all, nil
}

// SetState implements [completion.Population].
func (g *groups) SetState(s completion.State) error {
	var structures []structure.Structure
	for _, p := range g.populations {
		structures = append(structures, p.structures()...)
	}
	if err := g.populations[0].fits(s, structures); err != nil {
		return err
	}
	for i, p := range g.populations {
		if err := p.SetState(completion.State{Steps: s.Steps, Members: s.Members[i*g.size:][:len(p.members)]}); err != nil {
			return err
		}
	}
	return nil
}
