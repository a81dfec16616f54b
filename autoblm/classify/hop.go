package classify

import (
	"maps"
	"slices"
)

// hop is how the messages of a layer travel: rows of the layer below are collected
// into carriers, each carrier is multiplied by the operator of its relation, and
// the products are spread over the targets.
//
// An operator is linear, so the sources that a relation sends to one target may be
// added up before it is applied, and what one source sends to many targets need
// be computed once. For the edges of one relation and one weight, the way with
// fewer carriers is taken.
//
// Carriers stand in blocks of one relation, filled up with empty ones, so that all
// products are one batched matrix product.
type hop struct {
	size      int       // carriers of a block
	relations []int32   // of each block
	collect   [][]int32 // for each carrier, the rows of the layer below
	weights   []float64 // of each carrier; nil stands for ones
	spread    [][]int32 // for each target, its carriers
}

// carriers is their number, with those that fill up blocks.
func (h *hop) carriers() int { return len(h.collect) }

// backward lists for each row of the layer below where its gradient comes from: its
// carriers, and, numbered after all carriers, the row of its node in this layer.
// What is not learned has none.
func (h *hop) backward(l layer, selfLoops bool) [][]int32 {
	lists := transposed(h.collect, l.below)
	if selfLoops {
		for target, row := range l.self {
			lists[row] = append(lists[row], int32(h.carriers()+target))
		}
	}
	for row, blank := range l.blank {
		if blank {
			lists[row] = nil
		}
	}
	return lists
}

func newHop(l layer, relations int) *hop { return newHopInBlocks(l, relations, 0) }

// newHopInBlocks has blocks of a size, or of a fitting one for 0.
func newHopInBlocks(l layer, relations, size int) *hop {
	byRelation := make([][]edge, relations)
	for _, e := range l.edges {
		byRelation[e.relation] = append(byRelation[e.relation], e)
	}
	groups := make([][]carrier, relations)
	total := 0
	for r, edges := range byRelation {
		groups[r] = carriersOf(edges, l.pairWeight)
		total += len(groups[r])
	}
	if size == 0 {
		size = blockSize(total, relations)
	}
	h := &hop{size: size, spread: make([][]int32, len(l.nodes))}
	if l.pairWeight != nil {
		h.weights = []float64{}
	}
	for r, group := range groups {
		for _, c := range group {
			for _, target := range c.targets {
				h.spread[target] = append(h.spread[target], int32(h.carriers()))
			}
			h.add(c)
		}
		for h.carriers()%h.size != 0 {
			h.add(carrier{})
		}
		for len(h.relations) < h.carriers()/h.size {
			h.relations = append(h.relations, int32(r))
		}
	}
	return h
}

func (h *hop) add(c carrier) {
	h.collect = append(h.collect, c.sources)
	if h.weights != nil {
		h.weights = append(h.weights, c.weight)
	}
}

// blockSize is a power of two. Larger blocks make fewer matrix products, but more
// carriers that only fill them up: a quarter of all, or so.
func blockSize(carriers, relations int) int {
	size := 16
	for size < 128 && 4*size*relations < 2*carriers {
		size *= 2
	}
	return size
}

// carrier carries the sum of its sources to each of its targets.
type carrier struct {
	sources, targets []int32
	weight           float64
}

// carriersOf are the carriers of one relation's edges.
func carriersOf(edges []edge, pairWeight func(edges int) float64) []carrier {
	byTarget := map[int32][]edge{}
	for _, e := range edges {
		byTarget[e.target] = append(byTarget[e.target], e)
	}
	byWeight := map[float64][]edge{}
	for _, target := range slices.Sorted(maps.Keys(byTarget)) {
		weight := 1.0
		if pairWeight != nil {
			weight = pairWeight(len(byTarget[target]))
		}
		byWeight[weight] = append(byWeight[weight], byTarget[target]...)
	}
	var all []carrier
	for _, weight := range slices.Sorted(maps.Keys(byWeight)) {
		sources, targets := map[int32][]int32{}, map[int32][]int32{} // of each target, of each source
		for _, e := range byWeight[weight] {
			sources[e.target] = append(sources[e.target], e.source)
			targets[e.source] = append(targets[e.source], e.target)
		}
		if len(sources) <= len(targets) {
			for _, target := range slices.Sorted(maps.Keys(sources)) {
				all = append(all, carrier{sources[target], []int32{target}, weight})
			}
			continue
		}
		for _, source := range slices.Sorted(maps.Keys(targets)) {
			all = append(all, carrier{[]int32{source}, targets[source], weight})
		}
	}
	return all
}

// transposed lists for each of n numbers the lists that it is in.
func transposed(lists [][]int32, n int) [][]int32 {
	in := make([][]int32, n)
	for i, list := range lists {
		for _, x := range list {
			in[x] = append(in[x], int32(i))
		}
	}
	return in
}
