package datasets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// TestEntityFactsAgreeWithPlainSearch compares the facts of entities with a plain search.
func TestEntityFactsAgreeWithPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		index := NewEntityFacts(len(g.Entities), g.Train)
		for e := range int32(len(g.Entities)) {
			var want []Triple
			for _, fact := range g.Train {
				if fact.Head == e || fact.Tail == e {
					want = append(want, fact)
				}
			}
			if got := index.Facts(e); !slices.Equal(got, want) {
				t.Fatalf("entity %d: %v, want %v", e, got, want)
			}
		}
	})
}
