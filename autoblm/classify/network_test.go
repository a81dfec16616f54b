package classify_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/classify"
	"github.com/autoblm/autoblm-go/autoblm/classify/cpu"
	"github.com/autoblm/autoblm-go/autoblm/classify/enginetest"
	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/google/go-cmp/cmp"
)

// TestSeenBy checks that exactly the entities within reach of enough labelled nodes have an
// embedding.
func TestSeenBy(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	blanks := 0
	for range 60 {
		g := enginetest.RandomGraph(rng, 40, 3, 60)
		s := classify.Defaults(classify.BLM)
		s.Layers, s.Reverse, s.Norm, s.SeenBy = 1+rng.IntN(3), rng.IntN(2) == 0,
			classify.Norm(rng.IntN(int(classify.Symmetric)+1)), rng.IntN(5)
		watchers := map[int32]int{}
		for _, l := range slices.Concat(g.Train, g.Test) {
			near := map[int32]bool{l.Node: true}
			for range s.Layers {
				next := map[int32]bool{}
				for _, triple := range g.Triples {
					if near[triple.Head] {
						next[triple.Tail] = true
					}
					if s.Reverse && near[triple.Tail] {
						next[triple.Head] = true
					}
				}
				for node := range next {
					near[node] = true
				}
			}
			for node := range near {
				watchers[node]++
			}
		}
		var want []int32
		for node := range int32(len(g.Nodes)) {
			if watchers[node] >= max(s.SeenBy, 1) {
				want = append(want, node)
			}
		}
		n := classify.NewNetwork(g, s)
		var got []int32
		for row, node := range n.Inputs {
			if blank := n.Layers[0].Blank; (node == classify.Blank) != (blank != nil && blank[row]) {
				t.Fatalf("row %d is of node %d, and blank is %v", row, node, blank)
			}
			if node == classify.Blank {
				blanks++
				continue
			}
			got = append(got, node)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", enginetest.Describe(s), diff)
		}
	}
	if blanks == 0 {
		t.Error("no graph had a node without an embedding")
	}
}

// TestSeenByPreventsMemorizing checks that nodes that differ only in neighbours of their own are
// memorized if these have embeddings, and classified alike otherwise.
func TestSeenByPreventsMemorizing(t *testing.T) {
	g := &rdf.Graph{Name: "stars", Classes: []string{"a", "b"}, Relations: []string{"<r>"}}
	const nodes = 8
	for i := range int32(nodes) {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<n:%d>", i))
		g.Train = append(g.Train, rdf.Label{Node: i, Class: i % 2})
		g.Triples = append(g.Triples, datasets.Triple{Head: i, Tail: nodes + i})
	}
	for i := range nodes {
		g.Nodes = append(g.Nodes, fmt.Sprintf("<own:%d>", i))
	}
	for seenBy, known := range map[int]bool{0: true, 1: true, 2: false} {
		s := classify.Defaults(classify.BLM)
		s.Dim, s.SeenBy, s.Runs, s.Folds, s.Epochs, s.ValidateEvery, s.Patience = 8, seenBy, 0, 2, 60, 60,
			0
		model := trained(t, g, s, classify.Member{Structure: structure.MustParse("complex"),
			LearningRate: 0.05, Seed: 1})
		e, _, err := classify.Ensemble{model}.Evaluate(t.Context(), cpu.New(0), g, "train")
		if err != nil || known && e.Accuracy != 1 || !known && e.Accuracy != 0.5 {
			t.Errorf("seen by %d: %+v, %v", seenBy, e, err)
		}
	}
}
