package completion

import (
	"fmt"

	"github.com/autoblm/autoblm-go/autoblm/structure"
)

// State is where a population in training stands.
type State struct {
	// Steps is how many steps it has taken.
	Steps   int
	Members []MemberState
}

// MemberState is where a member stands.
type MemberState struct {
	Parameters
	// Slots are what the optimizer remembers of each number: for Adagrad the sum of
	// the squared gradients; for Adam the means of the gradients, and then those of
	// their squares.
	Slots []Tables
}

// Tables are as large as the embeddings of a model, in the order of [Parameters].
type Tables struct{ Entities, Relations []float32 }

// Fits says why a state cannot be taken by a population of members with the given
// structures, whose tables have so many numbers, and an optimizer with so many
// slots.
func (s State) Fits(structures []structure.Structure, entities, relations, slots int) error {
	if len(s.Members) != len(structures) {
		return fmt.Errorf("the state is of %d members, the population has %d", len(s.Members), len(structures))
	}
	for i, m := range s.Members {
		if err := Replaceable(structures[i], m.Structure); err != nil {
			return err
		}
		if len(m.Slots) != slots {
			return fmt.Errorf("the state has %d slots of the optimizer, the population has %d: they have different optimizers", len(m.Slots), slots)
		}
		for _, t := range append([]Tables{{m.Entities, m.Relations}}, m.Slots...) {
			if len(t.Entities) != entities || len(t.Relations) != relations {
				return fmt.Errorf("the state has tables of %d and %d numbers, the population has %d and %d", len(t.Entities), len(t.Relations), entities, relations)
			}
		}
	}
	return nil
}
