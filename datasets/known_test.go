package datasets

import (
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// drawGraph makes a small graph with duplicates within and across splits.
func drawGraph(t *rapid.T) *Graph {
	entities, relations := rapid.IntRange(1, 8).Draw(t, "entities"),
		rapid.IntRange(1, 4).Draw(t, "relations")
	triple := rapid.Custom(func(t *rapid.T) Triple {
		return Triple{
			Head:     int32(rapid.IntRange(0, entities-1).Draw(t, "head")),
			Relation: int32(rapid.IntRange(0, relations-1).Draw(t, "relation")),
			Tail:     int32(rapid.IntRange(0, entities-1).Draw(t, "tail")),
		}
	})
	g := &Graph{
		Train: rapid.SliceOfN(triple, 1, 60).Draw(t, "train"),
		Valid: rapid.SliceOfN(triple, 0, 10).Draw(t, "valid"),
		Test:  rapid.SliceOfN(triple, 0, 10).Draw(t, "test"),
	}
	for i := range entities {
		g.Entities = append(g.Entities, string(rune('a'+i)))
	}
	for i := range relations {
		g.Relations = append(g.Relations, string(rune('R'+i)))
	}
	return g
}

func TestKnownAgreesWithPlainSearch(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := drawGraph(t)
		all := slices.Concat(g.Train, g.Valid, g.Test)
		// One id beyond each range as well: nothing is known of it.
		for relation := range int32(len(g.Relations) + 1) {
			for entity := range int32(len(g.Entities) + 1) {
				var tails, heads []int32
				for other := range int32(len(g.Entities)) {
					if slices.Contains(all, Triple{entity, relation, other}) {
						tails = append(tails, other)
					}
					if slices.Contains(all, Triple{other, relation, entity}) {
						heads = append(heads, other)
					}
				}
				if got := g.Known().Tails(entity, relation); !slices.Equal(got, tails) {
					t.Fatalf("Tails(%d, %d) = %v, want %v", entity, relation, got, tails)
				}
				if got := g.Known().Heads(relation, entity); !slices.Equal(got, heads) {
					t.Fatalf("Heads(%d, %d) = %v, want %v", relation, entity, got, heads)
				}
				in := g.splits()
				some := knownOf([]Triple{{entity, relation, entity}}, len(g.Entities)+1, in[:])
				if !slices.Equal(some.Tails(entity, relation), tails) ||
					!slices.Equal(some.Heads(relation, entity), heads) {
					t.Fatalf("of %d and %d alone: %v and %v, want %v and %v", entity, relation,
						some.Tails(entity, relation), some.Heads(relation, entity), tails, heads)
				}
			}
		}
	})
}

// TestKnownMemory checks that each direction takes 8 bytes per triple and per entity.
func TestKnownMemory(t *testing.T) {
	g := World()
	triples, entities := len(g.Train)+len(g.Valid)+len(g.Test), len(g.Entities)
	for direction, a := range map[string]answers{"tails": g.Known().tails, "heads": g.Known().heads} {
		bytes := 8*cap(a.starts) + 4*cap(a.numbers)
		if bytes > 8*(triples+entities+1) {
			t.Errorf("%s: %d bytes for %d triples of %d entities", direction, bytes, triples, entities)
		}
	}
}

func TestKnownAllocatesNothingOnLookup(t *testing.T) {
	g := World()
	known := g.Known()
	found := 0
	if allocations := testing.AllocsPerRun(100, func() {
		found += len(known.Tails(g.Train[0].Head, g.Train[0].Relation)) +
			len(known.Heads(g.Train[0].Relation, g.Train[0].Tail))
	}); allocations != 0 {
		t.Errorf("%v allocations for a lookup, want none", allocations)
	}
	if found == 0 {
		t.Error("a training triple is not known")
	}
}

func TestKnownAnswersCannotBeOverwrittenByAppend(t *testing.T) {
	g := &Graph{Train: []Triple{{0, 0, 1}, {1, 0, 2}}}
	_ = append(g.Known().Tails(0, 0), 99)
	if got := g.Known().Tails(1, 0); !slices.Equal(got, []int32{2}) {
		t.Errorf("Tails(1, 0) = %v after an append to another answer, want [2]", got)
	}
}

// TestChangedGraph checks that a split that is replaced or extended changes known answers and
// statistics.
func TestChangedGraph(t *testing.T) {
	g := &Graph{
		Entities: []string{"a", "b", "c"}, Relations: []string{"r"}, Train: []Triple{{0, 0, 1}},
	}
	check := func(inSeveral int, want ...int32) {
		t.Helper()
		if got := g.Known().Tails(0, 0); !slices.Equal(got, want) {
			t.Errorf("tails %v, want %v", got, want)
		}
		if got := Describe(g).InSeveralSplits; got != inSeveral {
			t.Errorf("%d triples in several splits, want %d", got, inSeveral)
		}
	}
	check(0, 1)
	g.Train = append(g.Train, Triple{0, 0, 2})
	check(0, 1, 2)
	g.Test = []Triple{{0, 0, 2}}
	check(1, 1, 2)
	g.Train = []Triple{{0, 0, 0}}
	check(0, 0, 2)
}
