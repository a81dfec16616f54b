package rules

import (
	"math/rand/v2"
	"slices"
)

// DrawNegatives visits a number of entities, drawn from all, that are no answers of the query with
// an index in its batch. seed is the member's; steps count from 1. answers is ascending. If all
// entities are answers, it visits none.
func DrawNegatives(
	seed uint64, step, index, entities, count int, answers []int32, visit func(entity int32),
) {
	if len(answers) >= entities {
		return
	}
	rng := rand.NewPCG(seed, uint64(step)<<32|uint64(index))
	for range count {
		for {
			entity := int32(rng.Uint64() % uint64(entities))
			if _, isAnswer := slices.BinarySearch(answers, entity); !isAnswer {
				visit(entity)
				break
			}
		}
	}
}

// DrawSample draws the entities of a sampled softmax for a member's seed and a step that counts
// from 1. It fills drawn with different entities in ascending order, and marks them in isDrawn,
// [entities], which must be all false. All sets of that size are equally likely (Bentley and
// Floyd, 1987).
func DrawSample(seed uint64, step int, drawn []int32, isDrawn []bool) {
	rng := rand.New(rand.NewPCG(seed, uint64(step)))
	for i := range drawn {
		last := len(isDrawn) - len(drawn) + i
		entity := rng.IntN(last + 1)
		if isDrawn[entity] {
			entity = last
		}
		drawn[i], isDrawn[entity] = int32(entity), true
	}
	slices.Sort(drawn)
}
