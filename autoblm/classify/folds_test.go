package classify

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/autoblm/autoblm-go/datasets/rdf"
	"github.com/autoblm/autoblm-go/internal/require"
	"pgregory.net/rapid"
)

// TestFolds checks that every node is held out once, that the sizes of parts and of classes in them
// differ by at most one, and that a class of two is never held out completely.
func TestFolds(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := &rdf.Graph{}
		for c, count := range rapid.SliceOfN(rapid.IntRange(2, 30), 1, 5).Draw(t, "classes") {
			g.Classes = append(g.Classes, fmt.Sprint(c))
			for range count {
				g.Train = append(g.Train, rdf.Label{Class: int32(c)})
			}
		}
		n := rapid.IntRange(2, 10).Draw(t, "n")
		parts := folds(g, n, rapid.Uint64().Draw(t, "seed"))
		if all := slices.Sorted(slices.Values(slices.Concat(parts...))); !slices.Equal(all,
			integers(0, len(g.Train))) {
			t.Fatalf("%v are not all nodes once", parts)
		}
		spread := func(what string, count func(part []int) int) {
			var counts []int
			for _, p := range parts {
				counts = append(counts, count(p))
			}
			if slices.Max(counts)-slices.Min(counts) > 1 {
				t.Fatalf("%s in the parts: %v", what, counts)
			}
		}
		spread("nodes", func(p []int) int { return len(p) })
		for c := range g.Classes {
			of := func(p []int) (n int) {
				for _, i := range p {
					if int(g.Train[i].Class) == c {
						n++
					}
				}
				return n
			}
			spread("nodes of one class", of)
			for _, p := range parts {
				if of(p) == of(integers(0, len(g.Train))) {
					t.Fatalf("class %d is held out whole in %v", c, p)
				}
			}
		}
	})
}

// TestRepeatedFolds checks that each repeat has the folds of the next seed.
func TestRepeatedFolds(t *testing.T) {
	g := &rdf.Graph{Classes: []string{"a", "b"}}
	for i := range int32(36) {
		g.Train = append(g.Train, rdf.Label{Node: i, Class: i % 2})
	}
	s := Defaults(BLM)
	s.Repeats = 3
	parts := allFolds(g, s)
	if len(parts) != 3*s.Folds {
		t.Fatalf("%d parts", len(parts))
	}
	for i := range 3 {
		own := folds(g, s.Folds, s.DataSeed+uint64(i))
		for n, part := range parts[i*s.Folds:][:s.Folds] {
			if !slices.Equal(part, own[n]) {
				t.Errorf("part %d of division %d is %v, not %v", n, i, part, own[n])
			}
		}
		if i > 0 && slices.Equal(parts[i*s.Folds], parts[0]) {
			t.Errorf("the folds 0 and %d are the same", i)
		}
	}
}

// TestOneClass checks that a graph whose nodes have one class is refused: every model has accuracy 1.
func TestOneClass(t *testing.T) {
	g := &rdf.Graph{Name: "g", Classes: []string{"a"}}
	for i := range int32(36) {
		g.Nodes = append(g.Nodes, fmt.Sprint(i))
		g.Train = append(g.Train, rdf.Label{Node: i})
	}
	if err := CheckGraph(g, Defaults(GCN)); err == nil || !strings.Contains(err.Error(), `the class "a"`) {
		t.Error(err)
	}
}

// TestInvalidGraph checks that a graph whose labels lack a node is refused.
func TestInvalidGraph(t *testing.T) {
	g := &rdf.Graph{Name: "g", Classes: []string{"a", "b"}, Train: []rdf.Label{{Node: 7}}}
	require.Error(t, CheckGraph(g, Defaults(GCN)), "training label 0", "node 7 has no name")
}

// TestNames checks that encoders and norms read their own names.
func TestNames(t *testing.T) {
	for _, e := range Encoders() {
		text, err := e.MarshalText()
		var again Encoder
		if err != nil || again.UnmarshalText(text) != nil || again != e || e.String() != string(text) {
			t.Errorf("%v is written %q and read as %v, %v", e, text, again, err)
		}
	}
	for n := range Symmetric + 1 {
		text, err := n.MarshalText()
		var again Norm
		if err != nil || again.UnmarshalText(text) != nil || again != n || n.String() != string(text) {
			t.Errorf("%v is written %q and read as %v, %v", n, text, again, err)
		}
	}
}
