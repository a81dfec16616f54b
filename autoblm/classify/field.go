package classify

import (
	"cmp"
	"math"
	"slices"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// field is the receptive field of the labelled nodes: the nodes and edges that
// their classes are computed from. What lies outside it has no influence on a
// logit and no gradient, so leaving it out changes nothing but the time.
type field struct {
	// inputs are the nodes of the first layer's rows, as numbers of the graph, or blank.
	inputs []int32
	// layers are in the order in which they are computed.
	layers []layer
	// labelled are the last layer's rows of the labelled nodes, Train before Test.
	labelled []int32
	// relations is the number of kinds of edges.
	relations int
}

// layer are the edges that one layer passes messages along. An edge's source is a
// row of the layer below, its target one of this layer.
type layer struct {
	below int     // rows of the layer below
	nodes []int32 // of this layer's rows, as numbers of the graph
	self  []int32 // the same nodes, as rows of the layer below
	edges []edge
	blank []bool // rows of the layer below that are zero and not learned; nil for none
	// Weights of the messages; nil stands for ones. The message of an edge is
	// multiplied by that of its source, of its target, and of its target and
	// relation together.
	sourceWeights, targetWeights []float64
	pairWeight                   func(edges int) float64 // by the number of edges with one target and relation
}

type edge struct{ target, relation, source int32 }

// newField walks from the labelled nodes against the direction of the messages.
// A triple (i, r, j) is an edge from its tail j to its head i; see Section II-B of
// the paper.
func newField(g *rdf.Graph, s Settings) *field {
	all := edgesOf(g, s)
	f := &field{relations: relationsOf(g, s)}
	into := make([][]edge, len(g.Nodes)) // by target
	outDegrees := make([]float64, len(g.Nodes))
	for _, e := range all {
		into[e.target] = append(into[e.target], e)
		outDegrees[e.source]++
	}
	var nodes []int32 // of the layer above
	for _, l := range labels(g) {
		nodes = append(nodes, l.Node)
	}
	f.labelled = identity(len(nodes))
	for range s.Layers {
		below := newRows()
		l := layer{nodes: nodes}
		for _, node := range nodes {
			l.self = append(l.self, below.of(node))
		}
		for target, node := range nodes {
			for _, e := range into[node] {
				l.edges = append(l.edges, edge{int32(target), e.relation, below.of(e.source)})
			}
		}
		l.below = len(below.nodes)
		l.weigh(s.Norm, below.nodes, into, outDegrees)
		f.layers = append(f.layers, l)
		nodes = below.nodes
	}
	slices.Reverse(f.layers)
	f.inputs = nodes
	f.forget(s.SeenBy)
	f.arrange(s.SelfLoops)
	return f
}

// arrange orders the rows of all layers so that their sums take few lookups; see
// [newSums].
func (f *field) arrange(selfLoops bool) {
	for i := range f.layers {
		order := byLength(newHop(f.layers[i], f.relations).spread)
		f.layers[i].reorder(order)
		if i+1 < len(f.layers) {
			f.layers[i+1].reorderBelow(order)
		} else {
			renumber(f.labelled, order)
		}
	}
	first := &f.layers[0]
	order := byLength(newHop(*first, f.relations).backward(*first, selfLoops))
	first.reorderBelow(order)
	f.inputs = picked(f.inputs, order)
}

// reorder gives the layer's rows another order, in which old row order[i] is row i.
func (l *layer) reorder(order []int32) {
	l.nodes, l.self, l.targetWeights = picked(l.nodes, order), picked(l.self, order), picked(l.targetWeights, order)
	place := inverse(order)
	for i := range l.edges {
		l.edges[i].target = place[l.edges[i].target]
	}
}

// reorderBelow gives the rows of the layer below another order.
func (l *layer) reorderBelow(order []int32) {
	l.sourceWeights, l.blank = picked(l.sourceWeights, order), picked(l.blank, order)
	renumber(l.self, order)
	place := inverse(order)
	for i := range l.edges {
		l.edges[i].source = place[l.edges[i].source]
	}
}

// picked is x in an order; nil stays nil.
func picked[T any](x []T, order []int32) []T {
	if x == nil {
		return nil
	}
	y := make([]T, len(order))
	for i, from := range order {
		y[i] = x[from]
	}
	return y
}

// renumber changes numbers of rows to those that an order gives them.
func renumber(numbers, order []int32) {
	place := inverse(order)
	for i, n := range numbers {
		numbers[i] = place[n]
	}
}

func inverse(order []int32) []int32 {
	place := make([]int32, len(order))
	for i, from := range order {
		place[from] = int32(i)
	}
	return place
}

// labels are the labelled nodes, those to train with first.
func labels(g *rdf.Graph) []rdf.Label { return slices.Concat(g.Train, g.Test) }

// edgesOf are the edges of a graph, between nodes. A reverse edge has a relation
// of its own. GCN has one kind of edge, and two nodes one edge at the most.
func edgesOf(g *rdf.Graph, s Settings) []edge {
	var all []edge
	reverse := int32(len(g.Relations))
	for _, t := range g.Triples {
		all = append(all, edge{t.Head, t.Relation, t.Tail})
		if s.Reverse {
			all = append(all, edge{t.Tail, t.Relation + reverse, t.Head})
		}
	}
	if s.Encoder != GCN {
		return all
	}
	for i := range all {
		all[i].relation = 0
	}
	slices.SortFunc(all, func(a, b edge) int {
		return cmp.Or(cmp.Compare(a.target, b.target), cmp.Compare(a.source, b.source))
	})
	return slices.Compact(all)
}

func relationsOf(g *rdf.Graph, s Settings) int {
	switch {
	case s.Encoder == GCN:
		return 1
	case s.Reverse:
		return 2 * len(g.Relations)
	}
	return len(g.Relations)
}

// weigh sets the weights that a normalization gives.
func (l *layer) weigh(n Norm, below []int32, into [][]edge, outDegrees []float64) {
	switch n {
	case ByRelation:
		l.pairWeight = func(edges int) float64 { return 1 / float64(edges) }
	case ByRelationRoot:
		l.pairWeight = func(edges int) float64 { return 1 / math.Sqrt(float64(edges)) }
	case Symmetric:
		for _, node := range l.nodes {
			l.targetWeights = append(l.targetWeights, inverseRoot(float64(len(into[node]))))
		}
		for _, node := range below {
			l.sourceWeights = append(l.sourceWeights, inverseRoot(outDegrees[node]))
		}
	}
}

// inverseRoot is 1/√x, and 1 for a node without edges, where it does not matter.
func inverseRoot(x float64) float64 { return 1 / math.Sqrt(max(x, 1)) }

// rows numbers nodes in the order in which they are asked for.
type rows struct {
	number map[int32]int32
	nodes  []int32
}

func newRows() *rows { return &rows{number: map[int32]int32{}} }

func (r *rows) of(node int32) int32 {
	row, there := r.number[node]
	if !there {
		row = int32(len(r.nodes))
		r.number[node] = row
		r.nodes = append(r.nodes, node)
	}
	return row
}

func identity(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}
