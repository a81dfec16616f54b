package classify

import "math"

// Layer is the edges that one layer of a [Network] passes messages along. An edge's
// source is a row of the layer below, its target a row of this one.
type Layer struct {
	// Below is the number of rows of the layer below.
	Below int
	// Nodes are those of the layer's rows, as numbers of the graph, and Self the same
	// nodes as rows of the layer below.
	Nodes, Self []int32
	// Blank tells which rows of the layer below are zeros and not learned; nil for none.
	Blank []bool
	// A message along an edge is multiplied by the weight of its source and that of its
	// target, beside its own; see [Messages]. nil stands for ones.
	SourceWeights, TargetWeights []float32

	edges []edge
	// pairWeight is the weight of the messages from so many edges that one relation has
	// to one target; nil stands for 1.
	pairWeight func(edges int) float64
}

// normalize sets the weights that a norm asks for.
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

// inverseRoot is 1/√x, and 1 for a node without edges, where it does not matter.
func inverseRoot(x int) float32 { return float32(1 / math.Sqrt(float64(max(x, 1)))) }
