package kge

import (
	"math/rand/v2"
	"slices"
)

// Negatives draws entities that are no answers.
type Negatives struct {
	Seed     uint64 // of the member
	Entities int    // to draw from
	Count    int    // to draw for each query
}

// Draw visits Count entities for an example with a number in its batch, at a step that
// counts from 1. They depend on nothing else. Without an entity that is no answer
// none are visited.
func (n Negatives) Draw(step, number int, x *Example, visit func(entity int32)) {
	if len(x.Targets) >= n.Entities {
		return
	}
	rng := rand.NewPCG(n.Seed, uint64(step)<<32|uint64(number))
	for range n.Count {
		for {
			entity := int32(rng.Uint64() % uint64(n.Entities))
			if _, answer := slices.BinarySearch(x.Targets, entity); !answer {
				visit(entity)
				break
			}
		}
	}
}
