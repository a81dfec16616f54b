package classify

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/structure"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/google/go-cmp/cmp"
)

// TestWhoIsSeen: just those have an embedding that enough labelled nodes come to
// by walking along the graph's triples, one step for each layer at the most.
func TestWhoIsSeen(t *testing.T) {
	rng := rand.New(rand.NewPCG(21, 22))
	blanks := 0
	for range 60 {
		g := smallGraph(rng, 40, 3, 60)
		s := Defaults(BLM)
		s.Layers, s.Reverse, s.Norm, s.SeenBy = 1+rng.IntN(3), rng.IntN(2) == 0, Norm(rng.IntN(len(normNames))), rng.IntN(5)
		watchers := map[int32]int{}
		for _, l := range labels(g) {
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
		f := newField(g, s)
		var got []int32
		for row, node := range f.inputs {
			if (node == blank) != (f.layers[0].blank != nil && f.layers[0].blank[row]) {
				t.Fatalf("row %d is of node %d, and blank is %v", row, node, f.layers[0].blank)
			}
			if node == blank {
				blanks++
				continue
			}
			got = append(got, node)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%s (-want +got):\n%s", s.variant(), diff)
		}
	}
	if blanks == 0 {
		t.Error("no graph had a node without an embedding")
	}
}

// TestWhatOneNodeSeesIsNotLearned: nodes that differ only in whom they alone see
// are learned by heart where these have embeddings, and alike where they have none.
func TestWhatOneNodeSeesIsNotLearned(t *testing.T) {
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
		for _, backend := range []string{"", "go"} {
			s := Defaults(BLM)
			s.Dim, s.SeenBy, s.Runs = 8, seenBy, 0
			trainer, err := NewTrainer(g, s, Options{Backend: backend})
			if err != nil {
				t.Fatal(err)
			}
			defer trainer.Close()
			all := numbers(0, nodes)
			l := trainer.newLearner([]run{{member: Member{Structure: structure.MustParse("complex"), LearningRate: 0.05}, seed: 1, learn: all, ask: all}})
			defer l.close()
			for range 60 {
				if err := l.step(); err != nil {
					t.Fatal(err)
				}
			}
			scores, err := l.scores()
			if err != nil {
				t.Fatal(err)
			}
			if got := scores[0].hits; known && got != nodes || !known && got != nodes/2 {
				t.Errorf("seen by %d, backend %q: %d of %d classified right", seenBy, backend, got, nodes)
			}
		}
	}
}
