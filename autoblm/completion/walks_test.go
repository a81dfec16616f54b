package completion_test

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/completion"
	"github.com/autoblm/autoblm-go/autoblm/kge"
	"github.com/autoblm/autoblm-go/autoblm/kge/enginetest"
	"github.com/autoblm/autoblm-go/datasets"
)

// walksOf returns the examples of the walks of an epoch.
func walksOf(g *datasets.Graph, hops, epoch int) []kge.Example {
	s := kge.DefaultSettings()
	s.WalkHops, s.Batch = hops, 7
	return slices.Concat(completion.Data(g).Batches(s, epoch).All()...)
}

// TestWalks checks that walks follow the triples of a graph, that each triple begins two of them in
// each direction, and that each length of a walk is an example.
func TestWalks(t *testing.T) {
	g := enginetest.RandomGraph(12, 3, 40, 1)
	isEdge := map[[3]int32]bool{}
	for _, x := range g.Train {
		isEdge[[3]int32{x.Head, 2 * x.Relation, x.Tail}] = true
		isEdge[[3]int32{x.Tail, 2*x.Relation + 1, x.Head}] = true
	}
	const hops = 4
	examples := walksOf(g, hops, 1)
	if len(examples) != hops*4*len(g.Train) {
		t.Fatalf("%d examples, want %d", len(examples), hops*4*len(g.Train))
	}
	begins := map[[3]int32]int{}
	for i, x := range examples {
		if len(x.Path) != 1+i%hops || len(x.Through) != i%hops || !slices.Equal(x.Targets, []int32{x.Target}) {
			t.Fatalf("example %d is %+v", i, x)
		}
		places := append(append([]int32{x.Anchor}, x.Through...), x.Target)
		for hop, relation := range x.Path {
			if edge := [3]int32{places[hop], relation, places[1+hop]}; !isEdge[edge] {
				t.Fatalf("hop %d of %+v is no triple", hop, x)
			}
		}
		if len(x.Path) == 1 {
			begins[[3]int32{x.Anchor, x.Path[0], x.Target}]++
		} else if before := examples[i-1]; x.Through[i%hops-1] != before.Target || x.Anchor != before.Anchor {
			t.Fatalf("%+v does not continue %+v", x, before)
		}
	}
	for edge := range isEdge {
		if begins[edge]%2 != 0 || begins[edge] < 2 {
			t.Errorf("%v begins %d walks", edge, begins[edge])
		}
	}
	if !equalExamples(examples, walksOf(g, hops, 1)) || equalExamples(examples, walksOf(g, hops, 2)) {
		t.Error("walks depend on something other than the epoch and seeds")
	}
}

func equalExamples(a, b []kge.Example) bool {
	return slices.EqualFunc(a, b, func(x, y kge.Example) bool {
		return x.Anchor == y.Anchor && x.Target == y.Target && slices.Equal(x.Path, y.Path) &&
			slices.Equal(x.Through, y.Through)
	})
}

// TestWalksLeadAway compares the frequency of third hops along edges that the first entity has too
// with the bias 0.3 : 0.7.
func TestWalksLeadAway(t *testing.T) {
	// From 0 to 1, and from 1 by the relation r, which only 1 has, to 2. From 2 two edges lead on:
	// back to 1, or to 3, which 0 has too.
	g := &datasets.Graph{
		Entities: []string{"0", "1", "2", "3"}, Relations: []string{"a", "b", "r", "s"},
		Train: []datasets.Triple{{Head: 0, Relation: 0, Tail: 1}, {Head: 1, Relation: 2, Tail: 2},
			{Head: 2, Relation: 3, Tail: 3}, {Head: 0, Relation: 3, Tail: 3}},
	}
	shared, other := 0.0, 0.0
	for epoch := range 1000 {
		for _, x := range walksOf(g, 3, 1+epoch) {
			if len(x.Path) == 3 && x.Anchor == 0 && slices.Equal(x.Through, []int32{1, 2}) {
				if x.Target == 3 {
					shared++
				} else {
					other++
				}
			}
		}
	}
	if share := shared / (shared + other); math.Abs(share-0.3) > 0.05 {
		t.Errorf("%.0f of %.0f walks go where the first entity goes too: %.2f, want 0.3",
			shared, shared+other, share)
	}
}
