package classify

import (
	"math"
	"slices"
)

// Blank stands for nodes without an embedding.
const Blank int32 = -1

// Layer holds the edges along which one layer of a [Network] passes messages. The source of an
// edge is a row of the layer below, the target a row of this one.
type Layer struct {
	// Below is the number of rows of the layer below.
	Below int
	// Nodes has the node of the graph of each row, and Self the same nodes as rows of the layer
	// below.
	Nodes, Self []int32
	// Blank marks rows of the layer below that are zero and not learned; nil for none.
	Blank []bool
	// SourceWeights and TargetWeights multiply a message along an edge, in addition to its own
	// weight; see [Messages]. nil stands for ones.
	SourceWeights, TargetWeights []float32

	edges []edge
	// pairWeight returns the weight of the messages of one relation to one target, given the
	// number of these edges; nil stands for 1.
	pairWeight func(edges int) float64
}

// normalize sets the weights of a norm. below lists the nodes of the layer below; into lists the
// edges into each node of the graph.
func (l *Layer) normalize(n Norm, below []int32, into [][]edge, outDegrees []int) {
	switch n {
	case ByRelation:
		l.pairWeight = func(edges int) float64 { return 1 / float64(edges) }
	case ByRelationRoot:
		l.pairWeight = func(edges int) float64 { return 1 / math.Sqrt(float64(edges)) }
	case Symmetric:
		for _, node := range l.Nodes {
			l.TargetWeights = append(l.TargetWeights, inverseRoot(len(into[node])))
		}
		for _, node := range below {
			l.SourceWeights = append(l.SourceWeights, inverseRoot(outDegrees[node]))
		}
	}
}

// inverseRoot returns 1/√x, and 1 for a node without edges, where it has no effect.
func inverseRoot(x int) float32 { return float32(1 / math.Sqrt(float64(max(x, 1)))) }

// reorder permutes the layer's rows: old row order[i] becomes row i.
func (l *Layer) reorder(order []int32) {
	l.Nodes, l.Self = permuted(l.Nodes, order), permuted(l.Self, order)
	l.TargetWeights = permuted(l.TargetWeights, order)
	place := inverse(order)
	for i := range l.edges {
		l.edges[i].target = place[l.edges[i].target]
	}
}

// reorderBelow permutes the rows of the layer below.
func (l *Layer) reorderBelow(order []int32) {
	l.SourceWeights, l.Blank = permuted(l.SourceWeights, order), permuted(l.Blank, order)
	renumber(l.Self, order)
	place := inverse(order)
	for i := range l.edges {
		l.edges[i].source = place[l.edges[i].source]
	}
}

// byLength returns the indices of lists, ordered by length. Lengths above 8 are first divided by 8,
// rounded up, until they are at most 8.
func byLength(lists [][]int32) []int32 {
	const most = 8
	length := func(i int32) int {
		n := len(lists[i])
		for n > most {
			n = (n + most - 1) / most
		}
		return n
	}
	order := integers(0, int32(len(lists)))
	slices.SortStableFunc(order, func(a, b int32) int { return length(a) - length(b) })
	return order
}
