package kge

import (
	"math/rand/v2"
	"slices"
)

// SoftmaxSample draws the entities that the answers of a step are learnt among; see
// [Settings.SampledSoftmax].
type SoftmaxSample struct {
	Seed     uint64 // of the member
	Entities int    // to draw from
}

// Draw fills drawn with entities for a step that counts from 1, each once and in ascending
// order, and marks them in among, [entities], where none is to be marked before. They
// depend on nothing else, and all sets of their size are equally likely (Bentley and Floyd,
// 1987).
func (s SoftmaxSample) Draw(step int, drawn []int32, among []bool) {
	rng := rand.New(rand.NewPCG(s.Seed, uint64(step)))
	for i := range drawn {
		last := s.Entities - len(drawn) + i
		entity := rng.IntN(last + 1)
		if among[entity] {
			entity = last
		}
		drawn[i], among[entity] = int32(entity), true
	}
	slices.Sort(drawn)
}
