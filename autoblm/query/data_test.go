package query

import (
	"fmt"
	"slices"
	"testing"

	"github.com/autoblm/autoblm-go/autoblm/kge/eval"
	"github.com/autoblm/autoblm-go/datasets"
	"github.com/autoblm/autoblm-go/internal/realdata"
	"pgregory.net/rapid"
)

// graphOf draws a graph, perhaps with valid and test triples whose entities train lacks.
func graphOf(t *rapid.T) *datasets.Graph {
	g := &datasets.Graph{Name: "drawn"}
	for i := range rapid.IntRange(2, 12).Draw(t, "entities") {
		g.Entities = append(g.Entities, string(rune('a'+i)))
	}
	for i := range rapid.IntRange(1, 4).Draw(t, "relations") {
		g.Relations = append(g.Relations, string(rune('r'+i)))
	}
	triple := rapid.Custom(func(t *rapid.T) datasets.Triple {
		return datasets.Triple{
			Head:     rapid.Int32Range(0, int32(len(g.Entities)-1)).Draw(t, "head"),
			Relation: rapid.Int32Range(0, int32(len(g.Relations)-1)).Draw(t, "relation"),
			Tail:     rapid.Int32Range(0, int32(len(g.Entities)-1)).Draw(t, "tail"),
		}
	})
	g.Train = rapid.SliceOfN(triple, 1, 30).Draw(t, "train")
	g.Valid = rapid.SliceOfN(triple, 0, 8).Draw(t, "valid")
	g.Test = rapid.SliceOfN(triple, 0, 8).Draw(t, "test")
	return g
}

// reachable returns a query's answers from the definition: a chain of triples leads to them (paper,
// Definition 3).
func reachable(triples []datasets.Triple, entities int, q Query) (ends []int32) {
	holds := func(from, relation, to int32) bool {
		t := datasets.Triple{Head: from, Relation: relation / 2, Tail: to}
		if relation%2 == 1 {
			t.Head, t.Tail = to, from
		}
		return slices.Contains(triples, t)
	}
	var leads func(from, to int32, relations []int32) bool
	leads = func(from, to int32, relations []int32) bool {
		if len(relations) == 0 {
			return from == to
		}
		for e := range int32(entities) {
			if holds(from, relations[0], e) && leads(e, to, relations[1:]) {
				return true
			}
		}
		return false
	}
	for e := range int32(entities) {
		if leads(q.Anchor, e, q.Relations) {
			ends = append(ends, e)
		}
	}
	return ends
}

// known returns the triples of a split and of those before it whose entities and relations are in
// train.
func known(g *datasets.Graph, split Split) (triples []datasets.Triple) {
	inTrain := func(is func(datasets.Triple) bool) bool { return slices.ContainsFunc(g.Train, is) }
	for _, t := range slices.Concat([][]datasets.Triple{g.Train, g.Valid, g.Test}[:split+1]...) {
		if inTrain(func(o datasets.Triple) bool { return o.Head == t.Head || o.Tail == t.Head }) &&
			inTrain(func(o datasets.Triple) bool { return o.Head == t.Tail || o.Tail == t.Tail }) &&
			inTrain(func(o datasets.Triple) bool { return o.Relation == t.Relation }) {
			triples = append(triples, t)
		}
	}
	return triples
}

// TestSampledQueries checks that answers match the definition, that hard ones are new, that paths
// are unique, that none reverses its last hop, and that all are found if there are too few.
func TestSampledQueries(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := graphOf(t)
		d := FromGraph(g)
		s := Sample{
			Split: Split(rapid.IntRange(0, 2).Draw(t, "split")),
			Hops:  rapid.IntRange(1, 4).Draw(t, "hops"),
			Count: rapid.IntRange(1, 12).Draw(t, "count"),
			Seed:  rapid.Uint64().Draw(t, "seed"),
		}
		n, err := d.Sample(t.Context(), s)
		queries := d.Queries(s.Split, s.Hops)
		if err != nil {
			if queries != nil || s.Split == InTrain && s.Hops == 1 {
				t.Fatalf("%d queries and %v", len(queries), err)
			}
			return
		}
		if all := pathsOf2Hops(d, s.Split); s.Hops == 2 && n != min(s.Count, all) {
			t.Fatalf("%d of %d queries, but there are %d", n, s.Count, all)
		}
		if n != len(queries) || s.Hops > 1 && n > s.Count {
			t.Fatalf("%d queries of %d, said to be %d", len(queries), s.Count, n)
		}
		again := FromGraph(g)
		if _, err := again.Sample(t.Context(), s); err != nil ||
			!slices.EqualFunc(queries, again.Queries(s.Split, s.Hops), equal) {
			t.Fatalf("the same seed draws other queries (%v)", err)
		}
		seen := map[string]bool{}
		for _, q := range queries {
			if seen[q.key()] {
				t.Fatalf("%v is there twice", q)
			}
			seen[q.key()] = true
			for i, r := range q.Relations[1:] {
				if q.Relations[i] == reverse(r) {
					t.Fatalf("%v goes back at once", q)
				}
			}
			all := reachable(known(g, s.Split), len(g.Entities), q)
			var before []int32
			if s.Split != InTrain {
				before = reachable(known(g, s.Split-1), len(g.Entities), q)
			}
			if !slices.Equal(q.Easy, before) || len(q.Hard) == 0 {
				t.Fatalf("%v, but %v is known before", q, before)
			}
			if both := slices.Sorted(slices.Values(slices.Concat(q.Hard, q.Easy))); !slices.Equal(both,
				all) {
				t.Fatalf("%v, but the path leads to %v", q, all)
			}
		}
	})
}

