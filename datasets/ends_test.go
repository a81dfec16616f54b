package datasets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEndsAgreeWithPlainSearch compares the facts and the ends of relations with a plain search.
func TestEndsAgreeWithPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		ends := NewEnds(len(g.Relations), g.Train, g.Test)
		for r := range int32(len(g.Relations)) {
			var facts []Triple
			heads, tails, loops := []int32{}, []int32{}, false
			for _, fact := range slices.Concat(g.Train, g.Test) {
				if fact.Relation == r {
					facts = append(facts, fact)
					heads, tails = append(heads, fact.Head), append(tails, fact.Tail)
					loops = loops || fact.Head == fact.Tail
				}
			}
			found := slices.Collect(ends.Facts(r))
			unique := func(ids []int32) []int32 { return slices.Compact(slices.Sorted(slices.Values(ids))) }
			gotHeads, gotTails, gotLoops := ends.Seen(r)
			if !slices.Equal(found, facts) || !slices.Equal(gotHeads, unique(heads)) ||
				!slices.Equal(gotTails, unique(tails)) || gotLoops != loops {
				t.Fatalf("relation %d: %v, %v, %v of %v", r, gotHeads, gotTails, gotLoops, facts)
			}
		}
	})
}
