package kge

import (
	"iter"
	"math/rand/v2"
	"slices"
)

// Limits are how many questions of each split are ranked at most: 0 is all of them, and
// [None] none. What is ranked is a [Sample].
type Limits struct{ Valid, Test int }

// Splits are "valid" and "test" with their limits.
func (l Limits) Splits() iter.Seq2[string, int] {
	return func(yield func(string, int) bool) {
		_ = yield("valid", l.Valid) && yield("test", l.Test)
	}
}

// None leaves a split out.
const None = -1

// Sample is so many of all, drawn at random, in their order: the same each time, and a part of
// each larger sample. 0 is all, and [None] none.
func Sample[T any](all []T, most int) []T {
	if most == 0 || most >= len(all) {
		return all
	}
	drawn := rand.New(rand.NewPCG(1, 0)).Perm(len(all))[:max(0, most)]
	slices.Sort(drawn)
	sample := make([]T, len(drawn))
	for i, number := range drawn {
		sample[i] = all[number]
	}
	return sample
}
