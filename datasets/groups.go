package datasets

import "iter"

// groups divides triples into groups that imply each other by related relations. A triple that
// implies no other is a group of one.
type groups struct {
	first []int32 // first triple of each group, ascending
	next  []int32 // next triple of the same group, 0 for none
}

func newGroups(triples []Triple, facts []pairFact, related []RelatedRelations) groups {
	g := groups{next: make([]int32, len(triples))}
	root := make([]int32, len(triples)) // a smaller or equal index of the same group
	for i := range root {
		root[i] = int32(i)
	}
	find := func(i int32) int32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	if keys := keysOf(related); len(keys) > 0 {
		eachPair(facts, func(about []pairFact) {
			for i, a := range about {
				for _, b := range about[i+1:] {
					if keys[keyOf(a, b)] {
						x, y := find(a.index), find(b.index)
						root[max(x, y)] = min(x, y)
					}
				}
			}
		})
	}
	last := make([]int32, len(triples)) // of the group of a first triple
	for i := range triples {
		i := int32(i)
		first := find(i)
		if first == i {
			g.first = append(g.first, i)
		} else {
			g.next[last[first]] = i
		}
		last[first] = i
	}
	return g
}

// of yields the indices of the triples of a group.
func (g groups) of(first int32) iter.Seq[int32] {
	return func(yield func(int32) bool) {
		for i := first; yield(i) && g.next[i] != 0; {
			i = g.next[i]
		}
	}
}

// size returns the number of triples of a group.
func (g groups) size(first int32) (n int) {
	for range g.of(first) {
		n++
	}
	return n
}
