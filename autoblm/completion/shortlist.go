package completion

import (
	"cmp"
	"math"
	"slices"
)

// scored is a candidate, given by its index, with its float32 score.
type scored struct {
	index int32
	score float32
}

// shortlist returns the indices of the candidates that may be among the best, in ascending order.
// The scores in float64 differ from those given by at most bound. isAllowed selects candidates.
//
// The top candidates by float32 have float64 scores of at least s - bound, where s is the lowest of
// their float32 scores. So the best by float64 have float64 scores of at least s - bound, and
// float32 scores of at least s - 2·bound.
func shortlist(scores []float32, bound float64, top int, isAllowed func(index int) bool) []int32 {
	limit, capacity := float32(math.Inf(-1)), 4*top+256
	list := make([]scored, 0, capacity)
	for i, s := range scores {
		if s < limit || !isAllowed(i) { // false for NaN, which cut may drop
			continue
		}
		list = append(list, scored{int32(i), s})
		if len(list) == capacity {
			list, limit = cut(list, top, bound)
			capacity = max(capacity, 2*len(list))
		}
	}
	list, _ = cut(list, top, bound)
	indices := make([]int32, len(list))
	for i, c := range list {
		indices[i] = c.index
	}
	slices.Sort(indices)
	return indices
}

// cut removes candidates that cannot be among the best, and returns the lowest score of those that
// can.
func cut(list []scored, top int, bound float64) ([]scored, float32) {
	if len(list) <= top || math.IsInf(bound, 1) {
		return list, float32(math.Inf(-1))
	}
	slices.SortFunc(list, func(a, b scored) int { return cmp.Compare(b.score, a.score) })
	limit := float32(float64(list[top-1].score) - 2*bound)
	limit = math.Nextafter32(limit, float32(math.Inf(-1))) // the conversion may round up
	end, _ := slices.BinarySearchFunc(list, limit, func(c scored, limit float32) int {
		if c.score >= limit {
			return -1
		}
		return 1
	})
	return list[:end], limit
}
