package completion_test

import (
	"cmp"
	"fmt"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"pgregory.net/rapid"
)

// patternGraph has one relation of each pattern, by the rules of the paper's
// Appendix B: "near" is symmetric, "next" anti-symmetric, "likes" goes from one
// kind of entities to another, and "owns" and "owned by" are inverse.
func patternGraph() *datasets.Graph {
	g := &datasets.Graph{Name: "patterns",
		Relations: []string{"near", "next", "likes", "owns", "owned by"}}
	for i := range 12 {
		g.Entities = append(g.Entities, fmt.Sprint("e", i))
	}
	for i := range int32(5) {
		g.Train = append(g.Train,
			datasets.Triple{Head: i, Relation: 0, Tail: i + 1},
			datasets.Triple{Head: i + 1, Relation: 0, Tail: i},
			datasets.Triple{Head: i, Relation: 1, Tail: i + 1},
			datasets.Triple{Head: i, Relation: 2, Tail: i + 6},
			datasets.Triple{Head: i, Relation: 3, Tail: 11 - i},
			datasets.Triple{Head: 11 - i, Relation: 4, Tail: i})
	}
	return g
}

func drawRanks(t *rapid.T, triples int) []eval.Ranked {
	rank := rapid.Custom(func(t *rapid.T) eval.Rank {
		return eval.Rank{Better: rapid.Int32Range(0, 12).Draw(t, "better"),
			Equal: rapid.Int32Range(0, 3).Draw(t, "equal")}
	})
	var ranks []eval.Ranked
	for range triples {
		ranks = append(ranks, eval.Ranked{Tail: rank.Draw(t, "tail"), Head: rank.Draw(t, "head")})
	}
	return ranks
}

// checkParts checks that there is a part for each name, the most frequent first, with the metrics
// of its ranks.
func checkParts(t *rapid.T, parts []completion.Part, want map[string][]eval.Ranked, ties eval.Ties) {
	t.Helper()
	if len(parts) != len(want) || !slices.IsSortedFunc(parts, func(a, b completion.Part) int {
		return cmp.Or(b.Triples-a.Triples, cmp.Compare(a.Name, b.Name))
	}) {
		t.Fatalf("want %d parts, the most frequent first: %+v", len(want), parts)
	}
	for _, p := range parts {
		e := completion.Summarize(want[p.Name], ties)
		if e.Triples == 0 || p.Triples != e.Triples || p.Both != e.Both || p.Head != e.Head ||
			p.Tail != e.Tail {
			t.Fatalf("%+v, its ranks have %+v", p, e)
		}
	}
}

func TestBreakdown(t *testing.T) {
	g := patternGraph()
	patterns := [][]string{{"symmetric"}, {"anti-symmetric"}, {"general"}, {"general", "inverse"},
		{"general", "inverse"}}
	rapid.Check(t, func(t *rapid.T) {
		triples := rapid.SliceOfN(rapid.SampledFrom(g.Train), 0, 30).Draw(t, "triples")
		ranks := drawRanks(t, len(triples))
		ties := rapid.SampledFrom(allTies).Draw(t, "ties")
		byRelation, byPattern := map[string][]eval.Ranked{}, map[string][]eval.Ranked{}
		for i, triple := range triples {
			relation := g.Relations[triple.Relation]
			byRelation[relation] = append(byRelation[relation], ranks[i])
			for _, pattern := range patterns[triple.Relation] {
				byPattern[pattern] = append(byPattern[pattern], ranks[i])
			}
		}
		checkParts(t, completion.ByRelation(g, triples, ranks, ties), byRelation, ties)
		checkParts(t, completion.ByPattern(g, triples, ranks, ties), byPattern, ties)
	})
}
