package query

import (
	"slices"

	"github.com/autoblm/autoblm-go/datasets"
)

// edges holds the edges of a graph in both directions, by entity and relation.
type edges struct {
	// A pair is an entity and a relation that leaves it. Entity e has the pairs pairs[e] to
	// pairs[e+1]-1. Pair p has the relation relations[p] and the sorted targets from
	// targets[starts[p]] to targets[starts[p+1]-1].
	pairs     []int32
	relations []int32
	starts    []int32
	targets   []int32
}

// edge is a triple in one direction.
type edge struct{ from, relation, to int32 }

func newEdges(entities int, all []edge) *edges {
	first := make([]int32, entities+1) // index of each entity's first edge
	for _, e := range all {
		first[e.from+1]++
	}
	for e := range entities {
		first[e+1] += first[e]
	}
	next := slices.Clone(first)
	keys := make([]uint64, len(all)) // relation and target, packed for fast sorting
	for _, e := range all {
		keys[next[e.from]] = uint64(e.relation)<<32 | uint64(e.to)
		next[e.from]++
	}
	g := &edges{pairs: make([]int32, 1, entities+1), targets: make([]int32, 0, len(all))}
	for e := range entities {
		leaving := keys[first[e]:first[e+1]]
		slices.Sort(leaving)
		leaving = slices.Compact(leaving)
		for i, key := range leaving {
			relation := int32(key >> 32)
			if i == 0 || relation != int32(leaving[i-1]>>32) {
				g.relations = append(g.relations, relation)
				g.starts = append(g.starts, int32(len(g.targets)))
			}
			g.targets = append(g.targets, int32(uint32(key)))
		}
		g.pairs = append(g.pairs, int32(len(g.relations)))
	}
	g.starts = append(g.starts, int32(len(g.targets)))
	return g
}

// bothDirections returns the edges of triples and of their reverses.
func bothDirections(triples []datasets.Triple) []edge {
	all := make([]edge, 0, 2*len(triples))
	for _, t := range triples {
		all = append(all, edge{t.Head, 2 * t.Relation, t.Tail},
			edge{t.Tail, reverse(2 * t.Relation), t.Head})
	}
	return all
}

// leaving returns the relations that leave an entity, ascending.
func (g *edges) leaving(entity int32) []int32 {
	return g.relations[g.pairs[entity]:g.pairs[entity+1]]
}

// targetsOf returns the entities to which a relation leads, ascending.
func (g *edges) targetsOf(entity, relation int32) []int32 {
	index, found := slices.BinarySearch(g.leaving(entity), relation)
	if !found {
		return nil
	}
	return g.targetsAt(g.pairs[entity] + int32(index))
}

func (g *edges) targetsAt(pair int32) []int32 { return g.targets[g.starts[pair]:g.starts[pair+1]] }

// walker finds the end points of paths. It reuses its memory.
type walker struct {
	seen           []uint32 // number of the last hop that reached each entity
	hop            uint32
	reached, start []int32
	steps          int // number of edges looked at
}

func newWalker(entities int) *walker { return &walker{seen: make([]uint32, entities)} }

// endPoints returns all entities to which a path leads, ascending.
func (w *walker) endPoints(g *edges, anchor int32, relations []int32) []int32 {
	w.walk(g, anchor, relations)
	ends := slices.Clone(w.reached)
	slices.Sort(ends)
	return ends
}

// walk sets reached to all entities to which a path leads.
func (w *walker) walk(g *edges, anchor int32, relations []int32) {
	w.reached = append(w.reached[:0], anchor)
	for _, r := range relations {
		w.start, w.reached = w.reached, w.start[:0]
		w.hop++
		for _, from := range w.start {
			targets := g.targetsOf(from, r)
			w.steps += 1 + len(targets)
			for _, to := range targets {
				if w.seen[to] != w.hop {
					w.seen[to] = w.hop
					w.reached = append(w.reached, to)
				}
			}
		}
	}
}

// firstOf returns an index of an answer to which a path leads, or -1. It stops at the first one that
// it reaches. Negative answers do not count.
func (w *walker) firstOf(answers []int32, g *edges, anchor int32, relations []int32) int {
	last := len(relations) - 1
	w.walk(g, anchor, relations[:last])
	w.hop++
	for _, answer := range answers {
		if answer >= 0 {
			w.seen[answer] = w.hop
		}
	}
	for _, from := range w.reached {
		for _, to := range g.targetsOf(from, relations[last]) {
			if w.seen[to] == w.hop {
				return slices.Index(answers, to)
			}
		}
	}
	return -1
}
