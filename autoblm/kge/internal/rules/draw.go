package rules

import (
	"math/rand/v2"
	"slices"
)

// Negatives draws entities that are no answers of a query.
type Negatives struct {
	Seed     uint64 // of the member
	Entities int    // number of entities to draw from
	Count    int    // number of draws per query
}

// Draw visits Count entities for the query with an index in its batch, at a step that counts
// from 1. answers is ascending. If all entities are answers, Draw visits none.
func (n Negatives) Draw(step, index int, answers []int32, visit func(entity int32)) {
	if len(answers) >= n.Entities {
		return
	}
	rng := rand.NewPCG(n.Seed, uint64(step)<<32|uint64(index))
	for range n.Count {
		for {
			entity := int32(rng.Uint64() % uint64(n.Entities))
			if _, isAnswer := slices.BinarySearch(answers, entity); !isAnswer {
				visit(entity)
				break
			}
		}
	}
}

// SoftmaxSample draws the entities of a sampled softmax.
type SoftmaxSample struct {
	Seed     uint64 // of the member
	Entities int    // number of entities to draw from
}

// Draw fills drawn with different entities in ascending order, for a step that counts from 1,
// and marks them in isDrawn, [entities], which must be all false. All sets of that size are
// equally likely (Bentley and Floyd, 1987).
func (s SoftmaxSample) Draw(step int, drawn []int32, isDrawn []bool) {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(step)))
	for i := range drawn {
		last := s.Entities - len(drawn) + i
		entity := rng.IntN(last + 1)
		if isDrawn[entity] {
			entity = last
		}
		drawn[i], isDrawn[entity] = int32(entity), true
	}
	slices.Sort(drawn)
}
