package classify

import (
	"cmp"
	"slices"

	"github.com/autoblm/autoblm-go/datasets/rdf"
)

// Network is what an engine computes: layers of nodes between embeddings and the nodes
// to classify. It has the nodes and edges that these depend on, and no others: what lies
// more than Layers edges away has no influence on a logit and no gradient.
type Network struct {
	Settings Settings
	// Relations is the number of kinds of edges, and Classes that of classes.
	Relations, Classes int
	// Inputs are the nodes that the rows of embeddings are of, by their numbers in the
	// graph; [Blank] is a row of zeros, which is not learned.
	Inputs []int32
	// Layers are in the order in which they are computed.
	Layers []Layer
	// Outputs are the nodes to classify, as rows of the last layer, and Targets their
	// classes, -1 for a node without a label.
	Outputs, Targets []int32
	// Parameters are what is learned, the embeddings of the inputs first.
	Parameters []Parameter
}

// Blank stands for nodes without an embedding.
const Blank int32 = -1

// NewNetwork is the network that classifies the labelled nodes, those to train with
// first.
func NewNetwork(g *rdf.Graph, s Settings) *Network {
	return newNetwork(g, s, labelled(g), func(n *Network) []bool { return n.seenByFewer(s.SeenBy) })
}

// labelled are the labelled nodes, those to train with first.
func labelled(g *rdf.Graph) []rdf.Label { return slices.Concat(g.Train, g.Test) }

// newNetwork is the network that classifies some nodes; blank tells which inputs have no
// embedding.
func newNetwork(g *rdf.Graph, s Settings, outputs []rdf.Label, blank func(n *Network) []bool) *Network {
	n := &Network{Settings: s, Relations: relationsOf(len(g.Relations), s), Classes: len(g.Classes), Outputs: upTo(len(outputs))}
	for _, l := range outputs {
		n.Inputs, n.Targets = append(n.Inputs, l.Node), append(n.Targets, l.Class)
	}
	into := make([][]edge, len(g.Nodes)) // by target
	outDegrees := make([]int, len(g.Nodes))
	for _, e := range edgesOf(g, s) {
		into[e.target] = append(into[e.target], e)
		outDegrees[e.source]++
	}
	for range s.Layers { // the last first: against the direction of the messages
		n.addBelow(into, outDegrees)
	}
	slices.Reverse(n.Layers)
	n.forget(blank(n))
	n.arrange()
	n.Parameters = parametersOf(s, len(n.Inputs), n.Relations, n.Classes)
	return n
}

// addBelow makes the inputs a layer, with inputs below it.
func (n *Network) addBelow(into [][]edge, outDegrees []int) {
	below := &numbering{rows: map[int32]int32{}}
	l := Layer{Nodes: n.Inputs}
	for _, node := range l.Nodes {
		l.Self = append(l.Self, below.row(node))
	}
	for target, node := range l.Nodes {
		for _, e := range into[node] {
			l.edges = append(l.edges, edge{int32(target), e.relation, below.row(e.source)})
		}
	}
	l.Below = len(below.nodes)
	l.normalize(n.Settings.Norm, below.nodes, into, outDegrees)
	n.Layers = append(n.Layers, l)
	n.Inputs = below.nodes
}

type edge struct{ target, relation, source int32 }

// edgesOf are the edges of a graph. A triple (i, r, j) is an edge from its tail j to its
// head i (Section II-B of the paper), and a reverse edge has a relation of its own. GCN
// has one kind of edge, and two nodes one edge at the most.
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

// relationsOf is the number of kinds of edges where the data have so many relations.
func relationsOf(relations int, s Settings) int {
	switch {
	case s.Encoder == GCN:
		return 1
	case s.Reverse:
		return 2 * relations
	}
	return relations
}

// numbering gives nodes rows in the order in which they are asked for.
type numbering struct {
	rows  map[int32]int32
	nodes []int32
}

func (n *numbering) row(node int32) int32 {
	row, known := n.rows[node]
	if !known {
		row = int32(len(n.nodes))
		n.rows[node] = row
		n.nodes = append(n.nodes, node)
	}
	return row
}

// upTo is 0 … n-1.
func upTo(n int) []int32 {
	numbers := make([]int32, n)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	return numbers
}
