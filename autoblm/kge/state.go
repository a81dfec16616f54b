package kge

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/kge/internal/rules"
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

// Fits returns an error if a population with the given parameters and number of optimizer slots
// cannot continue from the state.
func (s State) Fits(members []Parameters, slots int) error {
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
			if !t.hasSizesOf(members[i].Tables) {
				return fmt.Errorf("the state of member %d has tables of other sizes than "+
					"the population", i)
			}
		}
	}
	return nil
}
