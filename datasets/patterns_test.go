package datasets

import (
	"math"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/internal/realdata"
	"github.com/google/go-cmp/cmp"
	"pgregory.net/rapid"
)

// openReal opens a benchmark from the folder AUTOBLM_DATA, or skips the test.
func openReal(t *testing.T, name string) *Graph {
	t.Helper()
	realdata.Folder(t, name)
	g, err := Open(name)
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// The table of Appendix B: percent of the test triples whose relation is
// symmetric, anti-symmetric, general asymmetric, inverse. The paper prints 10.5
// for the inverse relations of FB15k-237; 10.56 percent are.
func TestPatternsOfThePaper(t *testing.T) {
	for name, want := range map[string][4]float64{
		"wn18":      {23.4, 72.1, 4.5, 4.5},
		"fb15k":     {9.3, 5.2, 85.5, 74.9},
		"wn18rr":    {37.4, 59.0, 3.6, 0.0},
		"fb15k-237": {3.0, 8.5, 88.5, 10.6},
	} {
		t.Run(name, func(t *testing.T) {
			g := openReal(t, name)
			patterns := Patterns(g)
			var percent [4]float64
			for _, triple := range g.Test {
				p := patterns[triple.Relation]
				share := 100 / float64(len(g.Test))
				percent[map[Pattern]int{Symmetric: 0, AntiSymmetric: 1, General: 2}[p.Pattern]] += share
				if p.Inverse && p.Pattern == General {
					percent[3] += share
				}
			}
			for i, got := range percent {
				if math.Abs(got-want[i]) > 0.05 {
					t.Errorf("%d: %.2f percent, want %.1f", i, got, want[i])
				}
			}
		})
	}
}

// plainPatterns applies the rules directly to all pairs of relations.
func plainPatterns(g *Graph) []RelationPattern {
	pairs := make([]map[[2]int32]bool, len(g.Relations))
	for r := range pairs {
		pairs[r] = make(map[[2]int32]bool)
	}
	for _, t := range g.Train {
		pairs[t.Relation][[2]int32{t.Head, t.Tail}] = true
	}
	reversedIn := func(a, b map[[2]int32]bool) (count int) {
		for pair := range a {
			if b[[2]int32{pair[1], pair[0]}] {
				count++
			}
		}
		return count
	}
	patterns := make([]RelationPattern, len(g.Relations))
	for r, own := range pairs {
		headIsTail := false
		for a := range own {
			for b := range own {
				headIsTail = headIsTail || a[0] == b[1]
			}
		}
		reversed := reversedIn(own, own)
		switch {
		case float64(reversed) > 0.5*float64(len(own)):
			patterns[r].Pattern = Symmetric
		case reversed == 0 && headIsTail:
			patterns[r].Pattern = AntiSymmetric
		}
		if patterns[r].Pattern != Symmetric {
			for other, theirs := range pairs {
				if other != r && float64(reversedIn(theirs, own)) > 0.5*float64(len(theirs)) {
					patterns[r].Inverse = true
				}
			}
		}
	}
	return patterns
}

func TestPatternsFollowTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		if diff := cmp.Diff(plainPatterns(g), Patterns(g)); diff != "" {
			t.Fatalf("train %v (-rules +got)\n%s", g.Train, diff)
		}
	})
}

// TestPatternsOfNewRelations: a relation that is added later has a pattern.
func TestPatternsOfNewRelations(t *testing.T) {
	g := World()
	before := len(Patterns(g))
	g.Relations = append(slices.Clone(g.Relations), "new")
	if n := len(Patterns(g)); n != before+1 {
		t.Errorf("%d patterns of %d relations", n, before+1)
	}
}
