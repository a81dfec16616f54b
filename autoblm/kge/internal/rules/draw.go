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

// NegativeBlock is the number of triples of a batch that share negatives in training.
const NegativeBlock = 48

// BlockStep returns the step with which DrawSample draws the negatives of a block of a batch.
func BlockStep(step, block int) uint64 { return uint64(step) | uint64(block)<<32 }

// DrawSample draws the entities of a sampled softmax for a member's seed and a step that counts
// from 1. It fills drawn with different entities in ascending order, and marks them in isDrawn,
// [entities], which must be all false. All sets of that size are equally likely (Bentley and
// Floyd, 1987).
func DrawSample(seed, step uint64, drawn []int32, isDrawn []bool) {
	NewSampler().Draw(seed, step, drawn, isDrawn)
}

// Sampler draws samples one after the other, in memory that it keeps.
type Sampler struct {
	source *rand.PCG
	rng    *rand.Rand
}

// NewSampler returns a sampler for one thread.
func NewSampler() Sampler {
	source := rand.NewPCG(0, 0)
	return Sampler{source, rand.New(source)}
}

// Draw works like [DrawSample].
func (s Sampler) Draw(seed, step uint64, drawn []int32, isDrawn []bool) {
	s.source.Seed(seed, step)
	for i := range drawn {
		last := len(isDrawn) - len(drawn) + i
		entity := s.rng.IntN(last + 1)
		if isDrawn[entity] {
			entity = last
		}
		drawn[i], isDrawn[entity] = int32(entity), true
	}
	slices.Sort(drawn)
}
