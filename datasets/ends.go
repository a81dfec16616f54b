package datasets

import (
	"iter"
	"slices"
)

// Ends finds the facts of a relation, and the entities at its ends, in the given splits. The
// splits are not copied.
type Ends struct {
	triples triplesIn
	starts  []int   // of each relation in order, and the end of the last
	order   []int32 // triples by relation
}

// NewEnds sorts the triples of splits by relation. It takes 4 bytes per triple.
func NewEnds(relations int, splits ...[]Triple) *Ends {
	e := &Ends{triples: splits}
	e.order, e.starts = groupBy(e.triples.count(), relations, func(i int) (int32, int32) {
		return e.triples.at(i).Relation, int32(i)
	})
	return e
}

// Facts returns the facts of a relation, duplicates included.
func (e *Ends) Facts(relation int32) iter.Seq[Triple] {
	return func(yield func(Triple) bool) {
		for _, i := range e.order[e.starts[relation]:e.starts[relation+1]] {
			if !yield(e.triples.at(int(i))) {
				return
			}
		}
	}
}

// Seen returns the distinct heads and tails of a relation in ascending order. hasLoops is true if
// a fact has the same entity at both ends.
func (e *Ends) Seen(relation int32) (heads, tails []int32, hasLoops bool) {
	var isHead, isTail []bool // by entity
	mark := func(seen *[]bool, ids *[]int32, id int32) {
		if missing := int(id) + 1 - len(*seen); missing > 0 {
			*seen = append(*seen, make([]bool, missing)...)
		}
		if !(*seen)[id] {
			(*seen)[id] = true
			*ids = append(*ids, id)
		}
	}
	for t := range e.Facts(relation) {
		mark(&isHead, &heads, t.Head)
		mark(&isTail, &tails, t.Tail)
		hasLoops = hasLoops || t.Head == t.Tail
	}
	return ascending(heads, isHead), ascending(tails, isTail), hasLoops
}

// ascending sorts ids, which seen marks.
func ascending(ids []int32, seen []bool) []int32 {
	const scanned = 32 // marks are read in the time of sorting one id
	if len(seen) > scanned*len(ids) {
		slices.Sort(ids)
		return ids
	}
	ids = ids[:0]
	for id, is := range seen {
		if is {
			ids = append(ids, int32(id))
		}
	}
	return ids
}
