package datasets

import (
	"cmp"
	"slices"
)

// pairFact is a triple as a fact about an unordered pair of entities.
type pairFact struct {
	key   uint64 // the larger id of the pair, the relation, and 1 if the larger id is the head
	low   int32  // the smaller id
	index int32  // of the triple
}

func newPairFact(t Triple, index int32) pairFact {
	f := pairFact{low: min(t.Head, t.Tail), index: index}
	f.key = uint64(max(t.Head, t.Tail))<<32 | uint64(t.Relation)<<1
	if t.Head > t.Tail {
		f.key |= 1
	}
	return f
}

func (f pairFact) relation() int32 { return int32(uint32(f.key) >> 1) }

func (f pairFact) isLoop() bool { return int32(f.key>>32) == f.low }

// same reports whether two facts are the same triple.
func (f pairFact) same(other pairFact) bool { return f.key == other.key && f.low == other.low }

// samePair reports whether two facts are about the same pair.
func (f pairFact) samePair(other pairFact) bool {
	return f.key>>32 == other.key>>32 && f.low == other.low
}

// factsByPair returns triples sorted by pair of entities, relation, direction and index. It takes
// linear time, but for entities with many facts.
func factsByPair(triples triplesIn, entities int) []pairFact {
	facts, starts := groupBy(triples.count(), entities, func(i int) (int32, pairFact) {
		f := newPairFact(triples.at(i), int32(i))
		return f.low, f
	})
	eachBucket(facts, starts, func(ofEntity []pairFact) {
		slices.SortFunc(ofEntity, func(a, b pairFact) int {
			if a.key != b.key {
				return cmp.Compare(a.key, b.key)
			}
			return cmp.Compare(a.index, b.index)
		})
	})
	return facts
}

// maxAbout limits the facts about two entities that are compared with each other, because the
// time grows with their square.
const maxAbout = 1000

// eachPair calls visit with the facts about each pair of entities that has several facts.
func eachPair(facts []pairFact, visit func(about []pairFact)) {
	for start := 0; start < len(facts); {
		end := start + 1
		for end < len(facts) && facts[end].samePair(facts[start]) {
			end++
		}
		if end > start+1 {
			visit(facts[start:min(end, start+maxAbout)])
		}
		start = end
	}
}

// eachDistinctPair calls visit with the distinct facts about each pair of entities, of the first
// triples. The next call overwrites them.
func eachDistinctPair(facts []pairFact, triples int, visit func(about []pairFact)) {
	var about []pairFact
	for start := 0; start < len(facts); {
		end := start
		about = about[:0]
		for ; end < len(facts) && facts[end].samePair(facts[start]); end++ {
			isFirst := len(about) == 0 || !facts[end].same(about[len(about)-1])
			if int(facts[end].index) < triples && isFirst {
				about = append(about, facts[end])
			}
		}
		visit(about)
		start = end
	}
}

// distinctFacts returns sorted facts without repeated triples. It copies them only if there are any.
func distinctFacts(facts []pairFact) []pairFact {
	for i := range facts[:max(0, len(facts)-1)] {
		if facts[i].same(facts[i+1]) {
			return slices.CompactFunc(slices.Clone(facts), pairFact.same)
		}
	}
	return facts
}