// pathsOf2Hops returns the number of all possible queries of two hops.
func pathsOf2Hops(d *Data, split Split) (count int) {
	w := d.sampler(Sample{Split: split, Hops: 2})
	relations := int32(2 * len(d.Relations))
	for anchor := range int32(len(d.Entities)) {
		for first := range relations {
			for second := range relations {
				q := Query{Anchor: anchor, Relations: []int32{first, second}}
				if second != reverse(first) && w.answer(&q) && len(q.Hard) > 0 {
					count++
				}
			}
		}
	}
	return count
}

// TestRarePaths checks that queries are found which random walks miss: of 2,000 entities two have a
// path with a new edge, one of 1,001 in its hop.
func TestRarePaths(t *testing.T) {
	const leaves = 1000
	g := &datasets.Graph{Name: "g", Relations: []string{"r", "s"}}
	for i := range 2*leaves + 2 {
		g.Entities = append(g.Entities, fmt.Sprint("e", i))
	}
	for i := range int32(leaves) {
		g.Train = append(g.Train, datasets.Triple{Head: 0, Relation: 0, Tail: 2 + i},
			datasets.Triple{Head: 1, Relation: 1, Tail: 2 + leaves + i})
	}
	g.Valid = []datasets.Triple{{Head: 0, Relation: 0, Tail: 2 + leaves}}
	for _, count := range []int{0, 1, 5} {
		d := FromGraph(g)
		want := 2
		if count == 1 {
			want = 1
		}
		n, err := d.Sample(t.Context(), Sample{Split: InValid, Hops: 2, Count: count, Seed: 1})
		if n != want || err != nil {
			t.Errorf("%d queries of %d, want %d: %v", n, count, want, err)
		}
		for _, q := range d.Queries(InValid, 2) {
			if len(q.Hard) != 1 || q.Hard[0] != 1-q.Anchor {
				t.Errorf("%+v", q)
			}
		}
	}
}

func equal(a, b Query) bool {
	return a.key() == b.key() && slices.Equal(a.Hard, b.Hard) && slices.Equal(a.Easy, b.Easy)
}

// TestReleasedAnswers recomputes the answers of every published validation and test query from the
// triples of the graph. The other answers of test-1p omit those in valid only, for as many queries
// as the notes on the data say.
func TestReleasedAnswers(t *testing.T) {
	for _, c := range []struct {
		queries, graph string
		leftOut        int
	}{{"query2box-fb15k-237", "fb15k-237", 210}, {"query2box-fb15k", "fb15k", 817}} {
		t.Run(c.graph, func(t *testing.T) {
			t.Parallel()
			released, err := ReadFolder(realdata.Folder(t, c.queries), 2, 3)
			if err != nil {
				t.Fatal(err)
			}
			g, err := datasets.ReadFolder(realdata.Folder(t, c.graph))
			if err != nil {
				t.Fatal(err)
			}
			graphs := FromGraph(renumbered(t, g, released)).graphs
			walker := newWalker(len(released.Entities))
			leftOut, checked := 0, 0
			for _, split := range []Split{InValid, InTest} {
				for _, hops := range released.Hops(split) {
					for _, q := range released.Queries(split, hops) {
						checked++
						easy := walker.endPoints(graphs[split-1], q.Anchor, q.Relations)
						all := walker.endPoints(graphs[split], q.Anchor, q.Relations)
						hard := slices.DeleteFunc(all, eval.In(easy))
						if !slices.Equal(hard, q.Hard) {
							t.Fatalf("%v: hard answers %v, released are %v", q, hard, q.Hard)
						}
						if !slices.Equal(easy, q.Easy) {
							if split != InTest || hops != 1 || len(q.Easy) > 0 {
								t.Fatalf("%v: other answers %v", q, easy)
							}
							leftOut++
						}
					}
				}
			}
			if leftOut != c.leftOut || checked < 50000 {
				t.Errorf("%d queries of %d have fewer other answers than the graph, want %d", leftOut, checked,
					c.leftOut)
			}
			for pair, r := range released.graphs[InTrain].relations {
				if graphs[InTrain].relations[pair] != r {
					t.Fatal("train-1p is another graph than the triples of train")
				}
			}
		})
	}
}

// renumbered returns a graph with the ids of published queries. Other entities get new ids.
func renumbered(t *testing.T, g *datasets.Graph, released *Data) *datasets.Graph {
	t.Helper()
	to := &datasets.Graph{Name: g.Name, Entities: slices.Clone(released.Entities),
		Relations: released.Relations}
	entities, relations := map[string]int32{}, map[string]int32{}
	for id, name := range released.Entities {
		entities[name] = int32(id)
	}
	for id, name := range released.Relations {
		relations[name] = int32(id)
	}
	id := func(name string) int32 {
		e, found := entities[name]
		if !found {
			e = int32(len(to.Entities))
			to.Entities = append(to.Entities, name)
			entities[name] = e
		}
		return e
	}
	for i, split := range []*[]datasets.Triple{&to.Train, &to.Valid, &to.Test} {
		for _, triple := range [][]datasets.Triple{g.Train, g.Valid, g.Test}[i] {
			relation, found := relations[g.Relations[triple.Relation]]
			if !found {
				t.Fatalf("no released relation is called %q", g.Relations[triple.Relation])
			}
			*split = append(*split, datasets.Triple{Head: id(g.Entities[triple.Head]), Relation: relation,
				Tail: id(g.Entities[triple.Tail])})
		}
	}
	return to
}
