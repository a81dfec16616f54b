package datasets

import (
	"cmp"
	"slices"
)

// Known answers "which tails does (head, relation) have" and "which heads does
// (relation, tail) have" over a set of triples. A triple that occurs several
// times counts once. It takes at most 16 bytes per triple and direction.
type Known struct {
	tails, heads answers
}

// Tails returns the distinct tails of (head, relation) in ascending order, nil
// when there are none. The slice belongs to the index: do not change it.
func (k *Known) Tails(head, relation int32) []int32 { return k.tails.of(head, relation) }

// Heads returns the distinct heads of (relation, tail) in ascending order, nil
// when there are none. The slice belongs to the index: do not change it.
func (k *Known) Heads(relation, tail int32) []int32 { return k.heads.of(relation, tail) }

func newKnown(splits ...[]Triple) *Known {
	all := slices.Concat(splits...)
	slices.SortFunc(all, func(a, b Triple) int {
		return cmp.Or(
			cmp.Compare(pairKey(a.Head, a.Relation), pairKey(b.Head, b.Relation)),
			cmp.Compare(a.Tail, b.Tail))
	})
	all = slices.Compact(all)
	tails := collectAnswers(all, func(t Triple) (uint64, int32) {
		return pairKey(t.Head, t.Relation), t.Tail
	})
	slices.SortFunc(all, func(a, b Triple) int {
		return cmp.Or(
			cmp.Compare(pairKey(a.Relation, a.Tail), pairKey(b.Relation, b.Tail)),
			cmp.Compare(a.Head, b.Head))
	})
	heads := collectAnswers(all, func(t Triple) (uint64, int32) {
		return pairKey(t.Relation, t.Tail), t.Head
	})
	return &Known{tails: tails, heads: heads}
}

// answers maps a pair of ids to a sorted list of ids: sorted keys, the start of
// each key's values, and the values of all keys one after the other.
type answers struct {
	keys   []uint64
	starts []uint32
	values []int32
}

// collectAnswers groups triples that are sorted by the key and then the value of part.
func collectAnswers(sorted []Triple, part func(Triple) (key uint64, value int32)) answers {
	pairs := 0
	for i, t := range sorted {
		key, _ := part(t)
		if i == 0 || key != first(part(sorted[i-1])) {
			pairs++
		}
	}
	a := answers{
		keys:   make([]uint64, 0, pairs),
		starts: make([]uint32, 0, pairs),
		values: make([]int32, len(sorted)),
	}
	for i, t := range sorted {
		key, value := part(t)
		if len(a.keys) == 0 || key != a.keys[len(a.keys)-1] {
			a.keys = append(a.keys, key)
			a.starts = append(a.starts, uint32(i))
		}
		a.values[i] = value
	}
	return a
}

func (a *answers) of(first, second int32) []int32 {
	at, found := slices.BinarySearch(a.keys, pairKey(first, second))
	if !found {
		return nil
	}
	start, end := int(a.starts[at]), len(a.values)
	if at+1 < len(a.starts) {
		end = int(a.starts[at+1])
	}
	return a.values[start:end:end]
}

func pairKey(first, second int32) uint64 {
	return uint64(uint32(first))<<32 | uint64(uint32(second))
}

func first(key uint64, _ int32) uint64 { return key }
