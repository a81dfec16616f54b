package kge

import (
	"fmt"
	"slices"

	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// State is the state of a population in training.
type State struct {
	// Steps is the number of steps taken.
	Steps   int
	Members []MemberState
}

// MemberState is the state of one member.
type MemberState struct {
	Parameters
	// Slots are the optimizer's numbers for each parameter. Adagrad has the sums of squared
	// gradients; Adam has the averages of the gradients, and then those of their squares.
	Slots []Tables
}

// MemberShape describes all states of a member, apart from signs of the structure.
type MemberShape struct {
	Structure structure.Structure
	Sizes     []int // of the tables, in the order of [Tables.All]
}

// Shape returns the shape of a member with the parameters.
func (p Parameters) Shape() MemberShape { return MemberShape{p.Structure, p.sizes()} }

// Fits returns an error if a population with the given members and number of optimizer slots cannot
// continue from the state.
func (s State) Fits(members []MemberShape, slots int) error {
	if len(s.Members) != len(members) {
		return fmt.Errorf("the state has %d members, the population has %d",
			len(s.Members), len(members))
	}
	for i, m := range s.Members {
		if err := rules.CheckReplacement(members[i].Structure, m.Structure); err != nil {
			return err
		}
		if len(m.Slots) != slots {
			return fmt.Errorf("the state has %d optimizer slots, the population has %d: "+
				"they have different optimizers", len(m.Slots), slots)
		}
		for _, t := range append([]Tables{m.Tables}, m.Slots...) {
			if !slices.Equal(t.sizes(), members[i].Sizes) {
				return fmt.Errorf("the state of member %d has tables of other sizes than "+
					"the population", i)
			}
		}
	}
	return nil
}
