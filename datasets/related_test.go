package datasets

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// familyGraph has facts of six relations among n people: parent and its inverse child, the
// symmetric friend, its duplicate ally, and two that imply nothing.
func familyGraph(n int, seed uint64) *Graph {
	g := &Graph{
		Name:      "family",
		Relations: []string{"parent", "child", "friend", "ally", "knows", "likes"},
	}
	for i := range n {
		g.Entities = append(g.Entities, fmt.Sprint("person ", i))
	}
	rng := rand.New(rand.NewPCG(seed, 0))
	random := func() int32 { return rng.Int32N(int32(n)) }
	for range 3 * n {
		a, b := random(), random()
		g.Train = append(g.Train, Triple{a, 0, b}, Triple{b, 1, a})
		a, b = random(), random()
		g.Train = append(g.Train, Triple{a, 2, b}, Triple{b, 2, a}, Triple{a, 3, b})
		g.Train = append(g.Train, Triple{random(), 4, random()}, Triple{random(), 5, random()})
	}
	return g
}

func kinds(g *Graph) (found []string) {
	for _, r := range Related(g) {
		found = append(found, fmt.Sprintf("%s %s %s", r.Kind(), g.Relations[r.Relation],
			g.Relations[r.Partner]))
	}
	slices.Sort(found)
	return found
}

// TestRelated checks the kinds of related relations, among them an anti-symmetric one with its
// inverse, and that those of dense relations are chance.
func TestRelated(t *testing.T) {
	want := []string{
		"duplicate ally friend", "inverse ally friend", "inverse parent child", "symmetric friend friend",
	}
	if got := kinds(familyGraph(200, 1)); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	dense := &Graph{Relations: []string{"a", "b"}, Entities: make([]string, 12)}
	rng := rand.New(rand.NewPCG(1, 0))
	for head := range int32(12) {
		for tail := range int32(12) {
			for relation := range int32(2) {
				if rng.Float64() < 0.6 {
					dense.Train = append(dense.Train, Triple{head, relation, tail})
				}
			}
		}
	}
	if got := kinds(dense); got != nil {
		t.Errorf("random dense relations: %q", got)
	}
}

// TestSplitsOfRelatedRelationsDoNotLeak checks both ways of splitting, and that leakage is counted
// when it is allowed.
func TestSplitsOfRelatedRelationsDoNotLeak(t *testing.T) {
	for seed := range uint64(5) {
		g := familyGraph(200, seed)
		settings := DefaultSplit()
		settings.Seed = seed
		divided, report, err := SplitTriples(g, settings)
		if err != nil {
			t.Fatal(err)
		}
		if n := divided.implied(); n.Valid.Implied.Count+n.Test.Implied.Count > 0 {
			t.Errorf("the splits leak: %+v", n)
		}
		if len(divided.Valid) < report.WantedValid-5 || len(divided.Test) < report.WantedTest-5 {
			t.Errorf("%d and %d held out, wanted %+v", len(divided.Valid), len(divided.Test), report)
		}
		again := divided.Resplit(seed)
		if n := again.implied(); n.Valid.Implied.Count > 0 {
			t.Errorf("the resplit leaks: %+v", n)
		}
		if len(again.Valid) < len(divided.Valid)-5 {
			t.Errorf("the resplit has %d of %d validation triples", len(again.Valid), len(divided.Valid))
		}
		settings.AllowLeakage = true
		if divided, _, err = SplitTriples(g, settings); err != nil {
			t.Fatal(err)
		}
		share := float64(divided.implied().Test.Implied.Count) / float64(len(divided.Test))
		if share < 0.5 || share > 0.8 { // about 0.9 of the facts of four of six relations
			t.Errorf("%.2f of the test triples leak", share)
		}
	}
}

// TestRelatedRelationsOfBenchmarks checks WordNet, and that FB15k-237 does not leak: its authors
// removed such pairs.
func TestRelatedRelationsOfBenchmarks(t *testing.T) {
	for name, want := range map[string]struct {
		pairs  int
		leaked int
	}{"wn18": {11, 4692}, "wn18rr": {4, 1086}, "fb15k-237": {-1, 0}} {
		t.Run(name, func(t *testing.T) {
			g := openReal(t, name)
			pairs, leaked := len(Related(g)), g.implied().Test.Implied.Count
			if leaked != want.leaked || want.pairs >= 0 && pairs != want.pairs {
				t.Errorf("%d pairs and %d leaked test triples, want %+v", pairs, leaked, want)
			}
		})
	}
	if n := World().implied(); n.Valid.Implied.Count+n.Test.Implied.Count != 0 {
		t.Errorf("the embedded graph leaks: %+v", n)
	}
}
