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
			datasets.Triple{Head: i, Relation: 0, Tail: i + 1}, datasets.Triple{Head: i + 1, Relation: 0,
				Tail: i},
			datasets.Triple{Head: i, Relation: 1, Tail: i + 1},
			datasets.Triple{Head: i, Relation: 2, Tail: i + 6},
			datasets.Triple{Head: i, Relation: 3, Tail: 11 - i}, datasets.Triple{Head: 11 - i, Relation: 4,
				Tail: i})
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

// recombined returns the mean of parts, weighted by their triples.
func recombined(parts []completion.Part) (triples int, both, head, tail eval.Metrics) {
	addTo := func(sum *eval.Metrics, m eval.Metrics, n float64) {
		sum.MRR, sum.MeanRank = sum.MRR+n*m.MRR, sum.MeanRank+n*m.MeanRank
		sum.Hits1, sum.Hits3, sum.Hits10 = sum.Hits1+n*m.Hits1, sum.Hits3+n*m.Hits3, sum.Hits10+n*m.Hits10
	}
	for _, p := range parts {
		triples += p.Triples
		n := float64(p.Triples)
		addTo(&both, p.Both, n)
		addTo(&head, p.Head, n)
		addTo(&tail, p.Tail, n)
	}
	n := float64(max(triples, 1))
	return triples, both.Over(n), head.Over(n), tail.Over(n)
}

func checkParts(t *rapid.T, parts []completion.Part, whole completion.Evaluation) {
	t.Helper()
	triples, both, head, tail := recombined(parts)
	if triples != whole.Triples || !nearMetrics(both, whole.Both) || !nearMetrics(head, whole.Head) ||
		!nearMetrics(tail, whole.Tail) {
		t.Fatalf("the parts come to %d triples, %+v; the whole is %d triples, %+v", triples, both,
			whole.Triples, whole.Both)
	}
}

func checkOrder(t *rapid.T, parts []completion.Part) {
	t.Helper()
	if !slices.IsSortedFunc(parts, func(a, b completion.Part) int {
		return cmp.Or(b.Triples-a.Triples, cmp.Compare(a.Name, b.Name))
	}) {
		t.Fatalf("not the most frequent first: %+v", parts)
	}
}

func TestBreakdownAddsUp(t *testing.T) {
	g := patternGraph()
	rapid.Check(t, func(t *rapid.T) {
		triples := rapid.SliceOfN(rapid.SampledFrom(g.Train), 0, 30).Draw(t, "triples")
		ranks := drawRanks(t, len(triples))
		ties := rapid.SampledFrom([]eval.Ties{eval.Pessimistic, eval.Optimistic, eval.Realistic}).Draw(t,
			"ties")
		whole := completion.Summarize(ranks, ties)

		count := map[string]int{}
		var ofInverse []eval.Ranked
		for i, triple := range triples {
			count[g.Relations[triple.Relation]]++
			if triple.Relation >= 3 {
				ofInverse = append(ofInverse, ranks[i])
			}
		}
		byRelation := completion.ByRelation(g, triples, ranks, ties)
		checkParts(t, byRelation, whole)
		checkOrder(t, byRelation)
		if len(byRelation) != len(count) {
			t.Fatalf("%d parts for %d relations", len(byRelation), len(count))
		}
		for _, part := range byRelation {
			if part.Triples != count[part.Name] {
				t.Fatalf("%q has %d triples, want %d", part.Name, part.Triples, count[part.Name])
			}
		}

		byPattern := completion.ByPattern(g, triples, ranks, ties)
		checkOrder(t, byPattern)
		disjoint := slices.DeleteFunc(slices.Clone(byPattern), func(p completion.Part) bool {
			return p.Name == "inverse"
		})
		checkParts(t, disjoint, whole)
		want := map[string]int{
			"symmetric":      count["near"],
			"anti-symmetric": count["next"],
			"general":        count["likes"] + count["owns"] + count["owned by"],
			"inverse":        count["owns"] + count["owned by"],
		}
		for _, part := range byPattern {
			if part.Triples == 0 || part.Triples != want[part.Name] {
				t.Fatalf("%q has %d triples, want %d", part.Name, part.Triples, want[part.Name])
			}
			delete(want, part.Name)
			if part.Name == "inverse" && part.Both != completion.Summarize(ofInverse, ties).Both {
				t.Fatalf("inverse has %+v, its triples come to %+v", part.Both,
					completion.Summarize(ofInverse, ties).Both)
			}
		}
		for name, triples := range want {
			if triples > 0 {
				t.Fatalf("no part %q, want one of %d triples", name, triples)
			}
		}
	})
}
